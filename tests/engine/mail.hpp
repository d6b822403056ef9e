// The parts that make two threads of a test two ranks of a node. Mail is a host MPI that hands
// descriptors over. Memory is a sender's node memory that both threads see at one address, so
// ThreadSanitizer sees all of it. Field is a buffer, for messages whose every byte is known.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "engine/node/arena.hpp"
#include "engine/node/descriptor.hpp"
#include "layout/grammar.hpp"
#include "layout/layout.hpp"
#include "layout/pack.hpp"

namespace heddle::engine::test {

using layout::Layout;

/// The host MPI: descriptors wait until they are received, in any order (each has a tag of its
/// own).
class Mail {
 public:
  struct Letter {
    Descriptor descriptor;
    std::uint32_t number;  ///< The message's number.
    bool left_open;        ///< The sender is in no call.
  };
  /// @param most  Letters that may wait. A sender waits if there are more.
  explicit Mail(std::size_t most = std::numeric_limits<std::size_t>::max()) : most_(most) {}

  void send(const Letter& letter) {
    std::unique_lock guard(lock_);
    left_.wait(guard, [this] { return letters_.size() < most_; });
    letters_.push_back(letter);
    arrived_.notify_one();
  }
  void close() {
    const std::lock_guard guard(lock_);
    closed_ = true;
    arrived_.notify_all();
  }
  /// Any waiting letter. After close(): nothing.
  std::optional<Letter> receive(std::mt19937& random) {
    std::unique_lock guard(lock_);
    arrived_.wait(guard, [this] { return closed_ || !letters_.empty(); });
    if (letters_.empty()) return std::nullopt;
    const auto which = letters_.begin() + static_cast<std::ptrdiff_t>(random() % std::min<std::size_t>(letters_.size(), 3));
    const Letter letter = *which;
    letters_.erase(which);
    left_.notify_one();
    return letter;
  }
  /// The host cancels a message that is not yet received. Returns whether it could.
  bool cancel(std::uint32_t number) {
    const std::lock_guard guard(lock_);
    return std::erase_if(letters_, [number](const Letter& letter) { return letter.number == number; }) > 0;
  }

 private:
  std::mutex lock_;
  std::condition_variable arrived_;
  std::condition_variable left_;
  std::size_t most_;
  std::deque<Letter> letters_;
  bool closed_ = false;
};

/// Node memory of a sender: plain, zeroed.
class Memory {
 public:
  explicit Memory(Bytes size)
      : size_(size),
        base_(static_cast<std::byte*>(std::aligned_alloc(huge, (static_cast<std::size_t>(size) + huge - 1) / huge * huge))) {
    std::fill_n(base_, size, std::byte{});
  }
  ~Memory() { std::free(base_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  [[nodiscard]] std::byte* base() const { return base_; }
  [[nodiscard]] Bytes size() const { return size_; }

 private:
  static constexpr std::size_t huge = std::size_t{2} << 20;  // memory comes in whole huge pages
  Bytes size_;
  std::byte* base_;
};

/// A datatype × count of 4 · `ints` bytes; `ints` is a multiple of 192.
struct Typed {
  Layout layout;
  Count count = 1;
};
inline constexpr int shapes = 6;
inline Typed typed(int shape, Count ints) {
  const auto n = [](Count value) { return std::to_string(value); };
  switch (shape) {
    case 0:
      return {layout::grammar::parse("int")->layout, ints};
    case 1:
      return {layout::grammar::parse("vector(" + n(ints / 16) + ", 16, 32, int)")->layout};
    case 2:
      return {layout::grammar::parse("vector(" + n(ints / 2) + ", 2, 5, int)")->layout};
    case 3:
      return {layout::grammar::parse("resized(vector(" + n(ints / 64) + ", 1, 64, int), 0, 4)")->layout, 64};
    case 4:
      return {layout::grammar::parse("resized(struct(int @0, 5 int @16), 0, 48)")->layout, ints / 6};
    default:  // 24 ints in blocks of 3, 1, 7, 2, 11
      return {layout::grammar::parse("resized(indexed([3, 1, 7, 2, 11], [0, 5, 7, 16, 20], int), 0, 128)")->layout, ints / 24};
  }
}

/// The packed bytes of message `number`.
inline std::vector<std::byte> message(std::uint32_t number, Bytes bytes) {
  std::vector<std::byte> all(static_cast<std::size_t>(bytes));
  std::uint32_t state = number * 2654435761U + 1;
  for (std::byte& b : all) b = static_cast<std::byte>((state = state * 1664525U + 1013904223U) >> 24);
  return all;
}

/// Memory around a buffer argument.
class Field {
 public:
  explicit Field(const Typed& type)
      : type_(&type),
        bytes_(static_cast<std::size_t>((type.count - 1) * type.layout.extent() + type.layout.true_extent() + 256)) {
    wipe();
  }
  std::byte* base() { return bytes_.data() + 128; }
  void wipe() { std::fill(bytes_.begin(), bytes_.end(), std::byte{0x5a}); }
  void put(const std::vector<std::byte>& packed) { layout::unpack(type_->layout, type_->count, base(), packed.data()); }
  /// The first `moved` bytes of the message are in place, and nothing else is touched.
  [[nodiscard]] bool holds(const std::vector<std::byte>& packed, Bytes moved) const {
    Field expected(*type_);
    layout::unpack_range(type_->layout, type_->count, expected.base(), 0, moved, packed.data());
    return expected.bytes_ == bytes_;
  }

 private:
  const Typed* type_;
  std::vector<std::byte> bytes_;
};

}  // namespace heddle::engine::test
