// mpi/types/entry.hpp: what Heddle knows of one datatype of the program. Includes decode.hpp,
// engine/datatype_cache.hpp, select/.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "engine/datatype_cache.hpp"
#include "mpi/types/decode.hpp"
#include "mpi/types/handles.hpp"
#include "select/packing.hpp"
#include "select/side.hpp"

namespace heddle::mpi {

/// How packed elements are handed to the host: `per` elements of a predefined type for each element of the datatype.
struct Wire {
  MPI_Datatype element{};
  Count per = 0;
  Bytes extent = 1;            ///< Of one wire element.
  const Pair* pair = nullptr;  ///< Not null: the wire has the holes of a predefined pair type, packing is a transfer.
  layout::Layout pair_layout;  ///< Of one wire element, if `pair`.
};

/// Made when a datatype is committed, decoded when it is first used, shared by its duplicates, gone with the last of them.
class Entry {
 public:
  enum class State : int { fresh, ready, native };

  Entry() = default;
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;
  ~Entry();

  // Counting users is no change of what a datatype is: holders of a const entry may do it.
  void retain() const noexcept { uses_.fetch_add(1, std::memory_order_relaxed); }
  void release() const noexcept {
    if (uses_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  /// Decodes at the first call; false if the type is to be left to the host.
  bool ready(MPI_Datatype type) noexcept {
    const State now = state_.load(std::memory_order_acquire);
    return now == State::fresh ? prepare(type) : now == State::ready;
  }
  /// Whether it is decoded already.
  [[nodiscard]] bool known() const noexcept { return state_.load(std::memory_order_acquire) == State::ready; }

  // Only while ready():
  [[nodiscard]] const layout::Layout& layout() const { return decoded_.layout; }
  [[nodiscard]] const Decoded& decoded() const { return decoded_; }
  [[nodiscard]] Bytes size() const { return size_; }
  [[nodiscard]] Bytes extent() const { return decoded_.layout.extent(); }
  [[nodiscard]] const Wire& wire() const { return wire_; }
  /// `count` elements in memory are what the wire wants already: from `first_byte` on, no copy.
  [[nodiscard]] bool wire_in_memory(Count count) const { return in_memory_ || (in_memory_once_ && count <= 1); }
  /// `count` elements have no holes and lie in packed order, from `first_byte` on.
  [[nodiscard]] bool contiguous(Count count) const {
    return decoded_.layout.dense() || (count <= 1 && (size_ == 0 || decoded_.layout.node()->contiguous()));
  }
  /// Where the first byte of the packed stream lies, and how many of it lie there in one piece.
  [[nodiscard]] Bytes first_byte() const { return first_byte_; }
  [[nodiscard]] Bytes first_piece() const { return first_piece_; }
  /// Some of its numbers may be long doubles: 10 of their 16 bytes are a number, and hosts unpack only those.
  [[nodiscard]] bool has_padded_numbers() const { return decoded_.signature.largest >= Bytes{sizeof(long double)}; }
  /// Whether packing `count` elements for a point-to-point call pays (select/packing.hpp).
  [[nodiscard]] bool pays_to_pack(Count count) const {
    Bytes bytes = 0;
    return count > 0 && !__builtin_mul_overflow(count, size_, &bytes) && bytes >= packs_from_[count > 1 ? 1 : 0];
  }

  /// Where peers of the node find this layout; listed at the first call.
  [[nodiscard]] engine::Listed listed(engine::DatatypeCache& cache) const noexcept;
  /// By what a scheme is chosen; made at the first call. Null: no memory.
  [[nodiscard]] const select::Statistics* statistics() const noexcept;

  /// From the program's memory to the wire form, and back.
  void to_wire(const void* from, Count count, void* wire) const;
  void from_wire(void* to, Count count, const void* wire) const;

 private:
  bool prepare(MPI_Datatype type) noexcept;
  void choose_wire();
  mutable std::atomic<int> uses_{1};
  std::atomic<State> state_{State::fresh};
  bool in_memory_ = false;
  bool in_memory_once_ = false;
  Bytes packs_from_[2] = {select::never_packed, select::never_packed};  // one element, several
  Bytes size_ = 0;
  Bytes first_byte_ = 0;
  Bytes first_piece_ = 0;
  Decoded decoded_;
  Wire wire_;
  mutable std::atomic<engine::DatatypeCache*> datatype_cache_{nullptr};
  mutable engine::Listed listed_;
  mutable std::atomic<const select::Statistics*> statistics_{nullptr};
};

/// If `type` has an entry that is decoded already: a copy of it (host handles that come out of MPI_Type_get_contents).
bool decoded_before(MPI_Datatype type, Decoded& decoded);

}  // namespace heddle::mpi
