// engine/collective/sparse_exchange.hpp: an exchange whose receivers know neither the senders nor
// the sizes, in the three ways of schedule/exchange/. Derived classes supply the messages: over MPI
// in mpi/sparse, over memory in tests.
//
//   consensus   synchronous sends; a rank receives all that comes; a non-blocking barrier says when all is in
//   counts      an all-to-all of counts, then direct messages straight into place
//   crystal     bundles through log2 P rounds (router.hpp); a sender may only announce a long message in them. Its receiver
//               learns of it, and its bytes move once
//
//   sparse::Exchange exchange(me, ranks, program, direct);
//   exchange.by_counts(all_to_all);                            // or another; the same on all ranks
//   for (const sparse::Arrival& one : exchange.arrivals()) ... // by source; those of one source in the order of its sends
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/collective/channel.hpp"
#include "engine/collective/router.hpp"

namespace heddle::engine::sparse {

struct Departure {
  Rank to;
  Bytes bytes;
  const std::byte* packed;  ///< The packed bytes, if they lie in memory in order. Null: they must be packed.
};

struct Arrival {
  Rank from;
  Bytes bytes;
  const std::byte* at;  ///< The packed bytes. Null: none, or still to come.
};

/// The messages that a rank sends, and the places for messages that arrive. All functions throw
/// Failed.
class Program {
 public:
  virtual ~Program() = default;
  [[nodiscard]] virtual std::span<const Departure> departures() const = 0;
  virtual void pack(std::size_t departure, std::byte* to) = 0;
  /// Called once, when sources and sizes are known.
  virtual void lay_out(std::span<const Arrival> arrivals) = 0;
  /// After that: the place in the program's memory into which an arrival can be received. Null:
  /// there is none.
  virtual std::byte* place_of(std::size_t arrival) = 0;
};

/// Messages from any rank, for an exchange by consensus. All functions throw Failed.
class Anybody {
 public:
  virtual ~Anybody() = default;
  /// The bytes at `at` stay as they are until all messages are received.
  virtual void send(Rank to, const std::byte* at, Bytes bytes) = 0;
  /// True: all messages that this rank has sent are being received.
  virtual bool all_received() = 0;
  struct Found {
    Rank from;
    Bytes bytes;
  };
  /// A message that has come. The next receive() is for it.
  virtual std::optional<Found> find() = 0;
  virtual void receive(std::byte* to, Bytes bytes) = 0;
  virtual void finish_receives() = 0;
  virtual void begin_barrier() = 0;
  virtual bool barrier_is_over() = 0;
};

/// The messages and bytes that one rank has for another.
struct Volume {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
};
/// Exchanges volumes with all ranks. Both arrays go by rank.
using AllToAll = std::function<void(std::span<const Volume> out, std::span<Volume> in)>;

/// The exchange, as one rank sees it. Carried out once.
class Exchange final : private Freight {
 public:
  /// @param direct  For messages that the receiver knows of.
  Exchange(Rank me, Rank ranks, Program& program, Channel& direct) noexcept
      : me_(me), ranks_(ranks), program_(program), direct_(direct) {}

  // These throw Failed, std::bad_alloc, and the router's exceptions.
  /// @param crowded  More ranks than cores.
  void by_consensus(Anybody& anybody, bool crowded);
  void by_counts(const AllToAll& all_to_all);
  /// @param beside  Messages of at least so many bytes are announced.
  void by_crystal(const schedule::Place& place, const Router::Options& options, Bytes beside, Channel& bundles);

  /// The arrived messages. Their bytes are there as long as this object.
  [[nodiscard]] std::span<const Arrival> arrivals() const noexcept { return arrivals_; }

 private:
  using Sizes = std::map<Rank, std::vector<std::int64_t>>;
  void pack(std::size_t number, std::byte* to) override { program_.pack(number, to); }
  std::byte* keep(Bytes bytes);
  const std::byte* bytes_of(std::size_t departure);
  void take_own();
  bool take_one(Anybody& anybody);
  Sizes sizes_of_several(std::span<const Volume> out, std::span<const Volume> in);
  void deliver(Bytes least);

  Rank me_, ranks_;
  Program& program_;
  Channel& direct_;
  std::vector<Arrival> arrivals_;
  std::vector<std::unique_ptr<std::byte[]>> kept_;
  std::optional<Router> router_;  // arrivals lie in its bundles
};

}  // namespace heddle::engine::sparse
