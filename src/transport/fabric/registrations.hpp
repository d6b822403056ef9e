// transport/fabric/registrations.hpp: registrations of the program's memory. They are kept for the
// next message, and given up when the memory is unmapped or the budget is spent.
//
//   Holding blocks;
//   const Failure failure = registrations.hold({&layout, count, base}, total, writable, 64, blocks);
//   const Region* region = blocks.find(block);          // never null for a block of the message
//   registrations.drop(blocks);
#pragma once

#include <list>
#include <map>
#include <vector>

#include "transport/fabric/budget.hpp"
#include "transport/fabric/endpoint.hpp"
#include "transport/fabric/failure.hpp"
#include "transport/fabric/group_registration.hpp"
#include "transport/fabric/monitor.hpp"

namespace heddle::transport::fabric {

/// Elements in the program's memory.
struct Elements {
  const layout::Layout* layout = nullptr;
  Count count = 0;
  std::byte* base = nullptr;
};

/// The lifetime of a registration.
enum class Keep : std::uint8_t {
  never,   ///< Until no message uses it: libfabric has its own cache, or unmapping goes unnoticed.
  always,  ///< Until the budget is spent, with providers that do not pin: memory mapped there later works, too.
  watched  ///< Until the memory is unmapped.
};

struct Registration {
  Region region;
  Bytes counted = 0;  ///< Bytes of the budget.
  int users = 0;
  bool live = true;  ///< It is in the index.
  bool watched = false;
  bool stale = false;      ///< Its memory has changed, or must not be open to peers any more.
  std::uint64_t used = 0;  ///< Time of the last use.
  std::list<Registration>::iterator self{};
};

/// The regions that a message, or a persistent operation, uses.
class Holding {
 public:
  [[nodiscard]] const Region* find(const std::byte* at) const noexcept;
  [[nodiscard]] bool empty() const noexcept { return held_.empty(); }
  [[nodiscard]] const std::vector<Registration*>& all() const noexcept { return held_; }

 private:
  friend class Registrations;
  std::vector<Registration*> held_;  // by address
  mutable std::size_t last_ = 0;
};

class Registrations {
 public:
  Registrations(Endpoint& endpoint, Budget& budget, Keep keep, Monitor* monitor, const Prices& prices) noexcept
      : endpoint_(endpoint), budget_(budget), keep_(keep), monitor_(monitor), prices_(prices) {}
  Registrations(const Registrations&) = delete;
  Registrations& operator=(const Registrations&) = delete;
  ~Registrations();

  /// Registers the blocks of the first `total` bytes in at most `most` regions. After a failure,
  /// `holding` is empty.
  Failure hold(const Elements& elements, Bytes total, bool writable, std::size_t most, Holding& holding);
  void drop(Holding& holding) noexcept;
  /// Like hold(), for elements that move repeatedly. `holding` comes from the last call, and is
  /// held until drop(). It is made anew only if it has gone stale.
  Failure hold_again(const Elements& elements, bool writable, std::size_t most, Holding& holding);
  /// Callers report memory that is unmapped, or will be (MPI_Free_mem, a hook of munmap).
  void forget(const std::byte* start, Bytes length) noexcept;

  /// True if registrations outlive the message that they were made for.
  [[nodiscard]] bool keeps() const noexcept { return keep_ != Keep::never; }
  [[nodiscard]] std::size_t kept() const noexcept { return index_.size(); }
  /// Registrations that the provider was asked for, so far.
  [[nodiscard]] std::uint64_t calls() const noexcept { return calls_; }

 private:
  Registration* one(std::byte* start, Bytes length, bool writable);
  Registration* enlist(std::byte* start, Bytes length, bool writable);
  bool evict() noexcept;
  void bury(Registration& registration) noexcept;
  void release(Registration* registration) noexcept;
  void ask_monitor() noexcept;

  Endpoint& endpoint_;
  Budget& budget_;
  Keep keep_;
  Monitor* monitor_;
  Prices prices_;
  std::uint64_t clock_ = 0;
  std::uint64_t calls_ = 0;
  std::list<Registration> all_;
  std::map<const std::byte*, Registration*> index_;  // live registrations, ordered by start; disjoint
};

}  // namespace heddle::transport::fabric
