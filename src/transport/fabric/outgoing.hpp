// transport/fabric/outgoing.hpp: the sender's end of a message.
//
//   Outgoing out(fabric, {&layout, count, base}, {.if_unpacks = Scheme::rwg_up});
//   ... bring out.announcement() to the receiver ...
//   while (out.progress() == State::working) ...
//   if (out.buffer_free()) ...                // from here on the program may overwrite its elements
//
// The receiver's answer decides between the two schemes of the plan (Wu et al. 2004, Table 1;
// select/choose_fabric.hpp).
#pragma once

#include <memory>

#include "transport/fabric/fabric.hpp"

namespace heddle::transport::fabric {

struct Plan {
  FabricScheme if_unpacks = FabricScheme::bc_spup;   ///< bc_spup or rwg_up, if the receiver grants segments.
  FabricScheme if_in_place = FabricScheme::multi_w;  ///< multi_w or p_rrs, if the receiver offers its buffer.
  Bytes segment = 64 << 10;                          ///< Bytes; at most the fabric's.
  bool list = true;          ///< Operations are posted as lists (Wu et al. 2004, §4.3), not one by one.
  bool enlist = false;       ///< Blocks are registered even if the provider needs no local registration.
  std::size_t regions = 64;  ///< Most regions of the sender's elements. If there would be more, it packs.
  Holding* kept = nullptr;   ///< Registrations of elements that are sent repeatedly. They outlive the message.
};

class Outgoing;

/// The work of a scheme at the sender.
class Sending {
 public:
  explicit Sending(Outgoing& message) : out(message) {}
  virtual ~Sending() = default;
  virtual void step() = 0;
  virtual void heard(const Control& control) = 0;
  virtual void completed(std::uint64_t tag) = 0;
  /// The elements are not read any more.
  [[nodiscard]] virtual bool buffer_free() const = 0;
  virtual void clean() noexcept {}

 protected:
  Outgoing& out;
};

class Outgoing final : public Message {
 public:
  /// The layout and the elements stay until buffer_free().
  Outgoing(Fabric& fabric, const Elements& source, const Plan& plan);
  ~Outgoing() override;

  /// Valid unless the message failed at once.
  [[nodiscard]] const Announcement& announcement() const noexcept { return announcement_; }
  [[nodiscard]] bool buffer_free() const { return state() != State::working || (sending_ && sending_->buffer_free()); }
  [[nodiscard]] bool answered() const noexcept { return met_; }
  /// The peer that has answered, and its number of this message.
  [[nodiscard]] std::uint32_t peer() const noexcept { return peer_; }
  [[nodiscard]] std::uint32_t theirs() const noexcept { return theirs_; }
  /// Valid once the receiver has answered.
  [[nodiscard]] FabricScheme scheme() const noexcept { return scheme_; }

  // --- for the schemes
  using Message::fabric_;
  using Message::fail;
  using Message::finish;
  using Message::peer_;
  using Message::post;
  using Message::tell;
  using Message::theirs_;
  using Message::under_way_;
  [[nodiscard]] const Elements& source() const noexcept { return source_; }
  [[nodiscard]] const Plan& plan() const noexcept { return plan_; }
  [[nodiscard]] Bytes total() const noexcept { return total_; }
  /// Packs bytes [from, from + length) into a segment of this process. False: no segment is free
  /// now.
  bool pack(Bytes from, Bytes length, Slot& slot);
  /// The descriptor for an address in the source.
  [[nodiscard]] void* describe(const std::byte* at) const noexcept;
  /// Registers the source if that is needed. True: the network may read it in place.
  bool hold_source();
  [[nodiscard]] const Holding& held() const noexcept { return plan_.kept ? *plan_.kept : held_; }
  /// Most operations that a message may have under way.
  [[nodiscard]] int most_under_way() const noexcept;

 private:
  void step() override;
  void heard(const Control& control) override;
  void completed(std::uint64_t tag) override;
  void clean(bool peer_gone) noexcept override;

  void free_reserve() noexcept;

  Elements source_;
  Plan plan_;
  Bytes total_;
  Bytes segment_ = 0;
  FabricScheme scheme_ = FabricScheme::bc_spup;
  Announcement announcement_{};
  Holding held_;  // if the caller keeps no registrations
  bool holds_ = false;
  std::vector<Slot> packed_;  // at most one slot, for the first segment; BC-SPUP packs it before the receiver answers
  std::unique_ptr<Sending> sending_;
};

std::unique_ptr<Sending> send_segments(Outgoing& message, const Control& reply, bool gather);
std::unique_ptr<Sending> send_offers(Outgoing& message);
std::unique_ptr<Sending> send_direct(Outgoing& message, const Control& reply);

}  // namespace heddle::transport::fabric
