// mpi/collectives/sides.hpp: one side of a collective call, as the host gets it: Side, whose blocks are all alike, Blocks, each
// with its own count and place, and Plain, which needs no copy. Includes registry.hpp, threads/.
//
//   Side in("gather");
//   if (!in.prepare(receive, ranks)) return {};                // what the program gave
//   PMPI_Gather(..., in.address(), in.count(), in.type(), ...);
//   in.store_but(me);                                          // from the staging buffer to where the program wants it
//
//   Blocks in("gather");
//   if (!in.prepare(receive, ranks)) return {};
//   const bool wide = in.wide_counts() || in.wide_places();
//   in.narrow_unless(wide, false);                             // int arrays for PMPI_X, large ones for PMPI_X_c
//   PMPI_Gatherv(..., in.address(), in.counts(), in.displacements(), in.type(), ...);
//   in.store_but(me);
//
// Every derived type gets the wire form of its signature (types/entry.hpp), also one without holes: then nothing is copied,
// but the host is told the basic type all the same. Anything else is passed on as it came.
#pragma once

#include "mpi/communicators/known.hpp"
#include "mpi/types/arguments.hpp"
#include "mpi/types/registry.hpp"
#include "report/tally.hpp"
#include "threads/pool.hpp"

namespace heddle::mpi {

/// `count` elements for each rank, one after the other.
class Side {
 public:
  /// @param call  What the report calls it.
  explicit Side(const char* call) noexcept : tally_(call) {}

  /// @param significant  Whether MPI lets us read the arguments at all (at this rank, in this call).
  /// False: a negative count, no memory: the host's business.
  [[nodiscard]] bool prepare(const Buffer& data, Count blocks, bool significant = true) noexcept;
  [[nodiscard]] bool ours() const { return static_cast<bool>(type_); }

  /// What the host gets. The count is that of one rank's block.
  [[nodiscard]] void* address() const { return address_; }
  [[nodiscard]] Number count() const { return {count_}; }
  [[nodiscard]] MPI_Datatype type() const { return element_; }
  [[nodiscard]] bool wide_counts() const { return !fits(count_); }
  [[nodiscard]] static bool wide_places() { return false; }
  void narrow_unless(bool /*wide*/, bool /*wide_places*/) {}
  /// Where there are no elements: another type, of which there are none.
  void name(MPI_Datatype element) { element_ = element; }

  /// A block from the program's buffer to the staging buffer; all but one, or all (-1).
  void load(Count block) { load(block, 1); }
  void load_but(Count block) {
    load(0, block < 0 ? blocks_ : block);
    if (block >= 0) load(block + 1, blocks_ - block - 1);
  }
  /// And back. Never touches a hole.
  void store(Count block) { store(block, 1); }
  void store_but(Count block) {
    store(0, block < 0 ? blocks_ : block);
    if (block >= 0) store(block + 1, blocks_ - block - 1);
  }

  /// Moves a block that a rank sends to itself from the program's buffer to the program's buffer, in one pass. The host then
  /// copies whatever lies in the staging buffers: a block of it that is neither loaded nor stored. False, and nothing done: not
  /// both sides have a staging buffer, or the blocks differ in size.
  friend bool move_own_block(const Side& out, Count out_block, const Side& in, Count in_block) noexcept;

 private:
  void load(Count first, Count blocks);
  void store(Count first, Count blocks);
  [[nodiscard]] std::byte* theirs(Count block) const {
    return static_cast<std::byte*>(const_cast<void*>(data_.address)) + block * data_.count * type_->extent();
  }
  [[nodiscard]] std::byte* packed(Count block) const { return staging_.data() + block * count_ * type_->wire().extent; }

  Buffer data_{};
  Count blocks_ = 0;
  Derived type_;
  Count count_ = 0;
  void* address_ = nullptr;
  MPI_Datatype element_{};
  bool staged_ = false;
  threads::StagingBuffer staging_;
  report::Tally tally_;  // gone before the type is
};

/// A block for each rank, each with its own count and place, and in the w procedures its own type. The staging buffer holds the
/// blocks one after the other in rank order, whatever the program's displacements.
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

/// The side of an argument: Buffer, VArgument or WArgument.
template <class Given>
using SideOf = std::conditional_t<std::is_same_v<Given, Buffer>, Side, Blocks>;

/// A buffer argument in other words, if that takes no copy: predefined types as they are, derived ones without holes as the
/// basic type they are made of. Saves a call without holes all that follows. Arguments that MPI does not let us read may go
/// through here all the same: nothing is read but the handle, and what comes out is ignored as what went in. Within
/// MPI_COMM_WORLD only (peers.hpp).
class Plain {
 public:
  Plain(const Buffer& data, MPI_Comm comm) : data_(data) {
    Entry* entry = table.find(data.type);
    if (!entry) return;
    if (!entry->ready(data.type)) return;
    const Wire& wire = entry->wire();
    plain_ = !communicators::reaches_beyond(comm) && entry->wire_in_memory(2) && data.count >= 0 &&
             !__builtin_mul_overflow(data.count, wire.per, &data_.count) && fits(data_.count);
    if (!plain_) return;
    data_.type = wire.element;
    if (data.address != MPI_IN_PLACE) data_.address = static_cast<const std::byte*>(data.address) + entry->first_byte();
  }
  explicit operator bool() const { return plain_ && fits(data_.count); }
  [[nodiscard]] void* address() const { return const_cast<void*>(data_.address); }
  [[nodiscard]] Number count() const { return {data_.count}; }
  [[nodiscard]] MPI_Datatype type() const { return data_.type; }

 private:
  Buffer data_;
  bool plain_ = true;
};

// MPICH refuses a call that sends and receives the very same elements; packed, it would not notice. So it gets them as they
// are. The same buffer with different types or displacements is allowed (a halo exchange within one array).
inline bool same_elements(const Buffer& a, const Buffer& b) {
  return a.address == b.address && a.address != MPI_BOTTOM && a.type == b.type && a.count != 0 && b.count != 0;
}
inline bool same_elements(const Buffer& a, const VArgument& b) { return same_elements(a, Buffer{b.address, 1, b.type}); }
inline bool same_elements(const VArgument& a, const Buffer& b) { return same_elements(b, a); }
inline bool same_elements(const VArgument& a, const VArgument& b) {
  return same_elements(Buffer{a.address, 1, a.type}, b) && a.counts.array() == b.counts.array();
}
inline bool same_elements(const WArgument& a, const WArgument& b) {
  return a.address == b.address && a.address != MPI_BOTTOM && a.types == b.types && a.counts.array() == b.counts.array();
}

/// A call whose sides both are Plain: the host's, in those words. Nothing: it is not.
template <class Sent, class Received, class Hand>
Done hand_plain(const Sent& send, const Received& receive, MPI_Comm comm, Hand hand) {
  if constexpr (std::is_same_v<Sent, Buffer> && std::is_same_v<Received, Buffer>) {
    const struct {
      Plain out, in;
      bool wide = false;
    } plain{Plain(send, comm), Plain(receive, comm)};
    if (plain.out && plain.in && !same_elements(send, receive)) return hand(plain);
  }
  return {};
}

}  // namespace heddle::mpi
