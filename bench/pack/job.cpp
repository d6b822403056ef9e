// bench/pack/job.cpp: see job.hpp.
#include "pack/job.hpp"

#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "common/clock.hpp"

namespace heddle::bench::pack {

void Arena::Free::operator()(std::byte* memory) const { std::free(memory); }

Arena::Arena(Bytes room)
    : room_{room},
      data_{static_cast<std::byte*>(std::aligned_alloc(4096, room))},
      packed_{static_cast<std::byte*>(std::aligned_alloc(4096, room))} {
  if (!data_ || !packed_) throw std::bad_alloc{};
  std::memset(data_.get(), 1, room);
  std::memset(packed_.get(), 2, room);
}

Job::Job(const Case& what, const Arena& arena, Commit commit)
    : arena_{arena},
      type_{what.build(arena.data())},
      buffer_{what.absolute ? MPI_BOTTOM : static_cast<void*>(arena.data() + what.start)},
      count_{what.count} {
  const double start = now_ns();
  commit(type_.address());
  commit_ns_ = now_ns() - start;
  MPI_Aint lower, extent, true_lower, true_extent;
  MPI_Type_get_extent(type_, &lower, &extent);
  MPI_Type_get_true_extent(type_, &true_lower, &true_extent);
  const MPI_Aint origin = what.absolute ? -reinterpret_cast<MPI_Aint>(arena.data()) : static_cast<MPI_Aint>(what.start);
  const MPI_Aint first = origin + true_lower, end = first + (count_ - 1) * extent + true_extent;
  if (first < 0 || end > static_cast<MPI_Aint>(arena.room()))
    throw std::length_error(what.name + " does not fit into the arena");
  reach_ = static_cast<Bytes>(end);
  int size;
  MPI_Type_size(type_, &size);
  bytes_ = size * count_;
}

void Job::mpi_pack(std::byte* to) const {
  int position = 0;
  MPI_Pack(buffer_, count_, type_, to, bytes_, &position, MPI_COMM_SELF);
}

void Job::pmpi_pack(std::byte* to) const {
  int position = 0;
  PMPI_Pack(buffer_, count_, type_, to, bytes_, &position, MPI_COMM_SELF);
}

void Job::mpi_unpack(const std::byte* from) const {
  int position = 0;
  MPI_Unpack(from, bytes_, &position, buffer_, count_, type_, MPI_COMM_SELF);
}

void Job::pmpi_unpack(const std::byte* from) const {
  int position = 0;
  PMPI_Unpack(from, bytes_, &position, buffer_, count_, type_, MPI_COMM_SELF);
}

}  // namespace heddle::bench::pack
