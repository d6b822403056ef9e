// engine/collective/router.hpp: sends a rank's messages to any other ranks in bundles, over a
// channel. Bundles travel by the rounds of the crystal router (schedule/alltoallv/crystal.cpp), or
// of another schedule of an Alltoallv.
//
//   Router router({.ranks = ranks, .radix = 4}, me, {.segment = 64 << 10}, channel, freight);
//   router.add(dest, bytes, at);                       // packed bytes that lie somewhere
//   router.add(dest, bytes, nullptr, number);          // freight.pack(number, to) will put them straight into a bundle
//   router.announce(dest, bytes);                      // a long message that the caller sends itself; both ends know of it
//   router.run();                                      // or round by round: send(k), receive()
//   for (const Router::Packet& one : router.arrived()) // by reference to the bundles they came in, which the router keeps
//     unpack(one.from, one.at, one.bytes);
//
// A bundle, a stream of bytes:
//
//   ┌─ head ─────────┬─ headings, one for each packet ──────┬─ bytes of the packets, in the same order ───┐
//   │ bytes, packets │ from, for, bytes │ from, for, bytes │ …  │ ▓▓▓▓▓▓▓▓ │ ▓▓▓ │ ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓ │
//   └────────────────┴──────────────────┴──────────────────┴────┴──────────┴─────┴───────────────────────┘
//   ├─ first message, whose room the receiver has posted ─┼─ channel 0 ──────────┼─ channel 1 ──────────┤
//                                                         ├ segment ┼ segment ┼ … each a message
//
// The first message says how long the rest is; both ends cut the rest alike. Packets of one pair of
// ranks stay in order, because they take the same path. An announced packet has only a heading,
// with its bytes as a negative number. Options switch the three improvements that Schliephake and
// Laure (2013, §4) asked for:
//
//   fewer copies        a packet is packed straight into the bundle, and a received packet goes on from where it lies;
//                       a long one is not even copied into the next bundle
//   several channels    or a radix of more than 2
//   overlap             a segment travels while the next one is packed, or the last one is looked through
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/collective/channel.hpp"
#include "schedule/schedule.hpp"

namespace heddle::engine {

/// Packs messages when they go into a bundle.
class Freight {
 public:
  Freight() = default;
  Freight(const Freight&) = delete;
  Freight& operator=(const Freight&) = delete;
  virtual ~Freight() = default;
  virtual void pack(std::size_t number, std::byte* to) = 0;
};

class Router {
 public:
  struct Options {
    Bytes segment = 0;    ///< 0: the rest of a bundle in one piece (of 1 GiB at most).
    bool copies = false;  ///< The original algorithm: from buffer to buffer in every round.
    /// Packets of at least so many bytes are sent from where they lie. For shorter ones, a copy
    /// costs less than one more piece.
    Bytes by_reference = 32 << 10;
    /// The schedule whose rounds are taken, from the tables of Alltoallv and exchanges. The same on
    /// all ranks. Null: the crystal router's.
    const schedule::Algorithm* algorithm = nullptr;
  };
  struct Packet {
    Rank from;
    Rank to;
    Bytes bytes;
    const std::byte* at;  ///< Null: not packed yet.
    std::size_t number;
    bool beside = false;  ///< Announced: its bytes do not travel in bundles.

    [[nodiscard]] Bytes carried() const { return beside ? 0 : bytes; }
  };

  /// `place` and `options.segment` are the same on all ranks.
  Router(const schedule::Place& place, Rank me, const Options& options, Channel& channel, Freight& freight);
  ~Router();
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  void add(Rank to, Bytes bytes, const std::byte* at, std::size_t number = 0);
  /// Announces a message that the caller sends itself. Its receiver finds it among the arrived
  /// packets, in order.
  void announce(Rank to, Bytes bytes);
  void run();

  [[nodiscard]] schedule::Count rounds() const;
  void send(schedule::Count k);
  /// Receives the bundles of the round that this rank has sent. Throws std::runtime_error if a
  /// message is no bundle, and Failed if the channel has failed.
  void receive();

  /// Packets for this rank. Packets of one source are in the order in which that rank added them.
  /// `at` is valid while the router lives.
  [[nodiscard]] const std::vector<Packet>& arrived() const { return arrived_; }

  /// Counts so far.
  struct Tally {
    std::int64_t messages = 0;
    std::int64_t packets = 0;  ///< Put into bundles, in all rounds.
    Bytes sent = 0;
    Bytes copied = 0;  ///< From memory to memory within this rank; packing of freight is not counted.
  };
  [[nodiscard]] const Tally& tally() const { return tally_; }

 private:
  using Memory = std::unique_ptr<std::byte[]>;
  struct Coming;

  void send_bundle(Rank to, int channels, std::vector<Packet>& packets);
  void wait(Channel::Ticket ticket);
  void take(Coming& bundle, Bytes there);
  void open(Coming& bundle);
  std::byte* keep(Bytes bytes);
  const std::byte* copy(const Packet& packet);

  const schedule::Algorithm& algorithm_;
  schedule::Place place_;
  Rank me_;
  Options options_;
  Channel& channel_;
  Freight& freight_;
  std::vector<Packet> held_;     ///< For others.
  std::vector<Packet> arrived_;  ///< For us.
  std::vector<Memory> kept_;     ///< Memory in which packets lie.
  std::vector<Memory> leaving_;  ///< Bundles that are being sent, until the channel has finished.
  std::vector<Coming> coming_;   ///< Bundles of the round that has been sent. Receives of their first messages are posted.
  Tally tally_;
};

}  // namespace heddle::engine
