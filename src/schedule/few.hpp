// schedule/few.hpp: a list of at most `most` items, without the heap.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <type_traits>

namespace heddle::schedule {

template <class T, std::size_t most>
class Few {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  // Items are not initialized before they are pushed. Initializing them would cost more than making
  // a round.
  Few() noexcept {}  // NOLINT(modernize-use-equals-default): = default would be deleted, for Room
  Few(const Few& other) noexcept { *this = other; }
  Few& operator=(const Few& other) noexcept {
    if (this == &other) return *this;
    size_ = 0;
    for (const T& one : other) push(one);
    return *this;
  }
  ~Few() = default;

  void push(const T& one) noexcept {
    assert(size_ < most);
    room_.items[size_++] = one;
  }

  [[nodiscard]] const T* begin() const noexcept { return room_.items.data(); }
  [[nodiscard]] const T* end() const noexcept { return begin() + size_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  const T& operator[](std::size_t i) const noexcept { return room_.items[i]; }

 private:
  union Room {
    Room() noexcept {}  // NOLINT(modernize-use-equals-default)
    std::array<T, most> items;
  };
  Room room_;
  std::size_t size_ = 0;
};

}  // namespace heddle::schedule
