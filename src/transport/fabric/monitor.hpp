// transport/fabric/monitor.hpp: tells when watched memory is unmapped, so that a registration of it
// is not used for what is mapped there next. By userfaultfd, whose events let the munmap go on only
// when they have been read.
//
//   std::string why;
//   const std::unique_ptr<Monitor> monitor = Monitor::start(why);       // null: the kernel does not allow it
//   monitor->watch(start, length);                                      // whole pages
//   monitor->gone([](Range range) { ... });                             // what has been unmapped, dropped or moved since
//
// One thread. It allocates and frees nothing: that could unmap watched memory, and wait for itself.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "layout/bytes.hpp"

namespace heddle::transport::fabric {

struct Range {
  std::byte* start = nullptr;
  layout::Bytes length = 0;
};

class Monitor {
 public:
  static std::unique_ptr<Monitor> start(std::string& why);
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;
  ~Monitor();

  /// False: this memory cannot be watched (a file's, a device's).
  bool watch(std::byte* start, layout::Bytes length) noexcept;
  void unwatch(std::byte* start, layout::Bytes length) noexcept;

  /// Calls `forget` for what is gone. Whoever has unmapped memory and then asks is told.
  template <class Forget>
  void gone(Forget&& forget) {
    Heard heard;
    {
      const std::scoped_lock hold(lock_);
      if (heard_.count == 0) return;
      heard = heard_;
      heard_.count = 0;
    }
    for (std::size_t i = 0; i < heard.count; ++i) forget(heard.ranges[i]);
  }

 private:
  struct Heard {
    std::size_t count = 0;
    std::array<Range, 64> ranges;
  };
  Monitor(int faults, int stop) : faults_(faults), stop_(stop), thread_([this] { listen(); }) {}
  void listen() noexcept;
  void note(Range range) noexcept;

  int faults_;
  int stop_;
  std::mutex lock_;
  Heard heard_;
  std::thread thread_;
};

}  // namespace heddle::transport::fabric
