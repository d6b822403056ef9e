// mpi/file/file_order.hpp: the order of collective accesses among the ranks of a node that have
// opened a file, and their words to each other (engine/file/access_order.hpp). The words lie in the
// shared memory of the node.
//
//   std::unique_ptr<FileOrder> order = FileOrder::agreed(comm, ranks, me, tries);   // null: the ranks share no memory
//   order->tell(mine, all);
//   order->begin(fits) ? PMPI_File_write(...) : PMPI_File_write_all(...);
//   order->end();
//   order->leave();                                       // no rank waits for another one any more
#pragma once

#include <memory>
#include <span>
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

  // Collective: as AccessOrder.
  void tell(const engine::files::AccessTerms& mine, std::span<engine::files::AccessTerms> all) noexcept;
  bool agree(bool is) noexcept;
  bool begin(bool fits) noexcept;
  void end() noexcept { order_.end(); }
  /// Collective, before the destructor: other ranks may still read this rank's words.
  void leave() const noexcept;

 private:
  struct Words;
  /// @param mine  Of node.shared(). The order releases it.
  FileOrder(MpiNode& node, MPI_Comm comm, engine::files::AccessWords& mine, std::vector<const engine::files::AccessWords*> all,
            bool tries) noexcept
      : node_(node), comm_(comm), mine_(&mine), order_(mine, std::move(all), tries, node.crowded()) {}

  MpiNode& node_;
  MPI_Comm comm_;
  engine::files::AccessWords* mine_;
  engine::files::AccessOrder order_;
};

}  // namespace heddle::mpi
