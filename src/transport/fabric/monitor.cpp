// transport/fabric/monitor.cpp: a thread that reads userfaultfd's events.
#include "transport/fabric/monitor.hpp"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <limits>

#include "transport/region.hpp"

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

namespace heddle::transport::fabric {

namespace {

bool watch_range(int faults, std::byte* start, layout::Bytes length) noexcept {
  uffdio_register wanted{};
  wanted.range = {reinterpret_cast<std::uint64_t>(start), static_cast<std::uint64_t>(length)};
  wanted.mode = UFFDIO_REGISTER_MODE_WP;  // no page is ever write-protected, so no fault comes
  return ioctl(faults, UFFDIO_REGISTER, &wanted) == 0;
}

/// Tries it with a page of its own.
bool can_watch(int faults) noexcept {
  const auto length = static_cast<std::size_t>(page_size());
  void* const page = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return false;
  const bool can = watch_range(faults, static_cast<std::byte*>(page), page_size());
  const int error = errno;
  uffdio_range range{reinterpret_cast<std::uint64_t>(page), length};
  if (can) ioctl(faults, UFFDIO_UNREGISTER, &range);  // or else the end of the page is an event, for which munmap waits
  munmap(page, length);
  errno = error;
  return can;
}

}  // namespace

std::unique_ptr<Monitor> Monitor::start(std::string& why) {
  // Faults of user mode need no privilege. Heddle uses only the events, no faults.
  const int faults = static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY));
  if (faults < 0) {
    why = std::string("userfaultfd is not to be had (") + std::strerror(errno) + ")";
    return nullptr;
  }
  uffdio_api api{};
  api.api = UFFD_API;
  api.features = UFFD_FEATURE_EVENT_UNMAP | UFFD_FEATURE_EVENT_REMOVE | UFFD_FEATURE_EVENT_REMAP;
  const int stop = eventfd(0, EFD_CLOEXEC);
  if (ioctl(faults, UFFDIO_API, &api) != 0 || stop < 0) {
    why = std::string("userfaultfd tells nothing about unmapped memory (") + std::strerror(errno) + ")";
    close(faults);
    if (stop >= 0) close(stop);
    return nullptr;
  }
  if (!can_watch(faults)) {  // some processors and older kernels have no such watching
    why = std::string("userfaultfd does not watch memory of this system (") + std::strerror(errno) + ")";
    close(faults);
    close(stop);
    return nullptr;
  }
  // The thread must not take the program's signals.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::unique_ptr<Monitor> monitor(new Monitor(faults, stop));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return monitor;
}

Monitor::~Monitor() {
  const std::uint64_t one = 1;
  if (write(stop_, &one, sizeof one) < 0) {
  }
  thread_.join();
  close(faults_);  // this ends all watching
  close(stop_);
}

bool Monitor::watch(std::byte* start, layout::Bytes length) noexcept { return watch_range(faults_, start, length); }

void Monitor::unwatch(std::byte* start, layout::Bytes length) noexcept {
  uffdio_range range{reinterpret_cast<std::uint64_t>(start), static_cast<std::uint64_t>(length)};
  ioctl(faults_, UFFDIO_UNREGISTER, &range);
}

void Monitor::note(Range range) noexcept {
  if (heard_.count < heard_.ranges.size()) {
    heard_.ranges[heard_.count++] = range;
    return;
  }
  // The list is full: the last entry grows, and covers the gap, too.
  Range& wide = heard_.ranges.back();
  std::byte* const end = std::max(wide.start + wide.length, range.start + range.length);
  wide.start = std::min(wide.start, range.start);
  wide.length = end - wide.start;
}

void Monitor::listen() noexcept {
  pollfd wanted[2] = {{faults_, POLLIN, 0}, {stop_, POLLIN, 0}};
  for (;;) {
    if (poll(wanted, 2, -1) < 0 && errno != EINTR) return;
    if (wanted[1].revents != 0) return;
    // The read lets the program continue. This thread holds the lock by then, so gone() waits until
    // the range is noted.
    const std::scoped_lock hold(lock_);
    uffd_msg message{};
    while (read(faults_, &message, sizeof message) == static_cast<ssize_t>(sizeof message)) {
      const auto at = [](std::uint64_t address) { return reinterpret_cast<std::byte*>(address); };
      if (message.event == UFFD_EVENT_UNMAP || message.event == UFFD_EVENT_REMOVE)
        note({at(message.arg.remove.start), static_cast<layout::Bytes>(message.arg.remove.end - message.arg.remove.start)});
      else if (message.event == UFFD_EVENT_REMAP)
        note({at(message.arg.remap.from), static_cast<layout::Bytes>(message.arg.remap.len)});
    }
  }
}

}  // namespace heddle::transport::fabric
