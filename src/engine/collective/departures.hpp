// engine/collective/departures.hpp: lists the messages that a rank sends in a sparse exchange, from
// the program's arguments.
//
//   Departures<MPI_Datatype, Element> departures;
//   if (const int error = departures.read(given, {.ranks = ranks, .nobody = MPI_PROC_NULL}, errors)) return error;
//   ... sparse::Exchange: departures.all(), departures.pack(i, to, comm) ...
//
// The template parameter Element knows a datatype. It has look(type), type(), measures() with size
// and extent, dense(address, count) and pack(). Errors are Element's codes; 0: none. The tests need
// the parameters: their datatypes are numbers.
#pragma once

#include <vector>

#include "engine/base/arguments.hpp"
#include "engine/collective/sparse_exchange.hpp"

namespace heddle::engine::sparse {

template <class Type, class Element>
class Departures {
 public:
  /// The arguments, as in heddle/exchange.h. Places are in elements. If each message has its own
  /// type, they are in bytes.
  struct Given {
    const void* data;
    int messages;
    const int* to;
    Numbers counts;
    Numbers places;  ///< Null: the messages lie one after the other.
    Type type;
    const Type* types;  ///< One for each message. Null: all have `type`.
  };
  struct Ranks {
    int ranks;
    int nobody;
  };
  struct Errors {
    int argument, rank, count;
  };

  /// Leaves out messages to `nobody`. Throws std::bad_alloc.
  int read(const Given& given, Ranks ranks, Errors errors) {
    const int n = given.messages;
    const bool each = given.types != nullptr;
    const bool placed = given.places.array() != nullptr;
    if (n < 0 || (n > 0 && (!given.to || !given.counts.array() || (each && !placed)))) return errors.argument;
    all_.reserve(static_cast<std::size_t>(n));
    Bytes next = 0;
    for (int i = 0; i < n; ++i) {
      const int to = given.to[i];
      const layout::Count count = given.counts[i];
      if (to != ranks.nobody && (to < 0 || to >= ranks.ranks)) return errors.rank;
      if (count < 0) return errors.count;
      const Type type = each ? given.types[i] : given.type;
      if (elements_.empty() || elements_.back().type() != type)
        if (const int error = elements_.emplace_back().look(type); error != 0) return error;
      const Element& element = elements_.back();
      Bytes place = each ? given.places[i] : next;
      Bytes bytes = 0;
      Bytes reach = 0;
      if (__builtin_mul_overflow(count, element.measures().size, &bytes) ||
          __builtin_mul_overflow(count, element.measures().extent, &reach) || __builtin_add_overflow(next, reach, &next))
        return errors.count;
      if (!each && placed && __builtin_mul_overflow(given.places[i], element.measures().extent, &place)) return errors.argument;
      if (to == ranks.nobody) continue;
      const void* address = displaced(given.data, place);
      all_.push_back({to, bytes, element.dense(address, count)});
      if (all_.back().packed && bytes > 0) continue;
      places_.resize(all_.size());
      places_.back() = {address, count, elements_.size() - 1};
    }
    return 0;
  }

  [[nodiscard]] std::span<const Departure> all() const noexcept { return all_; }

  /// Packs a message whose bytes do not lie packed.
  template <class Communicator>
  int pack(std::size_t departure, std::byte* to, Communicator comm) const {
    const Place& place = places_[departure];
    return elements_[place.element].pack(place.address, place.count, to, comm);
  }

 private:
  struct Place {
    const void* address = nullptr;
    layout::Count count = 0;
    std::size_t element = 0;
  };
  std::vector<Element> elements_;
  std::vector<Departure> all_;
  std::vector<Place> places_;  // of messages that may have to be packed
};

}  // namespace heddle::engine::sparse
