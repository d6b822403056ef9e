// layout/lasting.hpp: what a process has one of, made at the first look and never destroyed: a
// program may free a communicator or call MPI_Finalize in a destructor of its own, long after
// objects of a preloaded library would be gone.
//
//   Settings& current() {
//     static Lasting<Settings> settings;
//     return *settings;
//   }
//
// tests/lasting.cmake holds the built rooms to it: nothing in them registers a destructor with the C++ run time.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace heddle::layout {

/// A T in storage of its own, which nobody destroys.
template <class T>
class Lasting {
 public:
  template <class... Arguments>
  explicit Lasting(Arguments&&... arguments) {
    ::new (static_cast<void*>(place_)) T(std::forward<Arguments>(arguments)...);
  }
  Lasting(const Lasting&) = delete;
  Lasting& operator=(const Lasting&) = delete;

  T& operator*() noexcept { return *std::launder(reinterpret_cast<T*>(place_)); }

 private:
  alignas(T) std::byte place_[sizeof(T)];
};

}  // namespace heddle::layout
