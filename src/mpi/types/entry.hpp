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
/// Until then all handles share one entry (fresh); handles of long lists that had one message share another (met). A third is
/// for types that Heddle cannot decode (native).
class Entry final : public engine::Datatype {
 public:
  enum class State : int { fresh, met, ready, native };

  /// One of the three entries that stand for no contents. @param state  fresh, met or native.
  explicit Entry(State state) : state_(state) {}
  explicit Entry(Decoded found);

  // Counting users is no change of what a datatype is: holders of a const entry may do it.
  void retain() const noexcept { uses_.fetch_add(1, std::memory_order_relaxed); }
  void release() const noexcept {
    if (uses_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  /// The decoded entry of `type`. Null: the host gets the type.
  Entry* ready(MPI_Datatype type) noexcept {
    return state_ == State::ready ? this : state_ == State::native ? nullptr : look(type, Use::any);
  }
  /// The decoded entry of `type`, for a message. Null, too, if this is the first message of a long list: the host carries it in less time than
  /// Heddle needs to decode the list. The second message of such a list, by any handle, finds it decoded.
  Entry* ready_for_message(MPI_Datatype type) noexcept {
    return state_ == State::ready ? this : state_ == State::native ? nullptr : look(type, Use::message);
  }
  /// It is decoded.
  [[nodiscard]] bool known() const noexcept { return state_ == State::ready; }
  [[nodiscard]] bool fresh() const noexcept { return state_ == State::fresh; }
  [[nodiscard]] bool met() const noexcept { return state_ == State::met; }

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
  enum class Use : bool { any, message };
  static Entry* look(MPI_Datatype type, Use use) noexcept;
  mutable std::atomic<int> uses_{1};
  State state_;
  Signature signature_;
  Wire wire_;
};

}  // namespace heddle::mpi
