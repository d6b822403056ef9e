// mpi/file/user_memory.hpp: the buffer argument of an access to a file, as a stream of its bytes.
#pragma once

#include "layout/pack.hpp"
#include "mpi/types/registry.hpp"
#include "mpi/types/typed_buffer.hpp"

namespace heddle::mpi {

class UserMemory {
 public:
  /// False: the host gets the call, which may be in error.
  bool look(const Buffer& buffer) {
    count_ = buffer.count;
    base_ = static_cast<std::byte*>(const_cast<void*>(buffer.address));
    if (count_ < 0 || buffer.type == MPI_DATATYPE_NULL) return false;
    if (known(buffer.type)) {
      type_ = Derived(buffer.type);
      if (!type_ || __builtin_mul_overflow(count_, type_->size(), &bytes_)) return false;
      one_piece_ = type_->contiguous(count_);
      first_ = type_->first_byte();
    } else {
      const Predefined found = predefined(buffer.type);
      if (found.pair || found.size <= 0 || !seen_predefined(buffer.type) || __builtin_mul_overflow(count_, found.size, &bytes_))
        return false;
    }
    return base_ || bytes_ == 0;
  }

  [[nodiscard]] layout::Bytes bytes() const { return bytes_; }
  [[nodiscard]] bool in_one_piece() const { return one_piece_; }
  /// Bytes of a piece, if not in_one_piece().
  [[nodiscard]] double mean_block() const {
    const select::Statistics* const found = type_->statistics();
    return found ? found->of(count_).mean_block : static_cast<double>(bytes_);
  }
  [[nodiscard]] const layout::Layout& layout() const { return type_->layout(); }
  /// The address of byte `at`, if in_one_piece().
  [[nodiscard]] std::byte* at(layout::Bytes at) const { return base_ + first_ + at; }
  /// Copies bytes [from, from + length) out of the buffer, or into it, if not in_one_piece().
  void pack(layout::Bytes from, layout::Bytes length, std::byte* out) const {
    layout::pack_range(type_->layout(), count_, base_, from, length, out);
  }
  void unpack(layout::Bytes from, layout::Bytes length, const std::byte* in) const {
    layout::unpack_range(type_->layout(), count_, base_, from, length, in);
  }

 private:
  Derived type_;
  layout::Count count_ = 0;
  std::byte* base_ = nullptr;
  layout::Bytes bytes_ = 0;
  layout::Bytes first_ = 0;
  bool one_piece_ = true;
};

}  // namespace heddle::mpi
