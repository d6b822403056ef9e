// mpi/sparse/program.hpp: the program's side of a sparse exchange: what a rank sends, and where what comes is to lie. Includes
// engine/departures.hpp, engine/sparse.hpp, heddle/exchange.h, types/element.hpp.
//
//   Program program(arrivals);
//   if (const int wrong = program.read(departures, receive_type, ranks)) return wrong;
//   program.over(shadow->comm());
//   ... an engine::sparse::Exchange ...
//   return program.fill(exchange.arrivals());
#pragma once

#define HEDDLE_INTERPOSER 1

#include "engine/departures.hpp"
#include "engine/sparse.hpp"
#include "mpi/types/arguments.hpp"
#include "mpi/types/element.hpp"

#pragma GCC visibility push(default)
#include "heddle/exchange.h"
#pragma GCC visibility pop

namespace heddle::mpi::sparse {

inline void check(int code) {
  if (code != MPI_SUCCESS) throw engine::Failed{code};
}

class Program final : public engine::sparse::Program {
 public:
  explicit Program(heddle_arrivals& arrivals) noexcept : arrivals_(arrivals) {}

  /// MPI_SUCCESS, or what is wrong with the arguments. Throws std::bad_alloc.
  int read(const heddle_departures& given, MPI_Datatype receive_type, int ranks) {
    if (const int error = received_.look(receive_type); error != MPI_SUCCESS) return error;
    return departures_.read({given.data, given.messages, given.to, given.counts, given.places, given.type, given.types},
                            {.ranks = ranks, .nobody = MPI_PROC_NULL},
                            {.argument = MPI_ERR_ARG, .rank = MPI_ERR_RANK, .count = MPI_ERR_COUNT});
  }
  /// Where the host packs what Heddle does not know.
  void over(MPI_Comm comm) noexcept { comm_ = comm; }

  [[nodiscard]] std::span<const engine::sparse::Departure> departures() const override { return departures_.all(); }
  void pack(std::size_t departure, std::byte* to) override { check(departures_.pack(departure, to, comm_)); }
  /// Tells the program who has sent how much, and makes room.
  void lay_out(std::span<const engine::sparse::Arrival> arrivals) override {
    laid_out_ = heddle_arrivals_list(&arrivals_, static_cast<MPI_Count>(arrivals.size()));
    if (laid_out_ != MPI_SUCCESS) return;
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
      const_cast<int*>(arrivals_.sources)[i] = arrivals[i].from;
      const_cast<MPI_Count*>(arrivals_.counts)[i] = arrivals[i].bytes;
    }
    const Element::Measures& one = received_.measures();
    const heddle_element shape{one.size, one.extent, one.first, one.span};
    laid_out_ = heddle_arrivals_lay_out(&arrivals_, &shape);
  }
  std::byte* place_of(std::size_t arrival) override {
    return fits(arrival) ? received_.dense(address(arrival), arrivals_.counts[arrival]) : nullptr;
  }

  /// Unpacks what does not lie in its place yet. Returns what was wrong with it, or with the layout: of MPI_ERR_TRUNCATE what
  /// fits is in place all the same.
  int fill(std::span<const engine::sparse::Arrival> arrivals) {
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
      const engine::sparse::Arrival& one = arrivals[i];
      if (one.bytes == 0 || !fits(i) || one.at == place_of(i)) continue;
      if (const int error = received_.unpack(one.at, address(i), arrivals_.counts[i], comm_); error != MPI_SUCCESS)
        return error;
    }
    return laid_out_;
  }

 private:
  [[nodiscard]] bool fits(std::size_t arrival) const {
    return (laid_out_ == MPI_SUCCESS || laid_out_ == MPI_ERR_TRUNCATE) && arrivals_.data &&
           arrivals_.places[arrival] + arrivals_.counts[arrival] <= arrivals_.room;
  }
  [[nodiscard]] void* address(std::size_t arrival) const {
    return const_cast<void*>(displaced(arrivals_.data, arrivals_.places[arrival] * received_.measures().extent));
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  engine::sparse::Departures<MPI_Datatype, Element> departures_;
  Element received_;
  heddle_arrivals& arrivals_;
  int laid_out_ = MPI_ERR_OTHER;  // error class
};

}  // namespace heddle::mpi::sparse
