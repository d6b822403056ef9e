// mpi/types/entry.hpp: the entry of a datatype in the table. It has the facts that Heddle knows of
// the type (engine/node/datatype.hpp), and the form in which the host gets packed elements.
#pragma once

#include <atomic>
#include <limits>
#include <utility>

#include "engine/node/datatype.hpp"
#include "layout/wire_form.hpp"
#include "mpi/types/decode.hpp"
#include "mpi/types/handles.hpp"
#include "threads/reference_count.hpp"
#include "threads/remembered_answers.hpp"

namespace heddle::mpi {

using Wire = layout::WireForm<MPI_Datatype>;

/// An entry is made when a datatype is first used. All types of the same contents share it
/// (content_cache.hpp), and it ends with its last use. Types share three further entries: types
/// before their first use (fresh), types of long lists that had one message (met), and types that
/// Heddle cannot decode (native).
class Entry final : public engine::Datatype, public threads::ReferenceCount<Entry> {
 public:
  enum class State : int { fresh, met, ready, native };

  /// Makes one of the three shared entries.
  /// @param state  fresh, met or native.
  explicit Entry(State state) : state_(state) {}
  /// @param is_vector  The program has made it as one vector of numbers.
  explicit Entry(Decoded found, bool is_vector = false);

  /// The decoded entry of `type`. Null: the type is left to the host.
  Entry* ready(MPI_Datatype type) noexcept {
    return state_ == State::ready ? this : state_ == State::native ? nullptr : look(type, Use::any);
  }
  /// The decoded entry of `type`, for a message. Null, too, if this is the first message of a long
  /// list: the host carries it in less time than Heddle needs to decode the list. The second
  /// message of such a list finds it decoded, by any handle if its contents are remembered
  /// (Contents::longest). A receive that may bring a descriptor calls ready() instead.
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
  /// True: `count` elements in memory, from `first_byte` on, have the wire form already. No copy is
  /// needed.
  [[nodiscard]] bool wire_in_memory(Count count) const { return wire_.in_memory(count); }
  /// The signature has one basic type.
  [[nodiscard]] bool uniform() const { return signature_.uniform(); }
  /// Some of its numbers may be long doubles: 10 of their 16 bytes are a number, and hosts unpack
  /// only those.
  [[nodiscard]] bool has_padded_numbers() const { return signature_.largest >= Bytes{sizeof(long double)}; }

  // The answer of route_of_receive() (mpi/p2p/route.hpp) for the last number of elements that a
  // receive brought straight into the program's buffer. The next receive of as many asks nothing
  // else.

  [[nodiscard]] bool has_landed(Count count) const noexcept { return landed_.load(std::memory_order_relaxed) == count; }
  void note_landing(Count count) const noexcept { landed_.store(count, std::memory_order_relaxed); }

  /// Sends of the type, by kind_of_send() (mpi/p2p/route.hpp), that the host moves better.
  [[nodiscard]] threads::RememberedAnswers& left_to_host() const noexcept { return left_to_host_; }

  /// From the program's memory to the wire form, and back.
  void to_wire(const void* from, Count count, void* wire) const { wire_.pack(layout(), from, count, wire); }
  void from_wire(void* to, Count count, const void* wire) const { wire_.unpack(layout(), to, count, wire); }

 private:
  enum class Use : bool { any, message };
  static Entry* look(MPI_Datatype type, Use use) noexcept;
  State state_;
  mutable std::atomic<Count> landed_{std::numeric_limits<Count>::min()};  // so many elements: nobody asks for them
  mutable threads::RememberedAnswers left_to_host_;
  Signature signature_;
  Wire wire_;
};

}  // namespace heddle::mpi
