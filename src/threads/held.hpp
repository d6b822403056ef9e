// threads/held.hpp: a use of something that counts its uses (counted.hpp): it ends with the object.
//
//   const Held<Communicator> comm(directory.find(handle));       // one use more, unless it is null
//   if (comm && comm->gone()) ...
//   const auto found = Held<Communicator>::taken(new Communicator);    // the use that it was made with
#pragma once

#include <utility>

namespace heddle::threads {

template <class Object>
class Held {
 public:
  constexpr Held() noexcept = default;
  /// One use more. Null: of nothing.
  explicit Held(Object* object) noexcept : object_(object) {
    if (object_) object_->retain();
  }
  /// Takes over a use that the caller has.
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
