// select/fabric.cpp: two costs at each end, and the paper's table.
#include "select/fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heddle::select {
namespace {

// tcp, shm: operations as `heddle-bench-fabric` had them on two busy cores, 32 gathered writes of RWG-UP against one of
// BC-SPUP. verbs: the order of what data sheets and the paper's figure 12 say.
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

/// ns, of all of it.
double copying(const FabricFacts& facts) {
  const Profile& profile = *facts.profile;
  const Curve& curve = facts.side.transposed ? profile.transposed : facts.end == End::sender ? profile.pack : profile.unpack;
  return static_cast<double>(facts.bytes) * (facts.side.contiguous ? profile.copy : curve.at(facts.side.mean_block));
}

}  // namespace

Network network_of(std::string_view provider, int iov, int rma_iov) noexcept {
  const std::string_view core = provider.substr(0, provider.find(';'));
  const auto* row = std::ranges::find(rows, core, &Network::provider);
  Network network = row == std::end(rows) ? *std::prev(std::end(rows)) : *row;
  network.iov = std::max(iov, 1);
  network.rma_iov = std::max(rma_iov, 1);
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
  // Reads scatter iov pieces, writes reach rma_iov: who has one piece lets the receiver read where that is more. So does who
  // packs: its blocks are not to be written from one by one.
  end.offers = facts.end == End::sender && facts.side.contiguous && network.iov > network.rma_iov;
  const double segments = std::ceil(static_cast<double>(facts.bytes) / static_cast<double>(facts.segment));
  end.copying = copying(facts) + segments * network.segment;
  end.moving = operations(facts) * network.operation + static_cast<double>(facts.side.blocks) * network.piece;
  // Each segment is said to be ready, and to have been read; a read goes both ways.
  if (facts.reads) end.moving += operations(facts) * network.operation + segments * network.segment;
  if (!facts.kept) end.moving += network.region + static_cast<double>(facts.side.lines) / 64 * network.page;
  end.in_place = end.moving < end.copying;
  end.offers = end.offers || (facts.end == End::sender && !end.in_place);
  return end;
}

// The receiver is taken to be like the sender. Packed by the host: one after the other. In segments: the slowest of the three,
// and the first segment of the others.
bool pays(const FabricFacts& sender) noexcept {
  FabricFacts receiver = sender;
  receiver.end = End::receiver;
  const FabricEnd out = end_of(sender);
  const FabricEnd in = end_of(receiver);
  const double bytes = static_cast<double>(sender.bytes);
  const double segments = std::ceil(bytes / static_cast<double>(sender.segment));
  const double wire = bytes * sender.network->wire;
  const auto saved = [segments](double pack, double travel, double unpack) {
    return (pack + travel + unpack - std::max({pack, travel, unpack})) * (1 - 1 / segments);
  };
  const double copies = saved(copying(sender), wire, copying(receiver));
  const double kept = (out.in_place ? out.copying - out.moving : 0) + (in.in_place ? in.copying - in.moving : 0);
  return std::max(copies, kept) > sender.network->greeting;
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
    text +=
        fmt::format("; a receiver in place reads: {} pieces a read, {} a write", facts.network->iov, facts.network->rma_iov);
  return text + (facts.network->measured ? "" : " (costs of this network are estimates)");
}

}  // namespace heddle::select
