// bench/study/problem.hpp: a code's two fields of one rank, its steps, and a checksum of its state.
//
//   Problem<Life> life{grid, 512};
//   life.start();
//   exchange into life.now(), then life.compute();       // the next state is now()
//   life.checksum()                                      // of the inner cells, every bit counts
#pragma once

#include <algorithm>
#include <cstring>

#include "common/memory.hpp"
#include "study/codes.hpp"

namespace heddle::bench::study {

template <class Code>
class Problem {
 public:
  using Cell = typename Code::Cell;

  Problem(const Grid& grid, int side)
      : grid_{grid}, shape_{side, Code::halo}, fields_{Memory{bytes(), Origin::malloc}, Memory{bytes(), Origin::malloc}} {}

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] Cell* field(int which) const { return fields_[which].template as<Cell>(); }
  /// The field that holds the state: 0 or 1.
  [[nodiscard]] int now() const { return now_; }

  /// The first state, in field 0. Both halos are wiped.
  void start() {
    now_ = 0;
    for (const Memory& field : fields_) std::memset(field.data(), 0, field.size());
    const int left = grid_.column() * shape_.side, top = grid_.row() * shape_.side;
    for (int y = 0; y < shape_.side; ++y)
      for (int x = 0; x < shape_.side; ++x)
        row(y)[x] = Code::first(scattered(static_cast<std::uint32_t>(left + x), static_cast<std::uint32_t>(top + y)));
  }
  void compute() {
    Code::step(field(now_), field(1 - now_), shape_);
    now_ = 1 - now_;
  }

  /// FNV-1a of 8 bytes at a time; the last of a row are filled up with zeros.
  [[nodiscard]] std::uint64_t checksum() const {
    std::uint64_t sum = 0xcbf29ce484222325;
    const std::size_t length = static_cast<std::size_t>(shape_.side) * sizeof(Cell);
    for (int y = 0; y < shape_.side; ++y) {
      const auto* bytes = reinterpret_cast<const std::byte*>(row(y));
      for (std::size_t at = 0; at < length; at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes + at, std::min(sizeof word, length - at));
        sum = (sum ^ word) * 0x100000001b3;
      }
    }
    return sum;
  }

 private:
  [[nodiscard]] std::size_t bytes() const {
    return static_cast<std::size_t>(shape_.pitch()) * static_cast<std::size_t>(shape_.pitch()) * sizeof(Cell);
  }
  [[nodiscard]] Cell* row(int y) const {
    return field(now_) + static_cast<std::ptrdiff_t>(y + Code::halo) * shape_.pitch() + Code::halo;
  }

  const Grid& grid_;
  Shape shape_;
  Memory fields_[2];
  int now_ = 0;
};

}  // namespace heddle::bench::study
