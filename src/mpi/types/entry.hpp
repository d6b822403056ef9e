// mpi/types/entry.hpp: a datatype of the program, by its handle: what Heddle knows of it (engine/datatype.hpp), and the form in
// which its packed elements are handed to the host. Includes decode.hpp, engine/datatype.hpp, layout/wire_form.hpp.
#pragma once

#include <atomic>
#include <utility>

#include "engine/datatype.hpp"
#include "layout/wire_form.hpp"
#include "mpi/types/decode.hpp"
#include "mpi/types/handles.hpp"

namespace heddle::mpi {

using Wire = layout::WireForm<MPI_Datatype>;

/// Made when a datatype is first used, shared by all types of its contents (content_cache.hpp), gone with the last of them.
/// Before, and of a type that Heddle cannot decode, the handle stands for one of two entries that all such types share.
class Entry final : public engine::Datatype {
 public:
  enum class State : int { fresh, ready, native };

  /// For the two that stand for no contents. @param state  fresh or native.
  explicit Entry(State state) : state_(state) {}
  explicit Entry(Decoded found);

  // Counting users is no change of what a datatype is: holders of a const entry may do it.
  void retain() const noexcept { uses_.fetch_add(1, std::memory_order_relaxed); }
  void release() const noexcept {
    if (uses_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  /// The decoded entry of `type`. Null: the host gets the type.
  Entry* ready(MPI_Datatype type) noexcept {
    return state_ == State::ready ? this : state_ == State::fresh ? look(type) : nullptr;
  }
  /// It is decoded.
  [[nodiscard]] bool known() const noexcept { return state_ == State::ready; }
  [[nodiscard]] bool fresh() const noexcept { return state_ == State::fresh; }

  // Only if known(), as all of engine::Datatype:
  [[nodiscard]] Decoded decoded() const { return {layout(), signature_}; }
  [[nodiscard]] const Wire& wire() const { return wire_; }
  /// `count` elements in memory are what the wire wants already: from `first_byte` on, no copy.
  [[nodiscard]] bool wire_in_memory(Count count) const { return wire_.in_memory(count); }
  /// All of it is of one basic type.
  [[nodiscard]] bool uniform() const { return signature_.uniform(); }
  /// Some of its numbers may be long doubles: 10 of their 16 bytes are a number, and hosts unpack only those.
  [[nodiscard]] bool has_padded_numbers() const { return signature_.largest >= Bytes{sizeof(long double)}; }

  /// From the program's memory to the wire form, and back.
  void to_wire(const void* from, Count count, void* wire) const { wire_.pack(layout(), from, count, wire); }
  void from_wire(void* to, Count count, const void* wire) const { wire_.unpack(layout(), to, count, wire); }

 private:
  static Entry* look(MPI_Datatype type) noexcept;
  mutable std::atomic<int> uses_{1};
  State state_;
  Signature signature_;
  Wire wire_;
};

}  // namespace heddle::mpi
