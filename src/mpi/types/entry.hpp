// mpi/types/entry.hpp: a datatype of the program, by its handle: what Heddle knows of it (engine/datatype.hpp), and the form in
// which its packed elements are handed to the host. Includes decode.hpp, engine/datatype.hpp, layout/wire_form.hpp.
#pragma once

#include <atomic>

#include "engine/datatype.hpp"
#include "layout/wire_form.hpp"
#include "mpi/types/decode.hpp"
#include "mpi/types/handles.hpp"

namespace heddle::mpi {

using Wire = layout::WireForm<MPI_Datatype>;

/// Made when a datatype is committed, decoded when it is first used, shared by its duplicates, gone with the last of them.
class Entry final : public engine::Datatype {
 public:
  enum class State : int { fresh, ready, native };

  Entry() = default;

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

  // Only while ready(), as all of engine::Datatype:
  [[nodiscard]] Decoded decoded() const { return {layout(), signature_}; }
  [[nodiscard]] const Wire& wire() const { return wire_; }
  /// `count` elements in memory are what the wire wants already: from `first_byte` on, no copy.
  [[nodiscard]] bool wire_in_memory(Count count) const { return wire_.in_memory(count); }
  /// Some of its numbers may be long doubles: 10 of their 16 bytes are a number, and hosts unpack only those.
  [[nodiscard]] bool has_padded_numbers() const { return signature_.largest >= Bytes{sizeof(long double)}; }

  /// From the program's memory to the wire form, and back.
  void to_wire(const void* from, Count count, void* wire) const { wire_.pack(layout(), from, count, wire); }
  void from_wire(void* to, Count count, const void* wire) const { wire_.unpack(layout(), to, count, wire); }

 private:
  bool prepare(MPI_Datatype type) noexcept;
  mutable std::atomic<int> uses_{1};
  std::atomic<State> state_{State::fresh};
  Signature signature_;
  Wire wire_;
};

}  // namespace heddle::mpi
