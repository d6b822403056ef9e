// mpi/lifecycle/volume.hpp: the arguments of a call in the terms of report/volume.hpp. Includes timed.hpp, report/volume.hpp.
// For HEDDLE_REPORT: nothing of it is asked where nobody wants one.
//
//   const report::Partners partners = partners_on(comm);               // once for each communicator
//   with_volume(called, partners, size_of_datatype, [&](const auto& volume) { bytes = volume.bytes(); });
#pragma once

#include <cstdint>

#include "mpi/lifecycle/timed.hpp"
#include "report/volume.hpp"

namespace heddle::mpi {

/// Throws std::bad_alloc.
report::Partners partners_on(MPI_Comm comm);

report::Moves moves_of(const timed::Called& called, const report::Partners& partners, std::int64_t size) noexcept;

/// Bytes of its blocks.
class BlockSizes {
 public:
  /// @param size  Of the call's datatype, bytes; negative: it is asked for where it is needed.
  BlockSizes(const timed::Called& called, std::int64_t size) noexcept : called_(called), size_(size) {}
  [[nodiscard]] std::int64_t of(const timed::Blocks& blocks, int i) noexcept;

 private:
  std::int64_t size_of(MPI_Datatype type) noexcept;

  const timed::Called& called_;
  const std::int64_t size_;
  MPI_Datatype asked_ = MPI_DATATYPE_NULL;  // the last one, and its size: many blocks have one datatype
  std::int64_t answer_ = 0;
};

/// use(report::Volume).
/// @param size  As above.
template <class Use>
void with_volume(const timed::Called& called, const report::Partners& partners, std::int64_t size, const Use& use) {
  BlockSizes sizes(called, size);
  const report::Moves moves = moves_of(called, partners, size);
  const auto sent = [&](int i) { return sizes.of(called.sent, i); };
  const auto received = [&](int i) { return sizes.of(called.received, i); };
  use(report::Volume(moves, partners, sent, received));
}

}  // namespace heddle::mpi
