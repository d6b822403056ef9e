// engine/collective/sparse_program.hpp: the program's side of a sparse exchange, from its
// arguments: the messages that a rank sends, and the places for messages that arrive.
//
//   GivenProgram<MPI_Datatype, Element, Arrivals, MPI_Comm> program({arrivals}, {.truncated = MPI_ERR_TRUNCATE, ...});
//   if (const int error = program.read(departures, receive_type, ranks, errors)) return error;
//   program.over(comm);
//   ... sparse::Exchange(me, ranks, program, direct) ...
//   return program.fill(exchange.arrivals());
//
// The template parameter Element is as in departures.hpp; here it also unpacks. Arrivals keeps the
// program's list of arrived messages, as in heddle/exchange.h. It has make_lists(messages),
// lay_out(measures) and `list`. The list has data, room, sources, counts and places. Errors are
// their codes; 0: none. The tests need the parameters: their datatypes are numbers.
#pragma once

#include "engine/collective/departures.hpp"

namespace heddle::engine::sparse {

template <class Type, class Element, class Arrivals, class Communicator>
class GivenProgram final : public Program {
 public:
  using Sent = Departures<Type, Element>;
  struct Codes {
    int truncated;  ///< The result of lay_out() if the program's own buffer is too small.
    int unknown;    ///< The arrivals are not known yet.
  };

  GivenProgram(const Arrivals& arrivals, Codes codes) noexcept
      : arrivals_(arrivals), truncated_(codes.truncated), laid_out_(codes.unknown) {}

  /// Returns 0, or the error in the arguments. Throws std::bad_alloc.
  int read(const typename Sent::Given& given, Type receive_type, typename Sent::Ranks ranks, typename Sent::Errors errors) {
    if (const int error = received_.look(receive_type); error != 0) return error;
    return departures_.read(given, ranks, errors);
  }
  /// The communicator by which MPI packs and unpacks elements that Heddle does not know.
  void over(Communicator comm) noexcept { comm_ = comm; }

  [[nodiscard]] std::span<const Departure> departures() const override { return departures_.all(); }
  void pack(std::size_t departure, std::byte* to) override {
    if (const int error = departures_.pack(departure, to, comm_); error != 0) throw Failed{error};
  }
  /// Tells the program sources and sizes, and makes room.
  void lay_out(std::span<const Arrival> arrivals) override {
    laid_out_ = arrivals_.make_lists(static_cast<layout::Count>(arrivals.size()));
    if (laid_out_ != 0) return;
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
      writable(arrivals_.list.sources)[i] = arrivals[i].from;
      writable(arrivals_.list.counts)[i] = arrivals[i].bytes;
    }
    laid_out_ = arrivals_.lay_out(received_.measures());
  }
  std::byte* place_of(std::size_t arrival) override {
    return fits(arrival) ? received_.dense(address(arrival), arrivals_.list.counts[arrival]) : nullptr;
  }

  /// Unpacks messages that do not lie in their place yet. Returns the error of that, or of
  /// lay_out(). If the program's buffer is too small, the messages that fit are in place all the
  /// same.
  int fill(std::span<const Arrival> arrivals) {
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
      const Arrival& one = arrivals[i];
      if (one.bytes == 0 || !fits(i) || one.at == place_of(i)) continue;
      if (const int error = received_.unpack(one.at, address(i), arrivals_.list.counts[i], comm_); error != 0) return error;
    }
    return laid_out_;
  }

 private:
  /// The program may only read its lists. Heddle fills them.
  template <class Number>
  static Number* writable(const Number* list) noexcept {
    return const_cast<Number*>(list);
  }
  [[nodiscard]] bool fits(std::size_t arrival) const {
    const auto& list = arrivals_.list;
    return (laid_out_ == 0 || laid_out_ == truncated_) && list.data && list.places[arrival] + list.counts[arrival] <= list.room;
  }
  [[nodiscard]] void* address(std::size_t arrival) const {
    return const_cast<void*>(displaced(arrivals_.list.data, arrivals_.list.places[arrival] * received_.measures().extent));
  }

  Communicator comm_{};
  Sent departures_;
  Element received_;
  Arrivals arrivals_;
  int truncated_;
  int laid_out_;
};

}  // namespace heddle::engine::sparse
