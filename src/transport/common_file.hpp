// transport/common_file.hpp: one file for all processes of a machine. The first one makes it and
// says where it is; the others open it under /proc: nobody sends anything to anybody.
//
//   CommonFile file;
//   if (me == 0) file.make(processes, options);
//   ... all hear process 0's file.offer(), if all have the same CommonFile::terms(options) ...
//   file.hear(offer);
//   if (file.offered() && file.open(processes) == 0) ...     // file.descriptor(), file.memory_at(peer)
//
//   file    | assembly | node memory of process 0, table of regions | of process 1 | ... | memory handed out by 0 | by 1 | ...
//
// It takes that they are of one user, one pid namespace and one user namespace, and that the system lets a process look at
// another's descriptors. Whoever cannot open it says so to the others, and each takes a file of its own (node.hpp).
#pragma once

#include <cstdint>
#include <string>

#include "transport/node_options.hpp"
#include "transport/region.hpp"

namespace heddle::transport {

/// What process 0 says of its file, as it travels. All zero: there is none.
struct Offer {
  std::int64_t process = 0;
  std::int64_t descriptor = 0;
  std::uint64_t device = 0;  ///< Which file it is, whatever that number means by then.
  std::uint64_t inode = 0;
  std::int64_t memory = 0;  ///< Of each process, bytes.
  std::int64_t shared = 0;  ///< What each may hand out, bytes.
};

class CommonFile {
 public:
  /// What must be the same for all processes. Empty: the system does not say.
  static std::string terms(const NodeOptions& options);

  /// In process 0. Refused: nothing is offered.
  void make(int processes, const NodeOptions& options) noexcept;
  [[nodiscard]] const Offer& offer() const noexcept { return offer_; }
  /// What process 0 has offered.
  void hear(const Offer& offer) noexcept { offer_ = offer; }
  [[nodiscard]] bool offered() const noexcept { return offer_.process != 0; }
  /// 0 or errno: ESTALE if another file is there.
  int open(int processes) noexcept;

  [[nodiscard]] int descriptor() const noexcept { return file_.get(); }
  [[nodiscard]] Bytes memory() const noexcept { return offer_.memory; }
  [[nodiscard]] Bytes shared() const noexcept { return offer_.shared; }
  /// Where in the file.
  [[nodiscard]] Bytes memory_at(int process) const noexcept;
  [[nodiscard]] Bytes shared_at(int process) const noexcept { return front() + offer_.shared * process; }
  /// What all map at once: all but the memory that is handed out.
  [[nodiscard]] Bytes front() const noexcept { return memory_at(processes_); }

 private:
  Offer offer_;
  int processes_ = 0;
  Descriptor file_;
};

}  // namespace heddle::transport
