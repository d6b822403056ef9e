// transport/fabric/monitor.hpp: tells when watched memory is unmapped, so that its registration is
// not used for memory that is mapped there next. It uses userfaultfd: a munmap continues only when
// its event has been read.
//
//   std::string why;
//   const std::unique_ptr<Monitor> monitor = Monitor::start(why);       // null: the kernel does not allow it
//   monitor->watch(start, length);                                      // whole pages
//   monitor->gone([](Range range) { ... });                             // ranges unmapped, dropped or moved since
//
// The monitor has one thread. That thread allocates and frees no memory: it could unmap watched
// memory, and would wait for itself.
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

  /// False: this memory cannot be watched (of a file or a device).
  bool watch(std::byte* start, layout::Bytes length) noexcept;
  void unwatch(std::byte* start, layout::Bytes length) noexcept;

  /// Calls `forget` for each range that is gone. A range is in the list as soon as its munmap has
  /// returned.
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
