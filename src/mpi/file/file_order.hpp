// mpi/file/file_order.hpp: the order of collective accesses among the ranks that have opened a file
// (engine/file/access_order.hpp). Its words lie in the shared memory of the node.
//
//   std::unique_ptr<FileOrder> order = FileOrder::agreed(comm, ranks, me, tries);   // null: all accesses are the host's
//   order->begin(fits) ? PMPI_File_write(...) : PMPI_File_write_all(...);
//   order->end();
//   order->leave();                                       // no rank waits for another one any more
#pragma once

#include <memory>
#include <vector>

#include "engine/file/access_order.hpp"
#include "mpi/node/mpi_node.hpp"
#include "mpi/process/host.hpp"

namespace heddle::mpi {

class FileOrder {
 public:
  /// Collective. Null on all ranks: they are not all on one node, or lack memory.
  /// @param tries  See AccessOrder.
  static std::unique_ptr<FileOrder> agreed(MPI_Comm comm, int ranks, int me, bool tries) noexcept;
  ~FileOrder() { node_.shared().release(mine_); }
  FileOrder(const FileOrder&) = delete;
  FileOrder& operator=(const FileOrder&) = delete;

  /// Collective. False on all ranks: the access is the host's. True: this rank may access its piece
  /// now.
  /// @param fits  False: this rank's part is the host's to judge.
  bool begin(bool fits) noexcept;
  void end() noexcept { order_.end(); }
  /// Collective, before the destructor: other ranks may still read this rank's words.
  void leave() const noexcept;

 private:
  struct Words;
  /// @param mine  Of node.shared(). The order releases it.
  FileOrder(MpiNode& node, MPI_Comm comm, engine::files::AccessWords& mine,
            std::vector<const engine::files::AccessWords*> others, bool tries) noexcept
      : node_(node), comm_(comm), mine_(&mine), order_(mine, std::move(others), tries) {}

  MpiNode& node_;
  MPI_Comm comm_;
  engine::files::AccessWords* mine_;
  engine::files::AccessOrder order_;
};

}  // namespace heddle::mpi
