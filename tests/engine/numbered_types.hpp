// Types are numbers in tests of sparse exchanges. Type n has n bytes without holes. Type 100 + n
// has n bytes and a hole of n bytes behind them. Type 0 is refused.
#pragma once

#include <cstddef>
#include <cstring>

#include "layout/bytes.hpp"

namespace heddle::engine::test {

/// A type as engine/collective/departures.hpp and engine/collective/sparse_program.hpp need it. The
/// communicator is a number, too: the error that the library returns when it packs or unpacks.
class NumberedType {
 public:
  struct Measures {
    layout::Bytes size = 0, extent = 0;
  };
  int look(int type) {
    type_ = type;
    const int size = type > 100 ? type - 100 : type;
    measures_ = {size, type > 100 ? 2 * size : size};
    return type > 0 ? 0 : 7;
  }
  [[nodiscard]] int type() const { return type_; }
  [[nodiscard]] const Measures& measures() const { return measures_; }
  [[nodiscard]] std::byte* dense(const void* address, layout::Count count) const {
    return measures_.size == measures_.extent || count <= 1 ? static_cast<std::byte*>(const_cast<void*>(address)) : nullptr;
  }
  int pack(const void* address, layout::Count count, std::byte* to, int error) const {
    for (layout::Count i = 0; i < count; ++i)
      std::memcpy(to + i * measures_.size, static_cast<const std::byte*>(address) + i * measures_.extent,
                  static_cast<std::size_t>(measures_.size));
    return error;
  }
  int unpack(const std::byte* from, void* address, layout::Count count, int error) const {
    for (layout::Count i = 0; i < count; ++i)
      std::memcpy(static_cast<std::byte*>(address) + i * measures_.extent, from + i * measures_.size,
                  static_cast<std::size_t>(measures_.size));
    return error;
  }

 private:
  int type_ = -1;
  Measures measures_;
};

}  // namespace heddle::engine::test
