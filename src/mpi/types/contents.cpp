// mpi/types/contents.cpp: a level has its combiner, the lengths of its four lists, and the lists.
// The last list has the types that it was made of. A predefined type is its handle, which no other
// type ever has. A derived type is the number of its level.
#include "mpi/types/contents.hpp"

#include <algorithm>
#include <cstring>

#include "mpi/types/decode.hpp"

namespace heddle::mpi {
namespace {

constexpr std::uint64_t derived = std::uint64_t{1} << 63;  // no handle is that large

/// True: the type is derived. The host has given its handle out anew, and it must be freed.
bool is_derived(MPI_Datatype type) {
  predefined(type);  // seen_predefined() remembers the answer
  return !seen_predefined(type) && !names_predefined(combiner_of(type));
}

std::size_t room(layout::Count n) { return static_cast<std::size_t>(n); }

/// Frees the handles once the row is read. Before that, a new type could get a freed handle, and be
/// taken for another level.
class Freed {
 public:
  explicit Freed(std::vector<MPI_Datatype>& handles) : handles_(handles) {}
  Freed(const Freed&) = delete;
  Freed& operator=(const Freed&) = delete;
  ~Freed() {
    for (MPI_Datatype& handle : handles_) PMPI_Type_free(&handle);
    handles_.clear();
  }

 private:
  std::vector<MPI_Datatype>& handles_;
};

}  // namespace

bool look_at(MPI_Datatype type, TypeEnvelope& envelope) noexcept {
  if (PMPI_Type_get_envelope_c && PMPI_Type_get_contents_c) {
    MPI_Count integers = 0, addresses = 0, counts = 0, types = 0;
    if (PMPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &envelope.combiner) != MPI_SUCCESS) return false;
    envelope = {envelope.combiner, integers, addresses, counts, types};
    return true;
  }
  int integers = 0, addresses = 0, types = 0;
  if (PMPI_Type_get_envelope(type, &integers, &addresses, &types, &envelope.combiner) != MPI_SUCCESS) return false;
  envelope = {envelope.combiner, integers, addresses, 0, types};
  return true;
}

bool look_into(MPI_Datatype type, const TypeEnvelope& envelope, int* integers, MPI_Aint* addresses, MPI_Count* counts,
               MPI_Datatype* types) noexcept {
  if (PMPI_Type_get_envelope_c && PMPI_Type_get_contents_c) {
    return PMPI_Type_get_contents_c(type, envelope.integers, envelope.addresses, envelope.counts, envelope.types, integers,
                                    addresses, counts, types) == MPI_SUCCESS;
  }
  return PMPI_Type_get_contents(type, static_cast<int>(envelope.integers), static_cast<int>(envelope.addresses),
                                static_cast<int>(envelope.types), integers, addresses, types) == MPI_SUCCESS;
}

bool Contents::read(MPI_Datatype type) {
  row_.clear();
  levels_.assign(1, type);
  const Freed freed(to_free_);
  for (std::size_t next = 0; next < levels_.size(); ++next)
    if (!read_level(levels_[next])) return false;
  return true;
}

bool Contents::read_level(MPI_Datatype type) {
  TypeEnvelope told;
  if (!look_at(type, told)) return false;
  if (row_.empty()) combiner_ = told.combiner;
  const std::size_t integers = (room(told.integers) + 1) / 2 * 8, addresses = room(told.addresses) * sizeof(MPI_Aint),
                    counts = room(told.counts) * sizeof(MPI_Count), types = room(told.types) * 8;
  if (row_.size() + integers + addresses + counts + types > longest) return false;
  const std::uint64_t head[] = {static_cast<std::uint64_t>(told.combiner), static_cast<std::uint64_t>(told.integers),
                                static_cast<std::uint64_t>(told.addresses), static_cast<std::uint64_t>(told.counts),
                                static_cast<std::uint64_t>(told.types)};
  const std::size_t at = row_.size() + sizeof head;
  const std::size_t end = at + integers + addresses + counts + types;
  row_.resize(end + 8);  // lists without entries need a place, too
  std::memcpy(row_.data() + at - sizeof head, head, sizeof head);
  olds_.resize(room(told.types) + 1);
  to_free_.reserve(to_free_.size() + olds_.size());  // whatever happens below, no handle is lost
  std::byte* const lists = row_.data() + at;
  if (!look_into(type, told, reinterpret_cast<int*>(lists), reinterpret_cast<MPI_Aint*>(lists + integers),
                 reinterpret_cast<MPI_Count*>(lists + integers + addresses), olds_.data()))
    return false;
  row_.resize(end);
  olds_.pop_back();
  std::size_t given = to_free_.size();
  bool frees = false;
  for (std::size_t i = 0; i < olds_.size(); ++i) {
    if (i == 0 || olds_[i] != olds_[i - 1]) frees = is_derived(olds_[i]);
    if (frees) to_free_.push_back(olds_[i]);
  }
  std::byte* to = row_.data() + end - types;
  for (const MPI_Datatype old : olds_) {
    frees = given < to_free_.size() && to_free_[given] == old;
    given += frees ? 1 : 0;
    const std::uint64_t word = frees ? level_of(old) : threads::key_of(old);
    std::memcpy(to, &word, sizeof word);
    to += sizeof word;
  }
  return true;
}

/// The number of the type's level. Looks back at a few levels only. A type that was met longer ago
/// is read again.
std::uint64_t Contents::level_of(MPI_Datatype type) {
  constexpr std::size_t few = 8;
  const std::size_t first = levels_.size() - std::min(levels_.size(), few);
  std::size_t level = first;
  while (level < levels_.size() && levels_[level] != type) ++level;
  if (level == levels_.size()) levels_.push_back(type);
  return derived | level;
}

std::uint64_t Contents::hash() const noexcept {
  // Four chains at once: multiplications take their time.
  constexpr std::uint64_t golden = 0x9E3779B97F4A7C15U;
  std::uint64_t chains[4] = {1, 2, 3, row_.size()};
  for (std::size_t at = 0; at < row_.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, row_.data() + at, 8);
    std::uint64_t& chain = chains[at / 8 % 4];
    chain = (chain ^ word) * golden;
    chain ^= chain >> 32;
  }
  std::uint64_t all = 0;
  for (const std::uint64_t chain : chains) all = (all ^ chain ^ all >> 29) * golden;
  return all;
}

}  // namespace heddle::mpi
