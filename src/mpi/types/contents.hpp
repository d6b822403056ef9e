// mpi/types/contents.hpp: what a datatype was made of, as the host tells it: level by level
// (TypeEnvelope), or all of its levels in one row of bytes (Contents). Types with equal rows are
// alike, whatever their handles are.
//
//   Contents row;
//   if (row.read(type)) found = cache.find(row);              // content_cache.hpp
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mpi/process/host.hpp"
#include "mpi/types/handles.hpp"

namespace heddle::mpi {

/// The result of MPI_Type_get_envelope_c, or of MPI_Type_get_envelope if the host lacks the large
/// form.
struct TypeEnvelope {
  int combiner = MPI_UNDEFINED;
  layout::Count integers = 0, addresses = 0, counts = 0, types = 0;
};

/// False: the host does not tell.
bool look_at(MPI_Datatype type, TypeEnvelope& envelope) noexcept;

/// Calls MPI_Type_get_contents_c, or the plain form. No array may be null, even if it has no
/// entries: some hosts dislike null arrays.
bool look_into(MPI_Datatype type, const TypeEnvelope& envelope, int* integers, MPI_Aint* addresses, MPI_Count* counts,
               MPI_Datatype* types) noexcept;

class Contents {
 public:
  /// Longer rows are not read: they would fill the cache.
  static constexpr std::size_t longest = 2 << 20;

  /// Reads the contents of a derived type. False: the host does not tell, or the row is too long.
  /// Throws std::bad_alloc.
  bool read(MPI_Datatype type);

  [[nodiscard]] std::span<const std::byte> row() const noexcept { return row_; }
  /// The type is one vector of a predefined type.
  [[nodiscard]] bool is_vector() const noexcept {
    return levels_.size() == 1 && (combiner_ == MPI_COMBINER_VECTOR || combiner_ == MPI_COMBINER_HVECTOR);
  }
  /// The hash of the row.
  [[nodiscard]] std::uint64_t hash() const noexcept;

 private:
  bool read_level(MPI_Datatype type);
  std::uint64_t level_of(MPI_Datatype type);

  int combiner_ = MPI_UNDEFINED;  // of the type itself
  std::vector<std::byte> row_;
  std::vector<MPI_Datatype> levels_;   // the type, and the derived types that it was made of, as they were met
  std::vector<MPI_Datatype> olds_;     // of the current level
  std::vector<MPI_Datatype> to_free_;  // handles that the host has given out
};

}  // namespace heddle::mpi
