// transport/assembly.hpp: an allgather, and reductions, among processes that share memory. Each
// process writes its part. The last process to arrive wakes the others.
//
//   | processes that have come | meetings over | cells, one for each process | cells of every other meeting |
//
//   Assembly assembly(me, processes, keep_going);
//   if (assembly.map(file) == 0) ...                          // the file's first bytes, zero at first: Assembly::bytes()
//   assembly.gather(&mine, sizeof mine, all.data());          // collective
//   if (assembly.all(done)) ...
//   assembly.reduce(std::span(numbers), [](long one, long other) { return std::min(one, other); });
//
// A waiting process sleeps, and leaves its core to others. With 64 processes on two cores, a gather
// costs each process one context switch.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "transport/region.hpp"

namespace heddle::transport {

class Assembly {
 public:
  /// A waiting process calls this now and then.
  using KeepGoing = void (*)() noexcept;

  static constexpr Bytes cell = 256;
  static constexpr Bytes bytes(int processes) noexcept { return head + 2 * cell * processes; }

  Assembly(int me, int processes, KeepGoing keep_going = nullptr) noexcept
      : me_(me), processes_(processes), keep_going_(keep_going) {}
  /// 0 or errno.
  int map(int file) noexcept;

  /// @param bytes  Size of a part, the same in all processes.
  /// @param all  Receives the parts, ordered by process.
  void gather(const void* mine, std::size_t bytes, void* all) noexcept;
  /// Collective. True if all processes pass true.
  bool all(bool mine) noexcept;
  /// Collective. Combines the numbers of all processes, element by element, with `fold`.
  template <class Number, class Fold>
  void reduce(std::span<Number> numbers, Fold fold) noexcept;

 private:
  static constexpr Bytes head = 128;
  [[nodiscard]] std::atomic<std::uint32_t>& come() const noexcept;
  [[nodiscard]] std::atomic<std::uint32_t>& over() const noexcept;
  [[nodiscard]] std::byte* cell_of(int process) const noexcept;
  void meet() noexcept;

  Mapping memory_;
  int me_;
  int processes_;
  KeepGoing keep_going_;
  std::uint32_t meeting_ = 0;
};

template <class Number, class Fold>
void Assembly::reduce(std::span<Number> numbers, Fold fold) noexcept {
  constexpr std::size_t most = cell / sizeof(Number);
  for (; !numbers.empty(); numbers = numbers.subspan(std::min(most, numbers.size()))) {
    const std::span<Number> part = numbers.first(std::min(most, numbers.size()));
    std::memcpy(cell_of(me_), part.data(), part.size_bytes());
    meet();
    for (int process = 0; process < processes_; ++process)
      for (std::size_t i = 0; i < part.size() && process != me_; ++i) {
        Number theirs;
        std::memcpy(&theirs, cell_of(process) + i * sizeof theirs, sizeof theirs);
        part[i] = fold(part[i], theirs);
      }
    ++meeting_;
  }
}

}  // namespace heddle::transport
