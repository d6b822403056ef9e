// layout/immortal.hpp: an object that a process makes once, at the first use, and never destroys. A
// program may free a communicator or call MPI_Finalize in a destructor of its own. By then, static
// objects of a preloaded library would be destroyed.
//
//   Settings& current() {
//     static Immortal<Settings> settings;
//     return *settings;
//   }
//
// tests/lasting.sh checks that no built room registers a destructor with the C++ run time.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace heddle::layout {

/// A T that is never destroyed.
template <class T>
class Immortal {
 public:
  template <class... Arguments>
  explicit Immortal(Arguments&&... arguments) {
    ::new (static_cast<void*>(place_)) T(std::forward<Arguments>(arguments)...);
  }
  Immortal(const Immortal&) = delete;
  Immortal& operator=(const Immortal&) = delete;

  T& operator*() noexcept { return *std::launder(reinterpret_cast<T*>(place_)); }

 private:
  alignas(T) std::byte place_[sizeof(T)];
};

}  // namespace heddle::layout
