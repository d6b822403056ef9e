// threads/reference_count.hpp: an object that counts its uses. The last release deletes the object.
// In a program of one thread, counting costs almost nothing.
//
//   class Members final : public ReferenceCount<Members> { ... };  // if its destructor is private:
//                                                                  // a friend ReferenceCount<Members>
//   auto* members = new Members;                                   // one use
//   members->retain();
//   members->release();
#pragma once

#include <atomic>

#include "threads/lock.hpp"

namespace heddle::threads {

/// The count is no property of the object, so holders of a const object may change it.
template <class Object>
class ReferenceCount {
 public:
  [[gnu::always_inline]] void retain() const noexcept {
    if (concurrent.load(std::memory_order_relaxed))
      uses_.fetch_add(1, std::memory_order_relaxed);
    else
      uses_.store(uses_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  [[gnu::always_inline]] void release() const noexcept {
    if (is_last()) delete static_cast<const Object*>(this);
  }
  [[nodiscard]] bool is_shared() const noexcept { return uses_.load(std::memory_order_relaxed) > 1; }

 protected:
  ReferenceCount() = default;
  ~ReferenceCount() = default;

 private:
  [[gnu::always_inline]] bool is_last() const noexcept {
    if (concurrent.load(std::memory_order_relaxed)) return uses_.fetch_sub(1, std::memory_order_acq_rel) == 1;
    const int left = uses_.load(std::memory_order_relaxed) - 1;
    uses_.store(left, std::memory_order_relaxed);
    return left == 0;
  }

  mutable std::atomic<int> uses_{1};
};

}  // namespace heddle::threads
