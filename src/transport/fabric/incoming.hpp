// transport/fabric/incoming.hpp: the receiver's end of a message.
//
//   Incoming in(fabric, announcement, {&layout, count, base}, {.in_place = true});
//   while (in.progress() == State::working) ...
//   in.state() == State::done, in.bytes()
//
// After a failure the elements' contents are undefined, but the network writes to them no more.
#pragma once

#include <memory>

#include "transport/fabric/fabric.hpp"

namespace heddle::transport::fabric {

struct Acceptance {
  bool in_place = false;       ///< The network writes (or reads) into the elements, if their layout allows it.
  std::size_t window = 8;      ///< Most segments that are granted.
  Holding* kept = nullptr;     ///< Registrations of elements that receive repeatedly. They outlive the operations under way.
  bool segment_unpack = true;  ///< False: unpack only when no more segments can come (Wu et al. 2004, figure 10).
};

class Incoming;

/// The work of a scheme at the receiver.
class Receiving {
 public:
  explicit Receiving(Incoming& message) : in(message) {}
  virtual ~Receiving() = default;
  virtual void step() {}
  virtual void heard(const Control& control) = 0;
  virtual void notified(std::uint32_t) {}
  virtual void completed(std::uint64_t) {}
  /// `retire`: a peer that is gone may still write into the slots.
  virtual void clean(bool retire) noexcept { static_cast<void>(retire); }

 protected:
  Incoming& in;
};

class Incoming final : public Message {
 public:
  /// `announcement` is a copy of the sender's announcement(); it is checked. The layout and the
  /// elements stay until the end.
  Incoming(Fabric& fabric, const Announcement& announcement, const Elements& target, const Acceptance& acceptance);
  ~Incoming() override;

  /// For a caller that knows that the sender has no operations under way. True: nothing reads or
  /// writes the elements any more, and they and their layout may go. The caller still drives the
  /// message to its end. False: call again later.
  bool withdraw();
  /// The scheme of the message.
  [[nodiscard]] FabricScheme scheme() const noexcept { return scheme_; }
  /// Size of the message.
  [[nodiscard]] Bytes bytes() const noexcept { return announcement_.total; }

  // --- for the schemes
  using Message::fabric_;
  using Message::fail;
  using Message::finish;
  using Message::post;
  using Message::tell;
  using Message::under_way_;
  [[nodiscard]] const Elements& target() const noexcept { return target_; }
  [[nodiscard]] const Announcement& announcement() const noexcept { return announcement_; }
  [[nodiscard]] const Holding& held() const noexcept { return kept_ ? *kept_ : held_; }

 private:
  void step() override;
  void heard(const Control& control) override;
  void notified(std::uint32_t segment) override;
  void completed(std::uint64_t tag) override;
  void clean(bool peer_gone) noexcept override;
  void release(bool close) noexcept;
  bool hold_target(std::size_t most);
  bool offer(Control& reply);
  bool grant(Control& reply, const Acceptance& acceptance);

  Announcement announcement_;
  Elements target_;
  Holding held_;  // if the caller keeps no registrations
  Holding* kept_ = nullptr;
  Listed* listed_ = nullptr;
  FabricScheme scheme_ = FabricScheme::bc_spup;
  std::unique_ptr<Receiving> receiving_;
};

std::unique_ptr<Receiving> receive_segments(Incoming& message, std::vector<Slot> slots, bool segment_unpack, Bytes segment);
std::unique_ptr<Receiving> receive_reads(Incoming& message);
std::unique_ptr<Receiving> receive_direct(Incoming& message);

}  // namespace heddle::transport::fabric
