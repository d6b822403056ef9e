// mpi/communicators/ask.cpp: MPI_Group_translate_ranks, piece by piece.
//
// Open MPI 5.0.11 looks for each rank in all of the other group, from its front: a communicator of half of 100,000 ranks would
// take it 10^9 comparisons. So it is asked whether the next ranks go on as the last two began, in a group of these few: what is
// guessed right costs the same however large the world is, what is not is looked for in the world. The answers are the host's
// in any case.
#include "mpi/communicators/ask.hpp"

#include <algorithm>
#include <numeric>

#include "group/encoder.hpp"

namespace heddle::mpi::communicators {
namespace {

/// Freed at the end of the scope.
class Handle {
 public:
  ~Handle() {
    if (group != MPI_GROUP_NULL) PMPI_Group_free(&group);
  }
  MPI_Group group = MPI_GROUP_NULL;
};

/// What members of the host's group are called in the world, into an encoder.
class Question {
 public:
  explicit Question(MPI_Group theirs, MPI_Group world) noexcept : theirs_(theirs), world_(world) {}

  /// Of the next `count` ranks, at most `piece`. False: the host does not say, or one is not of this world.
  bool ask(int count) {
    if (!translate(count, world_)) return false;
    for (int i = 0; i < count; ++i) {
      if (answers_[i] < 0) return !(strange_ = true);
      take(answers_[i]);
    }
    return true;
  }

  /// Whether the next `count` ranks are as far from each other as the last two, in a world of `ranks`: how many are, from the
  /// first on.
  int guess(int count, int ranks) {
    if (asked_ < 2) return 0;
    const long step = last_ - before_;
    const long room = (step > 0 ? ranks - 1 - last_ : -last_) / step;
    count = static_cast<int>(std::min<long>(count, room));
    if (count <= 0) return 0;
    Handle few;
    int range[1][3] = {{static_cast<int>(last_ + step), static_cast<int>(last_ + count * step), static_cast<int>(step)}};
    if (PMPI_Group_range_incl(world_, 1, range, &few.group) != MPI_SUCCESS || !translate(count, few.group)) return 0;
    int right = 0;
    while (right < count && answers_[right] == right) ++right;
    for (int i = 0; i < right; ++i) take(static_cast<int>(last_ + step));
    return right;
  }

  [[nodiscard]] int asked() const noexcept { return asked_; }
  [[nodiscard]] bool strange() const noexcept { return strange_; }
  [[nodiscard]] group::Group finish() { return encoder_.finish(); }

  static constexpr int piece = 256;

 private:
  bool translate(int count, MPI_Group into) noexcept {
    std::iota(ranks_, ranks_ + count, asked_);
    return PMPI_Group_translate_ranks(theirs_, count, ranks_, into, answers_) == MPI_SUCCESS;
  }
  void take(int rank) {
    encoder_.add(rank);
    before_ = last_;
    last_ = rank;
    ++asked_;
  }

  MPI_Group theirs_, world_;
  group::Encoder encoder_;
  int asked_ = 0;
  long before_ = 0, last_ = 0;
  bool strange_ = false;
  int ranks_[piece], answers_[piece];
};

#if defined(OPEN_MPI)
/// Members, ranks of the world: how many a guess is about, so that a wrong one is soon known.
constexpr int guessed = 32;
#endif

/// All `size` of them.
bool ask_all(Question& question, int size, [[maybe_unused]] int ranks) {
  [[maybe_unused]] int direct = 2;  // grows while guesses are wrong
  while (question.asked() < size) {
    const int left = size - question.asked();
#if defined(OPEN_MPI)
    const int wanted = std::min(guessed, left);
    const int right = question.guess(wanted, ranks);
    direct = right > 0 ? 2 : std::min(2 * direct, Question::piece);
    if (right == wanted) continue;
    if (!question.ask(std::min(direct, left - right))) return false;
#else
    if (!question.ask(std::min(Question::piece, left))) return false;
#endif
  }
  return true;
}

}  // namespace

namespace {

/// The `size` members of a group of the host's, as asked() says.
std::optional<group::Group> in_world(MPI_Group theirs, int size) {
  Handle world;
  int ranks = 0;
  if (PMPI_Comm_group(MPI_COMM_WORLD, &world.group) != MPI_SUCCESS || PMPI_Comm_size(MPI_COMM_WORLD, &ranks) != MPI_SUCCESS)
    return {};
  Question question(theirs, world.group);
  if (ask_all(question, size, ranks)) return question.finish();
  return question.strange() ? std::optional(group::Group()) : std::nullopt;
}

}  // namespace

std::optional<group::Group> asked(MPI_Comm comm) {
  int inter = 0;
  int size = 0;  // not MPI_Group_size: where MPI_Cart_create has left ranks out, MPICH 5.0.2's group has them nevertheless
  Handle theirs;
  if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS ||
      (inter ? PMPI_Comm_remote_group : PMPI_Comm_group)(comm, &theirs.group) != MPI_SUCCESS ||
      (inter ? PMPI_Comm_remote_size : PMPI_Comm_size)(comm, &size) != MPI_SUCCESS)
    return {};
  return in_world(theirs.group, size);
}

bool strangers_here(MPI_Comm comm) {
  int inter = 0;
  int size = 0;
  Handle ours;
  if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || !inter || PMPI_Comm_group(comm, &ours.group) != MPI_SUCCESS ||
      PMPI_Comm_size(comm, &size) != MPI_SUCCESS)
    return false;
  const std::optional<group::Group> group = in_world(ours.group, size);
  return group && group->empty();
}

bool agrees(MPI_Comm comm, const group::Group& group, int me) noexcept {
  int inter = 0;
  int size = 0;
  int rank = 0;
  if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS ||
      (inter ? PMPI_Comm_remote_size : PMPI_Comm_size)(comm, &size) != MPI_SUCCESS || size != group.size())
    return false;
  return inter || (PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS && group.world_rank(rank) == me);
}

}  // namespace heddle::mpi::communicators
