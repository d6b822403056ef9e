// mpi/collectives/blocks.hpp: one side of a v or w collective: a block for each rank, each with its own count and place, and in
// the w procedures its own type. Includes registry.hpp, threads/.
//
//   Blocks in("gather");
//   if (!in.prepare(receive, ranks)) return {};
//   const bool wide = in.wide_counts() || in.wide_places();
//   in.narrow_unless(wide, false);                             // int arrays for PMPI_X, large ones for PMPI_X_c
//   PMPI_Gatherv(..., in.address(), in.counts(), in.displacements(), in.type(), ...);
//   in.store_but(me);
//
// The staging buffer holds the blocks one after the other in rank order, whatever the program's displacements.
#pragma once

#include "mpi/types/arguments.hpp"
#include "mpi/types/registry.hpp"
#include "report/tally.hpp"
#include "threads/pool.hpp"

namespace heddle::mpi {

class Blocks {
 public:
  /// @param call  What the report calls it.
  explicit Blocks(const char* call) noexcept : tally_(call) {}
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;
  ~Blocks();

  /// False: negative counts, no arrays, no memory, numbers beyond 64 bits, a type of unknown contents: the host's business.
  [[nodiscard]] bool prepare(const VArgument& data, int ranks, bool significant = true) noexcept;
  [[nodiscard]] bool prepare(const WArgument& data, int ranks, bool significant = true) noexcept;

  [[nodiscard]] bool ours() const { return ours_; }
  [[nodiscard]] bool wide_counts() const { return !counts_.fit(); }
  [[nodiscard]] bool wide_places() const { return !displacements_.fit(); }
  /// To int arrays for PMPI_X; those of PMPI_X_c are large.
  void narrow_unless(bool wide, bool wide_places) {
    if (!wide) counts_.narrow();
    if (!wide && !wide_places) displacements_.narrow();
  }

  /// What the host gets.
  [[nodiscard]] void* address() const { return address_; }
  [[nodiscard]] const Handed& counts() const { return counts_; }
  [[nodiscard]] const Handed& displacements() const { return displacements_; }
  [[nodiscard]] MPI_Datatype type() const { return element_; }
  [[nodiscard]] const MPI_Datatype* types() const { return elements_; }

  void load(int rank);
  void store(int rank);
  /// All but one, or all (-1).
  void load_but(int rank);
  void store_but(int rank);

  /// Moves this rank's block to itself from `out` to `in` in one pass, and leaves it out of what the host gets: two copies
  /// saved. Nobody else is concerned. Only before narrowing. False, and nothing done: the two blocks differ in size. On one
  /// rank nothing is left for the host, which is as well: there Open MPI 5.0.11 takes MPI_Alltoallw's displacements for
  /// extents.
  friend bool move_own_block(Blocks& out, int out_block, Blocks& in, int in_block);

 private:
  struct Block {
    const Entry* type;  // null: nothing to move
    Count items;
    Bytes theirs;  // from the program's address
    Bytes packed;  // from the start of the staging buffer
  };

  /// A block where the program has it; the caller releases `type`.
  struct Own {
    const Entry* type = nullptr;
    Count items = 0;
    std::byte* address = nullptr;
  };
  [[nodiscard]] Own own(int rank) const noexcept;

  bool make_arrays(int ranks, bool types) noexcept;

  void* user_ = nullptr;
  void* address_ = nullptr;
  int ranks_ = 0;
  bool ours_ = false;
  bool staged_ = false;
  MPI_Datatype element_{};
  MPI_Datatype their_type_{};  // v
  Derived type_;               // v: the one type
  Block* blocks_ = nullptr;    // staged_ or w
  bool holds_types_ = false;   // w: each block holds its type
  MPI_Datatype* elements_ = nullptr;
  Handed counts_, displacements_;
  threads::StagingBuffer arrays_, staging_;
  report::Tally tally_;
};

}  // namespace heddle::mpi
