// transport/fabric/registrations.hpp: the program's memory, registered: kept for the next message,
// given up when it is unmapped or the budget is spent.
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
#include "transport/fabric/group.hpp"
#include "transport/fabric/monitor.hpp"

namespace heddle::transport::fabric {

/// Elements of the program's, in memory.
struct Elements {
  const layout::Layout* layout = nullptr;
  Count count = 0;
  std::byte* base = nullptr;
};

/// How long a registration lives.
enum class Keep : std::uint8_t {
  never,   ///< As long as a message uses it: libfabric has a cache of its own, or nobody says when memory is unmapped.
  always,  ///< Until the budget is spent: the provider does not pin, what is mapped there next is as good.
  watched  ///< Until the memory is unmapped.
};

struct Registration {
  Region region;
  Bytes counted = 0;  ///< Against the budget.
  int users = 0;
  bool live = true;  ///< May be found.
  bool watched = false;
  bool stale = false;      ///< Its memory is not what it was, or is not to be open to peers any more.
  std::uint64_t used = 0;  ///< When last.
  std::list<Registration>::iterator self{};
};

/// The regions that one message uses, or a persistent operation.
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

  /// Registers the blocks of the first `total` bytes in at most `most` regions. On failure nothing is held.
  Failure hold(const Elements& elements, Bytes total, bool writable, std::size_t most, Holding& holding);
  void drop(Holding& holding) noexcept;
  /// The same for elements that are to move again and again: `holding` is what the last call has left, and is held until
  /// drop(). It is made anew only if it has gone stale.
  Failure hold_again(const Elements& elements, bool writable, std::size_t most, Holding& holding);
  /// The memory is unmapped, or will be: for callers that know (MPI_Free_mem, a hook of munmap).
  void forget(const std::byte* start, Bytes length) noexcept;

  /// Beyond the message that it was made for.
  [[nodiscard]] bool keeps() const noexcept { return keep_ != Keep::never; }
  [[nodiscard]] std::size_t kept() const noexcept { return index_.size(); }
  [[nodiscard]] std::uint64_t calls() const noexcept { return calls_; }  ///< Of the provider's, so far.

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
  std::map<const std::byte*, Registration*> index_;  // the live ones, by start; disjoint
};

}  // namespace heddle::transport::fabric
