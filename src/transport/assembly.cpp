// transport/assembly.cpp: a futex in shared memory, and two sets of cells that take turns.
#include "transport/assembly.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>

namespace heddle::transport {
namespace {

using Word = std::atomic<std::uint32_t>;
static_assert(sizeof(Word) == sizeof(std::uint32_t) && Word::is_always_lock_free);

/// A process sleeps this long before it makes progress on work that others may be waiting for.
constexpr timespec nap{.tv_sec = 0, .tv_nsec = 2'000'000};

void sleep_while(const Word& word, std::uint32_t is) noexcept {
  if (syscall(SYS_futex, &word, FUTEX_WAIT, is, &nap, nullptr, 0) != 0 && errno != EAGAIN && errno != ETIMEDOUT &&
      errno != EINTR)
    sched_yield();  // the system refuses
}

void wake_all(const Word& word) noexcept { syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0); }

}  // namespace

Word& Assembly::come() const noexcept { return *reinterpret_cast<Word*>(memory_.base()); }
Word& Assembly::over() const noexcept { return *reinterpret_cast<Word*>(memory_.base() + 64); }

/// During a meeting, other processes may still read cells of the meeting before it, but not older
/// ones. So two sets of cells take turns.
std::byte* Assembly::cell_of(int process) const noexcept {
  const Bytes place = (meeting_ % 2 == 0 ? 0 : processes_) + process;
  return memory_.base() + head + place * cell;
}

int Assembly::map(int file) noexcept {
  const Bytes size = round_up(bytes(processes_), page_size());
  if (const int error = memory_.map(file, 0, size, Mapping::Access::write)) return error;
  return populate_owned(memory_.base(), size) ? 0 : ENOMEM;  // touching a page that the system lacks would end the process
}

void Assembly::gather(const void* mine, std::size_t bytes, void* all) noexcept {
  for (std::size_t at = 0; at < bytes; at += cell) {
    const std::size_t part = std::min<std::size_t>(cell, bytes - at);
    std::memcpy(cell_of(me_), static_cast<const std::byte*>(mine) + at, part);
    meet();
    for (int process = 0; process < processes_; ++process)
      std::memcpy(static_cast<std::byte*>(all) + static_cast<std::size_t>(process) * bytes + at, cell_of(process), part);
    ++meeting_;
  }
}

bool Assembly::all(bool mine) noexcept {
  reduce(std::span(&mine, 1), [](bool one, bool other) { return one && other; });
  return mine;
}

void Assembly::meet() noexcept {
  const std::uint32_t next = meeting_ + 1;
  if (come().fetch_add(1, std::memory_order_acq_rel) + 1 == next * static_cast<std::uint32_t>(processes_)) {
    over().store(next, std::memory_order_release);
    return wake_all(over());
  }
  while (over().load(std::memory_order_acquire) == meeting_) {
    sleep_while(over(), meeting_);
    if (keep_going_ && over().load(std::memory_order_acquire) == meeting_) keep_going_();
  }
}

}  // namespace heddle::transport
