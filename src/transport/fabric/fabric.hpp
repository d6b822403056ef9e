// transport/fabric/fabric.hpp: messages between nodes over libfabric, with holes at either end. No
// MPI in this room.
//
//   Failure failure;  std::string why;
//   const std::unique_ptr<Fabric> fabric = Fabric::open({.nonce = job}, failure, why);      // null: why not
//   Outgoing out(*fabric, {&layout, count, base}, plan);     ... bring out.announcement() to the receiver ...
//   Incoming in(*fabric, announcement, {&layout, count, base}, {});
//   while (out.progress() == State::working) ...             // also in.progress(); or fabric->advance(), for all messages
//
// One thread at a time may call. No function waits. docs/fabric.md describes the protocol.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "transport/fabric/layouts.hpp"
#include "transport/fabric/message.hpp"
#include "transport/fabric/registrations.hpp"
#include "transport/fabric/segment_pool.hpp"
#include "transport/fabric/self_test.hpp"

namespace heddle::transport::fabric {

std::int64_t steady_ns();

struct Options {
  Wanted wanted{};
  std::uint64_t nonce = 0;                 ///< Random number of the job.
  Bytes segment = 64 << 10;                ///< Bytes of a segment.
  Bytes pool = 64 << 20;                   ///< Most bytes that segments may take.
  std::optional<Bytes> pinned{};           ///< Most bytes that may be registered. Default: ulimit -l if the provider pins.
  std::optional<Keep> keep{};              ///< Lifetime of registrations. Default: as the provider needs.
  Prices prices{};                         ///< Costs of registering.
  std::int64_t patience = 10'000'000'000;  ///< After so much silence a peer is asked whether it is there, ns.
  Clock clock = &steady_ns;
  bool self_test = true;
  /// Puts an object around the endpoint. Tests use it to make operations fail.
  std::function<std::unique_ptr<Endpoint>(std::unique_ptr<Endpoint>)> wrap{};
};

class Fabric {
 public:
  /// Opens an endpoint and tests it. Null: `failure` and `why` give the reason. Otherwise `why`
  /// names abilities that the self-test took back, if any.
  static std::unique_ptr<Fabric> open(const Options& options, Failure& failure, std::string& why);
  Fabric(std::unique_ptr<Endpoint> endpoint, const Abilities& abilities, const Options& options);
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;
  ~Fabric();

  [[nodiscard]] const Abilities& abilities() const noexcept { return abilities_; }
  [[nodiscard]] const std::vector<std::byte>& address() const noexcept { return address_; }
  [[nodiscard]] Whereabouts whereabouts() const noexcept;
  /// The lifetime of registrations and its reason, in words.
  [[nodiscard]] const std::string& keeping() const noexcept { return keeping_; }
  /// True if Heddle, or libfabric beneath it, keeps registrations after a message.
  [[nodiscard]] bool keeps_registrations() const noexcept { return abilities_.caches || registrations_->keeps(); }

  /// Advances operations under way; a waiting caller must call it. True if there were events.
  bool progress();
  /// Like progress(), and each message does a step. True if another call at once is worthwhile.
  bool advance();
  /// True if no message is under way and all control messages have gone out.
  [[nodiscard]] bool settled() const noexcept {
    return closed_ || (entered_ == 0 && rendezvous_sender_.empty() && letter_slots_.size() == sends);
  }
  /// Sends hello to that process, and gives it a number. False: its address is not valid.
  bool greet(const Whereabouts& there, std::uint32_t& peer);
  /// True if the peer has answered our hello, so that both directions work.
  [[nodiscard]] bool welcomed(std::uint32_t peer) const noexcept { return peers_[peer].welcomed; }
  /// Closes the fabric for good. All messages fail.
  void close() noexcept;

  [[nodiscard]] Pool& segments() noexcept { return segments_; }
  [[nodiscard]] Registrations& registrations() noexcept { return *registrations_; }
  [[nodiscard]] std::uint64_t damaged() const noexcept { return damaged_; }  ///< Control messages that were thrown away.

  // --- for messages
  [[nodiscard]] const Options& options() const noexcept { return options_; }
  [[nodiscard]] Listing& listing() noexcept { return listing_; }
  [[nodiscard]] PeerLayouts& known() noexcept { return known_; }
  [[nodiscard]] const Identity& identity() const noexcept { return identity_; }
  [[nodiscard]] bool enter(Message& message);
  void leave(Message& message, bool delivered) noexcept;
  /// Finds or makes the number of a peer. False: the address is not valid, or the peer is gone.
  bool meet(std::span<const std::byte> address, const Identity& who, std::uint32_t& peer);
  void attach(std::uint32_t peer) noexcept { ++peers_[peer].messages; }
  void tell(std::uint32_t peer, Control control);
  Posted post(Message& message, Post what, std::uint64_t tag);
  void lose(std::uint32_t peer);
  /// Parts operations from a message that ends before them.
  void disown(const Message& message) noexcept;
  [[nodiscard]] bool gone(std::uint32_t peer) const noexcept { return peers_[peer].gone; }
  void heard_from(std::uint32_t peer) noexcept { peers_[peer].heard = now_; }

 private:
  struct Work : Operation {
    enum Kind : std::uint8_t { idle, of_message, control, receive };
    Kind kind = idle;
    Message* owner = nullptr;
    std::uint64_t tag = 0;
    std::uint32_t peer = 0;
    Slot slot{};  // its buffer, for control messages
  };
  struct Peer {
    Handle handle = 0;
    Identity who{};
    int alive = -1;  // pidfd
    bool gone = false;
    bool welcomed = false;
    std::int64_t next_letter = 0;  // the time of the next try
    std::int64_t heard = 0;
    std::int64_t asked = 0;
    std::int64_t lost = 0;
    int messages = 0;
    std::string key{};
  };
  struct Letter {
    std::uint32_t peer;
    Control control;
    std::int64_t since;
  };

  static constexpr std::uint32_t slot_bits = 10;  // low bits of a message's number; the rest counts uses of the slot
  static constexpr std::uint32_t most_messages = 1U << slot_bits;
  static constexpr std::size_t receives = 64;
  static constexpr std::size_t sends = 64;
  static constexpr Bytes letter_bytes = 1024;
  static_assert(sizeof(Control) <= letter_bytes);

  bool post_receives();
  void receive_again(Work& receive);
  Work* work();
  void give(Work* work) noexcept;
  void send_letters();
  void happened(const Event& event);
  void deliver(const Control& control);
  void patrol();
  Message* find(std::uint32_t id) const noexcept;

  Options options_;
  std::unique_ptr<Endpoint> endpoint_;
  Abilities abilities_;
  std::vector<std::byte> address_;
  Identity identity_;
  std::string keeping_;
  Budget budget_;
  std::unique_ptr<Monitor> monitor_;
  std::unique_ptr<Registrations> registrations_;
  Pool segments_;
  Pool letters_;
  Listing listing_;
  PeerLayouts known_;
  std::deque<Work> works_;
  std::vector<Work*> idle_;
  std::vector<Work*> not_posted_;   // receives that found the provider full
  std::vector<Slot> letter_slots_;  // free slots to send from
  std::deque<Letter> rendezvous_sender_;
  std::vector<Peer> peers_;
  std::unordered_map<std::string, std::uint32_t> by_address_;
  std::vector<Message*> messages_;  // index: low bits of the message's number
  int entered_ = 0;                 // number of these messages
  std::vector<std::uint32_t> generations_;
  std::array<std::uint32_t, 256> delivered_{};
  std::size_t next_delivered_ = 0;
  std::int64_t now_ = 0;
  std::int64_t next_patrol_ = 0;
  std::uint64_t damaged_ = 0;
  bool closed_ = false;
};

}  // namespace heddle::transport::fabric
