// engine/file/room.hpp: memory for pieces of files. It is kept from one access to the next, because
// new pages cost as much as a copy.
#pragma once

#include <cstddef>
#include <memory>

#include "layout/bytes.hpp"

namespace heddle::engine::files {

class Room {
 public:
  /// If the room grows, its old content is lost. Throws std::bad_alloc; the room is empty then.
  void reserve(layout::Bytes bytes) {
    if (bytes <= bytes_) return;
    data_.reset();
    bytes_ = 0;
    data_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
    bytes_ = bytes;
  }
  [[nodiscard]] std::byte* data() const { return data_.get(); }

 private:
  std::unique_ptr<std::byte[]> data_;
  layout::Bytes bytes_ = 0;
};

}  // namespace heddle::engine::files
