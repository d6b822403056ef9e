// engine/sparse.hpp: an exchange whose receivers do not know who sends, and how much: the three
// ways of schedule/exchange/. What they need of the world is handed in: MPI in mpi/sparse, memory
// in tests.
//
//   consensus   synchronous sends, take in whatever comes, a non-blocking barrier says when all is in
//   counts      an all-to-all of counts, then direct messages straight into place
//   crystal     bundles through log2 P rounds (router.hpp); long messages are only announced through it: each sender decides,
//               receivers learn of it, and their bytes move once
//
//   sparse::Exchange exchange(me, ranks, program, direct);
//   exchange.by_counts(all_to_all);                            // or another; the same on all ranks
//   for (const sparse::Arrival& one : exchange.arrivals()) ... // by source; those of one in the order in which it sent them
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/channel.hpp"
#include "engine/router.hpp"

namespace heddle::engine::sparse {

struct Departure {
  Rank to;
  Bytes bytes;
  const std::byte* packed;  ///< The bytes that travel, if they lie in memory in order; null: they are to be packed.
};

struct Arrival {
  Rank from;
  Bytes bytes;
  const std::byte* at;  ///< Packed; null: none, or still to come.
};

/// What a rank sends, and where what comes is to lie. All throw Failed.
class Program {
 public:
  virtual ~Program() = default;
  [[nodiscard]] virtual std::span<const Departure> departures() const = 0;
  virtual void pack(std::size_t departure, std::byte* to) = 0;
  /// Who has sent how much is known. Once.
  virtual void lay_out(std::span<const Arrival> arrivals) = 0;
  /// Then: where the packed bytes of an arrival are to lie in the end, if they can be received there; null: not so.
  virtual std::byte* place_of(std::size_t arrival) = 0;
};

/// Messages from whoever sends: of an exchange by consensus. All throw Failed.
class Anybody {
 public:
  virtual ~Anybody() = default;
  /// `at` stays as it is until all are received.
  virtual void send(Rank to, const std::byte* at, Bytes bytes) = 0;
  /// Whether each that this rank has sent is being received.
  virtual bool all_received() = 0;
  struct Found {
    Rank from;
    Bytes bytes;
  };
  /// One that has come, to be received next.
  virtual std::optional<Found> find() = 0;
  virtual void receive(std::byte* to, Bytes bytes) = 0;
  virtual void finish_receives() = 0;
  virtual void begin_barrier() = 0;
  virtual bool barrier_is_over() = 0;
};

/// What one rank has for another.
struct Volume {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
};
/// Of all ranks, by rank.
using AllToAll = std::function<void(std::span<const Volume> out, std::span<Volume> in)>;

/// As one rank sees it. Carried out once.
class Exchange final : private Freight {
 public:
  /// @param direct  Of messages whose receiver knows of them.
  Exchange(Rank me, Rank ranks, Program& program, Channel& direct) noexcept
      : me_(me), ranks_(ranks), program_(program), direct_(direct) {}

  // Throw Failed, std::bad_alloc, and what the router throws.
  /// @param crowded  More ranks than cores.
  void by_consensus(Anybody& anybody, bool crowded);
  void by_counts(const AllToAll& all_to_all);
  /// @param beside  Bytes from which on a message is announced.
  void by_crystal(const schedule::Place& place, const Router::Options& options, Bytes beside, Channel& bundles);

  /// All bytes are there, as long as this is.
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
