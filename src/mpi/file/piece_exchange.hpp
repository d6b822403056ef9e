// mpi/file/piece_exchange.hpp: the ranks exchange the bytes of a collective access, and the owners
// access their pieces of the file, round by round (engine/file/plan.hpp).
//
//   PieceExchange exchange(file, plan, memory, start);
//   bool ready = exchange.prepare(true);             // all ranks agree on this before they go on
//   bool done = exchange.write();                    // all ranks agree on the result
//
// A rank that fails goes on to exchange bytes, because others wait for them.
#pragma once

#include <vector>

#include "mpi/file/file.hpp"
#include "mpi/file/user_memory.hpp"

namespace heddle::mpi {

class PieceExchange {
  using FileRange = engine::files::FileRange;
  using Part = engine::files::Part;
  using Round = engine::files::Round;

 public:
  /// @param memory  This rank's data. @param start  The place of its first byte in the stream of
  /// the rank's view.
  PieceExchange(File& file, const engine::files::Plan& plan, const UserMemory& memory, Bytes start)
      : file_(file), plan_(plan), memory_(memory), start_(start) {}

  /// Gets memory, and opens the second handle if this rank owns pieces. False: this rank cannot
  /// take part.
  bool prepare(bool writes) noexcept;
  /// False: an access of this rank to the file has failed.
  bool write();
  bool read();

 private:
  /// Messages under way, and the parts that the receives bring.
  struct Under {
    std::vector<MPI_Request> requests;
    std::vector<const Part*> parts;  // of the first requests
    std::vector<std::byte*> places;
    void clear();
  };
  [[nodiscard]] const View& view(const Part& part) const { return file_.views()[static_cast<std::size_t>(part.rank)]; }
  bool send(const std::byte* from, const Part& part);
  bool receive(std::byte* to, const Part& part);
  /// Calls each(part, place) for the receives, in the order of their arrival.
  template <class Each>
  bool for_each_arrival(const Each& each);
  bool wait_for_sends();
  /// The address of a part of the user's memory as one piece: there, or packed at `staged`, which
  /// moves on.
  const std::byte* packed(const Part& part, std::byte*& staged) const;
  bool write_round(const Round& round);
  bool read_round(const Round& round);
  bool write_run(const FileRange& run, Bytes begin) const;
  bool read_run(const FileRange& run, Bytes begin) const;

  File& file_;
  const engine::files::Plan& plan_;
  const UserMemory& memory_;
  Bytes start_;
  MPI_File second_ = MPI_FILE_NULL;
  Under under_;
};

}  // namespace heddle::mpi
