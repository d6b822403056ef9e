// threads/reference.hpp: a use of an object that counts its uses (reference_count.hpp). The use
// ends when the Reference is destroyed.
//
//   const Reference<Communicator> comm(directory.find(handle));       // a new use, unless it is null
//   if (comm && comm->gone()) ...
//   const auto found = Reference<Communicator>::taken(new Communicator);    // its first use
#pragma once

#include <utility>

namespace heddle::threads {

template <class Object>
class Reference {
 public:
  constexpr Reference() noexcept = default;
  /// Adds a use. Null: there is no object.
  explicit Reference(Object* object) noexcept : object_(object) {
    if (object_) object_->retain();
  }
  /// Takes over a use of the caller's.
  static Reference taken(Object* object) noexcept {
    Reference held;
    held.object_ = object;
    return held;
  }
  Reference(const Reference& other) noexcept : Reference(other.object_) {}
  Reference(Reference&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Reference& operator=(Reference other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Reference() {
    if (object_) object_->release();
  }

  /// Adds a use. There was none before.
  [[gnu::always_inline]] void fill(Object* object) noexcept {
    object->retain();
    object_ = object;
  }
  /// Ends the use. There is one.
  [[gnu::always_inline]] void end() noexcept { std::exchange(object_, nullptr)->release(); }

  explicit operator bool() const noexcept { return object_ != nullptr; }
  Object* operator->() const noexcept { return object_; }
  [[nodiscard]] Object* get() const noexcept { return object_; }
  friend bool operator==(const Reference& one, const Reference& other) noexcept { return one.object_ == other.object_; }

 private:
  Object* object_ = nullptr;
};

}  // namespace heddle::threads
