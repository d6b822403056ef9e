// transport/common_file.hpp: one file for all processes of a node. Process 0 makes the file and
// announces its place. The others open it under /proc, so no descriptors are sent.
//
//   CommonFile file;
//   if (me == 0) file.make(processes, options);
//   ... all hear process 0's file.offer(), if all have the same CommonFile::terms(options) ...
//   file.hear(offer);
//   if (file.offered() && file.open(processes) == 0) ...     // file.descriptor(), file.memory_at(peer)
//
//   file    | assembly | node memory of process 0, table of regions | of process 1 | ... | memory handed out by 0 | by 1 | ...
//
// The processes must have the same user, pid namespace and user namespace. The system must let a
// process see another's descriptors. If a process cannot open the file, it tells the others, and
// each process takes a file of its own (join_node.hpp).
#pragma once

#include <cstdint>
#include <string>

#include "transport/node_options.hpp"
#include "transport/region.hpp"

namespace heddle::transport {

/// The description of process 0's file, as it travels. All zero: there is no file.
struct Offer {
  std::int64_t process = 0;
  std::int64_t descriptor = 0;
  std::uint64_t device = 0;  ///< Device and inode name the file even if the descriptor's number has been reused.
  std::uint64_t inode = 0;
  std::int64_t memory = 0;  ///< Node memory of each process, bytes.
  std::int64_t shared = 0;  ///< Memory that each process may hand out, bytes.
};

class CommonFile {
 public:
  /// The facts that must be equal in all processes, as text. Empty: the system does not tell them.
  static std::string terms(const NodeOptions& options);

  /// Makes the file, in process 0. If the system refuses, nothing is offered.
  void make(int processes, const NodeOptions& options) noexcept;
  [[nodiscard]] const Offer& offer() const noexcept { return offer_; }
  /// Takes note of process 0's offer.
  void hear(const Offer& offer) noexcept { offer_ = offer; }
  [[nodiscard]] bool offered() const noexcept { return offer_.process != 0; }
  /// Opens the file. 0 or errno; ESTALE if another file is in its place.
  int open(int processes) noexcept;

  [[nodiscard]] int descriptor() const noexcept { return file_.get(); }
  [[nodiscard]] Bytes memory() const noexcept { return offer_.memory; }
  [[nodiscard]] Bytes shared() const noexcept { return offer_.shared; }
  /// Offsets in the file.
  [[nodiscard]] Bytes memory_at(int process) const noexcept;
  [[nodiscard]] Bytes shared_at(int process) const noexcept { return front() + offer_.shared * process; }
  /// Size of the part that all processes map at once. The memory that is handed out lies behind it.
  [[nodiscard]] Bytes front() const noexcept { return memory_at(processes_); }

 private:
  Offer offer_;
  int processes_ = 0;
  Descriptor file_;
};

}  // namespace heddle::transport
