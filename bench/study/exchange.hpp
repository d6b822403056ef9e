// bench/study/exchange.hpp: the exchange of a halo by one kind of call, with datatypes or packed by
// hand. Includes MPI, common/datatype.hpp.
//
//   Exchange<Jacobi> exchange{grid, shape, field, Call::messages, Means::datatypes};
//   exchange.run();                                        // ordinary MPI calls: Heddle carries them if it is preloaded
//
// Rows that lie in one piece are not packed: the call by hand sends and receives them in the field.
// Neighbour collectives and windows are the exceptions: MPI_Neighbor_alltoallv takes all blocks
// from one buffer, and a window has one memory.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "common/datatype.hpp"
#include "study/grid.hpp"

namespace heddle::bench::study {

enum class Call {
  messages,    ///< MPI_Irecv, MPI_Isend, MPI_Waitall.
  neighbour,   ///< MPI_Neighbor_alltoallw of datatypes; MPI_Neighbor_alltoallv of packed blocks.
  persistent,  ///< MPI_Recv_init and MPI_Send_init once, then MPI_Startall and MPI_Waitall.
  puts         ///< MPI_Put into the neighbours' fields, or into their staging buffers, between two MPI_Win_fence.
};
enum class Means { by_hand, datatypes };

/// Cells as elements of a predefined type, so many in each.
template <class Cell>
struct Element {
  static MPI_Datatype type() {
    return std::is_same_v<Cell, double> ? MPI_DOUBLE : std::is_same_v<Cell, std::uint8_t> ? MPI_BYTE : MPI_FLOAT;
  }
  static constexpr int of_a_cell = sizeof(Cell) == 12 ? 3 : 1;
};

template <class Code>
class Exchange {
  using Cell = typename Code::Cell;

 public:
  Exchange(const Grid& grid, const Shape& shape, Cell* field, Call call, Means means)
      : grid_{grid}, shape_{shape}, field_{field}, call_{call}, means_{means} {
    for (const std::vector<Side>& sides : phases(shape, Code::corners)) phases_.push_back(phase(sides));
    for (Phase& each : phases_) {
      if (call == Call::persistent) keep(each);
      if (call == Call::neighbour) connect(each);
      if (call == Call::puts) expose(each);
    }
  }
  ~Exchange() {
    for (Phase& phase : phases_) {
      if (call_ == Call::persistent)
        for (MPI_Request& request : phase.requests) MPI_Request_free(&request);
      if (phase.comm != MPI_COMM_NULL) MPI_Comm_free(&phase.comm);
      if (phase.window != MPI_WIN_NULL) MPI_Win_free(&phase.window);
    }
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  void run() {
    for (Phase& phase : phases_) {
      if (call_ == Call::messages) send(phase);
      if (call_ == Call::neighbour) collect(phase);
      if (call_ == Call::persistent) restart(phase);
      if (call_ == Call::puts) put(phase);
    }
  }

 private:
  /// The memory of one message, or of one block.
  struct End {
    Region region;
    Cell* at;     ///< A place in the field, or in a staging buffer.
    bool staged;  ///< Packed before the call, or unpacked after it.
    Type type;
    int count;
    int peer, tag;
  };
  struct Phase {
    std::vector<End> out, in;
    std::vector<Cell> staging_out, staging_in;
    std::vector<MPI_Request> requests;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Win window = MPI_WIN_NULL;
    std::vector<int> out_counts, in_counts, out_places, in_places;
    std::vector<MPI_Aint> out_bytes, in_bytes;
    std::vector<MPI_Datatype> out_types, in_types;
  };

  [[nodiscard]] Cell* first_of(const Region& region) const {
    return field_ + static_cast<std::ptrdiff_t>(region.y) * shape_.pitch() + region.x;
  }

  /// Columns by MPI_Type_vector, rows by MPI_Type_create_subarray.
  Type type_of(const Region& region) const {
    constexpr int several = Element<Cell>::of_a_cell;
    const Type cell = several == 1 ? Type{Element<Cell>::type()} : contiguous(several, Element<Cell>::type());
    Type type = region.width == shape_.halo ? vector(region.height, region.width, shape_.pitch(), cell)
                                            : box({region.height, shape_.pitch()}, {region.height, region.width}, {0, 0}, cell);
    MPI_Type_commit(type.address());
    return type;
  }

  Phase phase(const std::vector<Side>& sides) const {
    Phase made;
    std::size_t out = 0, in = 0;
    for (const Side& side : sides) out += size(side.out), in += size(side.in);
    made.staging_out.resize(out);
    made.staging_in.resize(in);
    Cell *next_out = made.staging_out.data(), *next_in = made.staging_in.data();
    for (const Side& side : sides) {
      const int tag = (side.x + 1) * 3 + side.y + 1;
      made.out.push_back(end(side.out, next_out, grid_.neighbour(side.x, side.y), tag));
      made.in.push_back(end(side.in, next_in, grid_.neighbour(-side.x, -side.y), tag));
      next_out += side.out.cells(), next_in += side.in.cells();
    }
    made.requests.resize(2 * sides.size(), MPI_REQUEST_NULL);
    return made;
  }
  static std::size_t size(const Region& region) { return static_cast<std::size_t>(region.cells()); }

  End end(const Region& region, Cell* staging, int peer, int tag) const {
    if (means_ == Means::datatypes) return {region, first_of(region), false, type_of(region), 1, peer, tag};
    const bool staged = call_ == Call::neighbour || call_ == Call::puts || region.height > 1;
    const int count = region.cells() * Element<Cell>::of_a_cell;
    return {region, staged ? staging : first_of(region), staged, Type{Element<Cell>::type()}, count, peer, tag};
  }

  /// Block i goes to the peer of out[i] and comes from the peer of in[i]. Several edges between two
  /// ranks keep their order.
  void connect(Phase& phase) const {
    std::vector<int> to, from;
    for (const End& end : phase.out) {
      to.push_back(end.peer);
      describe(end, phase.staging_out.data(), phase.out_counts, phase.out_places, phase.out_bytes, phase.out_types);
    }
    for (const End& end : phase.in) {
      from.push_back(end.peer);
      describe(end, phase.staging_in.data(), phase.in_counts, phase.in_places, phase.in_bytes, phase.in_types);
    }
    const int degree = static_cast<int>(to.size());
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, from.data(), MPI_UNWEIGHTED, degree, to.data(), MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &phase.comm);
  }
  void describe(const End& end, const Cell* staging, std::vector<int>& counts, std::vector<int>& places,
                std::vector<MPI_Aint>& bytes, std::vector<MPI_Datatype>& types) const {
    counts.push_back(end.count);
    types.push_back(end.type);
    if (end.staged)
      places.push_back(static_cast<int>(end.at - staging) * Element<Cell>::of_a_cell);
    else
      bytes.push_back((end.at - field_) * static_cast<MPI_Aint>(sizeof(Cell)));
  }

  void keep(Phase& phase) const {
    MPI_Request* request = phase.requests.data();
    for (const End& end : phase.in) MPI_Recv_init(end.at, end.count, end.type, end.peer, end.tag, MPI_COMM_WORLD, request++);
    for (const End& end : phase.out) MPI_Send_init(end.at, end.count, end.type, end.peer, end.tag, MPI_COMM_WORLD, request++);
  }

  void send(Phase& phase) {
    MPI_Request* request = phase.requests.data();
    for (const End& end : phase.in) MPI_Irecv(end.at, end.count, end.type, end.peer, end.tag, MPI_COMM_WORLD, request++);
    for (const End& end : phase.out) {
      if (end.staged) pack(end);
      MPI_Isend(end.at, end.count, end.type, end.peer, end.tag, MPI_COMM_WORLD, request++);
    }
    MPI_Waitall(static_cast<int>(phase.requests.size()), phase.requests.data(), MPI_STATUSES_IGNORE);
    unpack(phase);
  }

  void collect(Phase& phase) {
    pack(phase);
    if (means_ == Means::datatypes)
      MPI_Neighbor_alltoallw(field_, phase.out_counts.data(), phase.out_bytes.data(), phase.out_types.data(), field_,
                             phase.in_counts.data(), phase.in_bytes.data(), phase.in_types.data(), phase.comm);
    else
      MPI_Neighbor_alltoallv(phase.staging_out.data(), phase.out_counts.data(), phase.out_places.data(), Element<Cell>::type(),
                             phase.staging_in.data(), phase.in_counts.data(), phase.in_places.data(), Element<Cell>::type(),
                             phase.comm);
    unpack(phase);
  }

  void restart(Phase& phase) {
    pack(phase);
    const int count = static_cast<int>(phase.requests.size());
    MPI_Startall(count, phase.requests.data());
    MPI_Waitall(count, phase.requests.data(), MPI_STATUSES_IGNORE);
    unpack(phase);
  }

  /// The first cell of the window's memory.
  [[nodiscard]] Cell* exposed(Phase& phase) const { return means_ == Means::datatypes ? field_ : phase.staging_in.data(); }
  void expose(Phase& phase) const {
    const std::size_t cells = means_ == Means::by_hand
                                  ? phase.staging_in.size()
                                  : static_cast<std::size_t>(shape_.pitch()) * static_cast<std::size_t>(shape_.pitch());
    MPI_Win_create(exposed(phase), static_cast<MPI_Aint>(cells * sizeof(Cell)), sizeof(Cell), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &phase.window);
  }
  /// All ranks have fields of the same shape. So the memory of a block has the same place in each
  /// window.
  void put(Phase& phase) {
    pack(phase);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, phase.window);
    for (std::size_t i = 0; i < phase.out.size(); ++i) {
      const End &from = phase.out[i], &to = phase.in[i];
      MPI_Put(from.at, from.count, from.type, from.peer, to.at - exposed(phase), to.count, to.type, phase.window);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, phase.window);
    unpack(phase);
  }

  void pack(const Phase& phase) const {
    for (const End& end : phase.out)
      if (end.staged) pack(end);
  }
  void unpack(const Phase& phase) const {
    for (const End& end : phase.in)
      if (end.staged) unpack(end);
  }
  void pack(const End& end) const {
    Cell* to = end.at;
    each_row(end.region, [&to](Cell* row, auto width) { to = std::copy_n(row, static_cast<int>(width), to); });
  }
  void unpack(const End& end) const {
    const Cell* from = end.at;
    each_row(end.region, [&from](Cell* row, auto width) {
      std::copy_n(from, static_cast<int>(width), row);
      from += static_cast<int>(width);
    });
  }
  /// The compiler knows the width of a column, as that of a loop written for it.
  template <class Copy>
  void each_row(const Region& region, Copy copy) const {
    Cell* row = first_of(region);
    if (region.width == Code::halo)
      for (int y = 0; y < region.height; ++y, row += shape_.pitch()) copy(row, std::integral_constant<int, Code::halo>{});
    else
      for (int y = 0; y < region.height; ++y, row += shape_.pitch()) copy(row, region.width);
  }

  const Grid& grid_;
  Shape shape_;
  Cell* field_;
  Call call_;
  Means means_;
  std::vector<Phase> phases_;
};

}  // namespace heddle::bench::study
