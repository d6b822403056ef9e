// select/choose_fabric.cpp: compares two costs at each end, and applies the paper's table.
#include "select/choose_fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heddle::select {
namespace {

// tcp and shm: `heddle-bench-fabric` measured operations on two busy cores, with 32 gathered writes
// of RWG-UP against one of BC-SPUP. verbs: orders of magnitude, from data sheets and the paper's
// figure 12.
constexpr Network rows[] = {
    {.provider = "tcp", .operation = 10'000, .segment = 9000, .greeting = 60'000, .wire = 0.8, .measured = true},
    {.provider = "shm", .operation = 2000, .segment = 1500, .greeting = 5000, .wire = 0.2, .measured = true},
    {.provider = "verbs",
     .operation = 500,
     .piece = 100,
     .segment = 1500,
     .greeting = 4000,
     .wire = 0.1,
     .region = 20'000,
     .page = 250},
};

double operations(const FabricFacts& facts) {
  const Network& network = *facts.network;
  // The sender's blocks are gathered; the receiver's are written to, or read into.
  const int pieces = facts.end == End::sender || facts.reads ? network.iov : network.rma_iov;
  const double count = std::ceil(static_cast<double>(std::max<Count>(facts.side.blocks, 1)) / pieces);
  return std::max(count, std::ceil(static_cast<double>(facts.bytes) / static_cast<double>(facts.segment)));
}

/// ns for the whole message.
double copying(const FabricFacts& facts) {
  const Profile& profile = *facts.profile;
  const Curve& curve = facts.side.transposed ? profile.transposed : facts.end == End::sender ? profile.pack : profile.unpack;
  return static_cast<double>(facts.bytes) * (facts.side.contiguous ? profile.copy : curve.at(facts.side.mean_block));
}

/// The time of copying for a message through the MPI library. Data in one piece are not copied.
double copying_of_library(const FabricFacts& facts) { return facts.side.contiguous ? 0 : copying(facts); }

double segments_of(const FabricFacts& facts) {
  return std::ceil(static_cast<double>(facts.bytes) / static_cast<double>(facts.segment));
}

/// Both ends of a message, as far as its sender knows them. Times are in ns.
class Ends {
 public:
  explicit Ends(const FabricFacts& sender) : network_(*sender.network), sender_(end_of(sender)) {
    FabricFacts receiver = sender;
    receiver.end = End::receiver;
    if (sender.receiver) receiver.side = *sender.receiver;
    receiver_ = end_of(receiver);
    pack_ = copying_of_library(sender);
    unpack_ = copying_of_library(receiver);
    bytes_ = static_cast<double>(sender.bytes);
    segments_ = segments_of(sender);
  }

  /// The message goes in segments: it takes the slowest of three steps, and the first segment of
  /// the others. Blocks that stay in place cost operations on the way, at one of the ends.
  [[nodiscard]] double over_fabric() const {
    const double pack = sender_.in_place ? 0 : pack_;
    const double unpack = receiver_.in_place ? 0 : unpack_;
    const double moving = std::max(sender_.in_place ? sender_.moving : 0, receiver_.in_place ? receiver_.moving : 0);
    const double travel = bytes_ * network_.wire + moving;
    const double slowest = std::max({pack, travel, unpack});
    const double handed_over = sender_.in_place && receiver_.in_place ? 0 : segments_ * network_.segment;
    return network_.greeting + slowest + (pack + travel + unpack - slowest) / segments_ + handed_over;
  }
  /// Through the library, the steps follow each other.
  [[nodiscard]] double over_library() const { return pack_ + network_.message + bytes_ * network_.message_byte + unpack_; }

  /// The gain by the fabric if the library's wire is not known. We assume that it is as fast.
  [[nodiscard]] double saved() const {
    const double wire = bytes_ * network_.wire;
    const double copies = (pack_ + wire + unpack_ - std::max({pack_, wire, unpack_})) * (1 - 1 / segments_);
    const double kept = (sender_.in_place && pack_ > 0 ? sender_.copying - sender_.moving : 0) +
                        (receiver_.in_place && unpack_ > 0 ? receiver_.copying - receiver_.moving : 0);
    return std::max(copies, kept);
  }

 private:
  const Network& network_;
  FabricEnd sender_;
  FabricEnd receiver_;
  double pack_;
  double unpack_;
  double bytes_;
  double segments_;
};

}  // namespace

Network network_of(std::string_view provider, int iov, int rma_iov, const BetweenNodes& measured) noexcept {
  const std::string_view core = provider.substr(0, provider.find(';'));
  const auto* row = std::ranges::find(rows, core, &Network::provider);
  Network network = row == std::end(rows) ? *std::prev(std::end(rows)) : *row;
  network.iov = std::max(iov, 1);
  network.rma_iov = std::max(rma_iov, 1);
  if (measured.measured() && measured.name() == core) {
    network.operation = measured.operation;
    network.piece = 0;  // part of the operation
    network.segment = measured.segment;
    network.greeting = measured.greeting;
    network.wire = measured.fabric_byte;
    network.message = measured.message;
    network.message_byte = measured.byte;
    network.measured = true;
  }
  return network;
}

Bytes fabric_segment(Bytes bytes) noexcept {
  Bytes segment = shortest_segment;
  while (segment < longest_segment && 8 * segment < bytes) segment *= 2;
  return segment;
}

FabricEnd end_of(const FabricFacts& facts) noexcept {
  const Network& network = *facts.network;
  FabricEnd end;
  // A read scatters iov pieces, and a write reaches rma_iov. A sender with one piece lets the
  // receiver read if iov is larger. A sender that packs does the same, so as not to write its
  // blocks one by one.
  end.offers = facts.end == End::sender && facts.side.contiguous && network.iov > network.rma_iov;
  const double segments = segments_of(facts);
  end.copying = copying(facts) + segments * network.segment;
  end.moving = operations(facts) * network.operation + static_cast<double>(facts.side.blocks) * network.piece;
  // Two notifications say that a segment is ready, and that it has been read. A read goes both
  // ways.
  if (facts.reads) end.moving += operations(facts) * network.operation + segments * network.segment;
  if (!facts.kept) end.moving += network.region + static_cast<double>(facts.side.lines) / 64 * network.page;
  end.in_place = end.moving < end.copying;
  end.offers = end.offers || (facts.end == End::sender && !end.in_place);
  return end;
}

FabricEnd end_of(const FabricFacts& facts, std::optional<Scheme> scheme) noexcept {
  FabricEnd end = end_of(facts);
  const bool segments = scheme == Scheme::bc_spup || scheme == Scheme::rwg_up;
  const bool direct = scheme == Scheme::p_rrs || scheme == Scheme::multi_w;
  if (facts.end == End::receiver) {
    if (segments || direct) end.in_place = direct;
  } else {
    if (segments) end.in_place = scheme == Scheme::rwg_up;
    if (direct) end.offers = scheme == Scheme::p_rrs;
  }
  return end;
}

bool pays(const FabricFacts& sender) noexcept {
  constexpr double clearly = 0.9;  // as for schemes within a node: noise must not decide
  const Ends ends(sender);
  return sender.network->message_byte > 0 ? ends.over_fabric() < clearly * ends.over_library()
                                          : ends.saved() > sender.network->greeting;
}

bool worth_opening(const BetweenNodes& measured, const Profile& profile) noexcept {
  if (!measured.measured()) return false;
  constexpr Bytes bytes = Bytes{1} << 20;
  constexpr Bytes block = 1 << 10;
  const Network network = network_of(measured.name(), 1, 1, measured);
  return pays({.bytes = bytes,
               .side = {.blocks = bytes / block, .lines = bytes / 64, .mean_block = block},
               .network = &network,
               .segment = fabric_segment(bytes),
               .profile = &profile});
}

Scheme table_1(const FabricEnd& sender, const FabricEnd& receiver) noexcept {
  if (!receiver.in_place) return sender.in_place ? Scheme::rwg_up : Scheme::bc_spup;
  return sender.offers ? Scheme::p_rrs : Scheme::multi_w;
}

std::string why(const FabricFacts& facts, const FabricEnd& end) {
  const bool sender = facts.end == End::sender;
  const std::string looks = facts.side.contiguous
                                ? "one piece"
                                : fmt::format("{} blocks of {:.0f} B on average", facts.side.blocks, facts.side.mean_block);
  std::string text =
      fmt::format("{}: {}: {:.0f} operations take {:.1f} us over {}, {} takes {:.1f} us",
                  end.in_place ? "in place" : (sender ? "pack" : "unpack"), looks, operations(facts), end.moving / 1000,
                  facts.network->provider, sender ? "packing" : "unpacking", end.copying / 1000);
  if (end.offers)
    text += fmt::format("; a receiver whose blocks stay in place reads: {} pieces in a read, {} in a write", facts.network->iov,
                        facts.network->rma_iov);
  return text + (facts.network->measured ? "" : " (costs of this network are estimates)");
}

}  // namespace heddle::select
