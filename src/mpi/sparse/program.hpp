// mpi/sparse/program.hpp: the program's side of a sparse exchange: what a rank sends, and where what comes is to lie. Includes
// engine/sparse.hpp, heddle/exchange.h, types/element.hpp.
//
//   Program program(arrivals);
//   if (const int wrong = program.read(departures, receive_type, ranks)) return wrong;
//   program.over(shadow->comm());
//   ... an engine::sparse::Exchange ...
//   return program.fill(exchange.arrivals());
#pragma once

#define HEDDLE_INTERPOSER 1

#include <vector>

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
  int read(const heddle_departures& departures, MPI_Datatype receive_type, int ranks);
  /// Where the host packs what Heddle does not know.
  void over(MPI_Comm comm) noexcept { comm_ = comm; }

  [[nodiscard]] std::span<const engine::sparse::Departure> departures() const override { return departures_; }
  void pack(std::size_t departure, std::byte* to) override;
  /// Tells the program who has sent how much, and makes room.
  void lay_out(std::span<const engine::sparse::Arrival> arrivals) override;
  std::byte* place_of(std::size_t arrival) override;

  /// Unpacks what does not lie in its place yet. Returns what was wrong with it, or with the layout: of MPI_ERR_TRUNCATE what
  /// fits is in place all the same.
  int fill(std::span<const engine::sparse::Arrival> arrivals);

 private:
  struct Place {
    const void* address = nullptr;
    Count count = 0;
    std::size_t element = 0;
  };
  [[nodiscard]] bool fits(std::size_t arrival) const;
  [[nodiscard]] void* address(std::size_t arrival) const;

  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<Element> elements_;
  std::vector<engine::sparse::Departure> departures_;
  std::vector<Place> places_;  // of departures that may have to be packed
  Element received_;
  heddle_arrivals& arrivals_;
  int laid_out_ = MPI_ERR_OTHER;  // error class
};

}  // namespace heddle::mpi::sparse
