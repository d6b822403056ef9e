// threads/held.hpp: a use of an object that counts its uses (counted.hpp). The use ends when the
// Held is destroyed.
//
//   const Held<Communicator> comm(directory.find(handle));       // a new use, unless it is null
//   if (comm && comm->gone()) ...
//   const auto found = Held<Communicator>::taken(new Communicator);    // its first use
#pragma once

#include <utility>

namespace heddle::threads {

template <class Object>
class Held {
 public:
  constexpr Held() noexcept = default;
  /// Adds a use. Null: there is no object.
  explicit Held(Object* object) noexcept : object_(object) {
    if (object_) object_->retain();
  }
  /// Takes over a use of the caller's.
  static Held taken(Object* object) noexcept {
    Held held;
    held.object_ = object;
    return held;
  }
  Held(const Held& other) noexcept : Held(other.object_) {}
  Held(Held&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Held& operator=(Held other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Held() {
    if (object_) object_->release();
  }

  explicit operator bool() const noexcept { return object_ != nullptr; }
  Object* operator->() const noexcept { return object_; }
  [[nodiscard]] Object* get() const noexcept { return object_; }
  friend bool operator==(const Held& one, const Held& other) noexcept { return one.object_ == other.object_; }

 private:
  Object* object_ = nullptr;
};

}  // namespace heddle::threads
