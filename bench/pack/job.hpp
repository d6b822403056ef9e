// bench/pack/job.hpp: a case with its committed type, its place in the arena, and the
// compared calls.
#pragma once

#include <memory>

#include "pack/catalogue.hpp"

namespace heddle::bench::pack {

/// Two large buffers, written once so that their pages exist.
class Arena {
 public:
  explicit Arena(Bytes room);
  std::byte* data() const { return data_.get(); }      ///< The place of the typed data.
  std::byte* packed() const { return packed_.get(); }  ///< The place of the packed data.
  Bytes room() const { return room_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  Bytes room_;
  std::unique_ptr<std::byte[], Free> data_, packed_;
};

class Job {
 public:
  using Commit = int (*)(MPI_Datatype*);

  /// Builds and commits the type. Throws std::length_error if it does not fit into the arena.
  Job(const Case& what, const Arena& arena, Commit commit = MPI_Type_commit);

  double commit_ns() const { return commit_ns_; }     ///< Time of the commit.
  Bytes bytes() const { return bytes_; }              ///< Packed bytes.
  std::byte* first() const { return arena_.data(); }  ///< First byte that unpack may write.
  Bytes reach() const { return reach_; }              ///< Number of bytes from there.
  std::byte* packed() const { return arena_.packed(); }

  // The calls. MPI_ calls go through an interposer, PMPI_ calls straight to the host.
  void mpi_pack(std::byte* to) const;
  void pmpi_pack(std::byte* to) const;
  void mpi_unpack(const std::byte* from) const;
  void pmpi_unpack(const std::byte* from) const;

 private:
  const Arena& arena_;
  Type type_;
  void* buffer_;
  int count_, bytes_;
  Bytes reach_;
  double commit_ns_;
};

}  // namespace heddle::bench::pack
