// engine/node/scratch_buffers.hpp: private memory in which a message is worked on.
//
//   if (ScratchBuffers* scratch = scratch_pool.take()) ... scratch_pool.give(scratch);
#pragma once

#include <sys/uio.h>

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "layout/bytes.hpp"

namespace heddle::engine {

/// Not on the stack, because programs may send and receive in fibres with small stacks.
struct ScratchBuffers {
  static constexpr layout::Bytes stage_bytes = 16 << 10;  // stays in the first-level cache between packing and unpacking
  static constexpr std::size_t most_entries = 1024;       // iovecs of one process_vm_readv, on each side
  /// So many bytes of a transpose are packed or put in place at once. Then whole lines are written,
  /// which is several times as fast as segment by segment.
  static constexpr layout::Bytes portion_bytes = 256 << 10;

  using Entries = std::array<iovec, most_entries>;
  alignas(64) std::array<std::byte, stage_bytes> stage;
  Entries far, near;
  alignas(64) std::array<std::byte, portion_bytes> portion_buffer;
};

/// ScratchPool are kept between messages, as many as threads have needed at once. Safe for several
/// threads.
class ScratchPool {
 public:
  /// Null: no memory.
  [[nodiscard]] ScratchBuffers* take() noexcept;
  void give(ScratchBuffers* scratch) noexcept;

 private:
  std::mutex lock_;
  std::vector<std::unique_ptr<ScratchBuffers>> all_;
  std::vector<ScratchBuffers*> free_;
};

}  // namespace heddle::engine
