// transport/fabric/incoming.hpp: a message on its way in.
//
//   Incoming in(fabric, announcement, {&layout, count, base}, {.in_place = true});
//   while (in.progress() == State::working) ...
//   in.state() == State::done, in.bytes()
//
// What the elements hold after a failure means nothing, but nobody writes to them any more.
#pragma once

#include <memory>

#include "transport/fabric/fabric.hpp"

namespace heddle::transport::fabric {

struct Acceptance {
  bool in_place = false;       ///< The network writes into the elements (or reads into them), if their layout allows it.
  std::size_t window = 8;      ///< Segments that are granted, at most.
  Holding* kept = nullptr;     ///< Of elements that are received into again and again; outlives what is under way.
  bool segment_unpack = true;  ///< False: nothing is unpacked while more can come (Wu et al. 2004, figure 10).
};

class Incoming;

/// One scheme's work at the receiver.
class Receiving {
 public:
  explicit Receiving(Incoming& message) : in(message) {}
  virtual ~Receiving() = default;
  virtual void step() {}
  virtual void heard(const Control& control) = 0;
  virtual void notified(std::uint32_t) {}
  virtual void completed(std::uint64_t) {}
  /// `retire`: slots may still be written to by a peer that is gone.
  virtual void clean(bool retire) noexcept { static_cast<void>(retire); }

 protected:
  Incoming& in;
};

class Incoming final : public Message {
 public:
  /// `announcement` is what the sender's announcement() was; it is not trusted. The layout and the elements stay until the end.
  Incoming(Fabric& fabric, const Announcement& announcement, const Elements& target, const Acceptance& acceptance);
  ~Incoming() override;

  /// Its sender has nothing under way any more, as the caller knows by another way. True: nobody reads or writes the elements
  /// any more, and they and their layout may go; the message itself is to be driven to its end. False: again later.
  bool withdraw();
  /// How it comes.
  [[nodiscard]] Scheme scheme() const noexcept { return scheme_; }
  /// Of the message.
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
  Holding held_;  // unless the caller keeps them
  Holding* kept_ = nullptr;
  Listed* listed_ = nullptr;
  Scheme scheme_ = Scheme::bc_spup;
  std::unique_ptr<Receiving> receiving_;
};

std::unique_ptr<Receiving> receive_segments(Incoming& message, std::vector<Slot> slots, bool segment_unpack, Bytes segment);
std::unique_ptr<Receiving> receive_reads(Incoming& message);
std::unique_ptr<Receiving> receive_direct(Incoming& message);

}  // namespace heddle::transport::fabric
