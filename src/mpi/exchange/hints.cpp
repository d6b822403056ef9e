// mpi/exchange/hints.cpp
#include "mpi/exchange/hints.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <new>
#include <string>

#include "engine/digest.hpp"
#include "mpi/process/say.hpp"
#include "settings/settings.hpp"

namespace heddle::mpi {
namespace {

struct Key {
  const char* name;
  settings::Parsed<std::string> (*parse)(std::string_view);
  std::string Hints::*hint;
};
constexpr std::array keys = {Key{"heddle_alltoallv", settings::alltoallv, &Hints::alltoallv},
                             Key{"heddle_allgatherv", settings::allgatherv, &Hints::allgatherv}};

/// What a rank was given.
struct Given {
  std::string word;  ///< Empty: nothing.
  bool nonsense = false;
  [[nodiscard]] engine::Digest digest() const noexcept { return engine::digest_of(nonsense ? "?" : word); }
};

Given given(MPI_Info info, const Key& key) {
  char text[64] = "";
  int there = 0;
  if (info == MPI_INFO_NULL || PMPI_Info_get(info, key.name, sizeof text - 1, text, &there) != MPI_SUCCESS || !there) return {};
  const auto parsed = key.parse(text);
  if (!parsed.complaint.empty()) return {text, true};
  return {parsed.value};
}

void complain(const std::string& sentence, MPI_Comm comm) {
  int me = 0;
  if (PMPI_Comm_rank(comm, &me) == MPI_SUCCESS && me == 0) say(sentence.c_str());
}

/// For each key.
using AllGiven = std::array<Given, keys.size()>;

AllGiven all_given(MPI_Info info) {
  AllGiven all;
  for (std::size_t i = 0; i < keys.size(); ++i) all[i] = given(info, keys[i]);
  return all;
}

/// Collective.
void settle(MPI_Comm comm, const AllGiven& mine) {
  std::array<engine::Digest, keys.size()> all{};
  for (std::size_t i = 0; i < keys.size(); ++i) all[i] = mine[i].digest();
  PMPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(2 * all.size()), MPI_UNSIGNED, MPI_BAND, comm);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string name = keys[i].name;
    if (!engine::same(all[i]))
      complain("the hint " + name + " is not the same on all ranks of a communicator; it is ignored. Give it to all of them.",
               comm);
    else if (mine[i].nonsense)
      complain("the hint " + name + "=" + mine[i].word + " is no algorithm; it is ignored. `heddle algorithms` lists them.",
               comm);
    else if (!mine[i].word.empty())
      if (ShadowComm* own = ShadowComm::of(comm)) own->hints().*keys[i].hint = mine[i].word;
  }
}

// The attribute: handed on only by the MPI_Comm_idup_with_info that it was hung on the parent for.
std::atomic<int> keyval{MPI_KEYVAL_INVALID};
thread_local bool handing_on = false;

int handed_on(MPI_Comm, int, void*, void* attribute, void* copy, int* copied) {
  const AllGiven* const mine = handing_on ? static_cast<const AllGiven*>(attribute) : nullptr;
  AllGiven* made = nullptr;
  try {
    if (mine) made = new AllGiven(*mine);
  } catch (const std::bad_alloc&) {
    made = nullptr;
  }
  *copied = made ? 1 : 0;
  if (made) *static_cast<void**>(copy) = made;
  return MPI_SUCCESS;
}

int gone(MPI_Comm, int, void* attribute, void*) {
  delete static_cast<AllGiven*>(attribute);
  return MPI_SUCCESS;
}

AllGiven* noted(MPI_Comm comm) noexcept {
  AllGiven* mine = nullptr;
  int there = 0;
  if (keyval == MPI_KEYVAL_INVALID || PMPI_Comm_get_attr(comm, keyval, &mine, &there) != MPI_SUCCESS || !there) return nullptr;
  return mine;
}

}  // namespace

void hints_given(MPI_Comm comm, MPI_Info info) try {
  if (ShadowComm::possible(comm)) settle(comm, all_given(info));
} catch (const std::bad_alloc&) {
  return;  // the others learn of it as of any rank that is lost
}

HintsToCome::HintsToCome(MPI_Comm comm, MPI_Info info) : comm_(comm) {
  if (!ShadowComm::possible(comm)) return;
  int key = keyval;
  if (key == MPI_KEYVAL_INVALID) {
    if (PMPI_Comm_create_keyval(handed_on, gone, &key, nullptr) != MPI_SUCCESS) return;
    int others = MPI_KEYVAL_INVALID;
    if (!keyval.compare_exchange_strong(others, key)) {
      PMPI_Comm_free_keyval(&key);
      key = others;
    }
  }
  try {
    auto mine = std::make_unique<AllGiven>(all_given(info));
    noted_ = PMPI_Comm_set_attr(comm, key, mine.get()) == MPI_SUCCESS;
    if (noted_) static_cast<void>(mine.release());
  } catch (const std::bad_alloc&) {
    noted_ = false;  // hints_lost
  }
  handing_on = noted_;
}

HintsToCome::~HintsToCome() {
  handing_on = false;
  if (noted_) PMPI_Comm_delete_attr(comm_, keyval);
}

bool hints_noted(MPI_Comm comm) noexcept { return noted(comm) != nullptr; }

void hints_come(MPI_Comm comm) noexcept try {
  if (const AllGiven* const mine = noted(comm)) settle(comm, *mine);
} catch (const std::bad_alloc&) {
  return;
}

void hints_lost(MPI_Comm comm) noexcept try {
  complain(
      "a rank had no memory for the hints that MPI_Comm_idup_with_info gave; they are ignored. MPI_Comm_set_info gives them "
      "anew.",
      comm);
} catch (const std::bad_alloc&) {
  return;
}

void close_hints() noexcept {
  int key = keyval.exchange(MPI_KEYVAL_INVALID);
  if (key != MPI_KEYVAL_INVALID) PMPI_Comm_free_keyval(&key);
}

void hints_shown(MPI_Comm comm, MPI_Info info) noexcept {
  ShadowComm* own = ShadowComm::made(comm);
  if (!own || info == MPI_INFO_NULL) return;
  bool any = false;
  for (const Key& key : keys) {
    const std::string& word = own->hints().*key.hint;
    if (!word.empty()) PMPI_Info_set(info, key.name, word.c_str());
    any = any || !word.empty();
  }
  if (!any || own->wanted_alltoallv() != "auto") return;
  const Agreement& agreement = own->agreement();
  PMPI_Info_set(info, "heddle_alltoallv_chosen",
                own->went_library() ? "native" : std::string(agreement.way().algorithm->name).c_str());
  PMPI_Info_set(info, "heddle_alltoallv_every", std::to_string(agreement.every()).c_str());
}

}  // namespace heddle::mpi
