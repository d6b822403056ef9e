// layout/dual_context.hpp: hands out a message in portions. It judges each portion as dense or
// sparse before it touches the data.
//
//   DualContext message{layout, count, base};
//   while (!message.done()) {
//     const Portion portion = message.next(stage, entries);
//     portion.packed ? send(stage, portion.bytes) : send_vector(entries, portion.entries);
//   }
//
//   look  ──────────────▶ 15 blocks ahead: are they long?
//   pack  ─▶ this portion, from where the last one ended
//
// A single context that looks ahead would lose the position for packing, and would search for it
// from the start. That is quadratic in the size of the message. Two contexts over one program never
// search (Balaji et al. 2007, §4.1, figure 9).
#pragma once

#include "layout/cursor.hpp"

namespace heddle::layout {

struct Portion {
  bool packed = false;  ///< True: `bytes` bytes lie in the stage. False: `entries` iovecs describe them in memory.
  Bytes bytes = 0;
  std::size_t entries = 0;
};

class DualContext {
 public:
  /// Blocks of at least this mean length are handed over in place. Shorter blocks are packed. An
  /// iovec entry costs about as much as packing half a kilobyte (process_vm takes 107 to 150 ns for
  /// each remote entry; packing runs at 5 to 10 GB/s).
  static constexpr double dense_from = 512;

  /// Layout and memory must outlive the context.
  DualContext(const Layout& layout, Count count, const void* base, double dense = dense_from, Count blocks = Cursor::look_ahead)
      : look_(layout, count), pack_(layout, count), base_(base), dense_(dense), blocks_(blocks) {}

  [[nodiscard]] bool done() const { return pack_.done(); }
  [[nodiscard]] Bytes tell() const { return pack_.tell(); }

  /// The next portion. A packed portion has at most the stage's size. Other portions have at most
  /// entries.size() pieces, too. Neither span may be empty.
  Portion next(std::span<std::byte> stage, std::span<iovec> entries);

 private:
  Cursor look_;
  Cursor pack_;
  const void* base_;
  double dense_;
  Count blocks_;
};

}  // namespace heddle::layout
