// engine/desk.hpp: private memory in which a message is worked on. May include: layout/bytes.hpp.
//
//   if (Desk* desk = desks.take()) ... desks.give(desk);
#pragma once

#include <sys/uio.h>

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "layout/bytes.hpp"

namespace heddle::engine {

/// Not on the stack: programs may send and receive in fibres that have little of it.
struct Desk {
  static constexpr layout::Bytes stage_bytes = 16 << 10;  // stays in the first-level cache between packing and unpacking
  static constexpr std::size_t most_entries = 1024;       // of one process_vm_readv, on each side
  /// So much of a transpose is packed or put in place at once: whole lines then, several times as fast as by segments.
  static constexpr layout::Bytes shelf_bytes = 256 << 10;

  using Entries = std::array<iovec, most_entries>;
  alignas(64) std::array<std::byte, stage_bytes> stage;
  Entries far, near;
  alignas(64) std::array<std::byte, shelf_bytes> shelf;
};

/// Desks are kept between messages: as many as there have been threads that needed one at once. Safe for several threads.
class Desks {
 public:
  /// Null: no memory.
  [[nodiscard]] Desk* take() noexcept;
  void give(Desk* desk) noexcept;

 private:
  std::mutex lock_;
  std::vector<std::unique_ptr<Desk>> all_;
  std::vector<Desk*> free_;
};

}  // namespace heddle::engine
