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
    {.provider = "tcp", .operation = 10'000, .segment = 9000, .measured = true},
    {.provider = "shm", .operation = 2000, .segment = 1500, .measured = true},
    {.provider = "verbs", .operation = 500, .piece = 100, .segment = 1500, .region = 20'000, .page = 250},
};

double operations(const FabricFacts& facts) {
  const Network& network = *facts.network;
  // The sender's blocks are gathered; the receiver's are written to, or read into.
  const int pieces = facts.end == End::sender || facts.reads ? network.iov : network.rma_iov;
  const double count = std::ceil(static_cast<double>(std::max<Count>(facts.side.blocks, 1)) / pieces);
  return std::max(count, std::ceil(static_cast<double>(facts.bytes) / static_cast<double>(facts.segment)));
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

FabricEnd end_of(const FabricFacts& facts) noexcept {
  const Network& network = *facts.network;
  const Profile& profile = *facts.profile;
  FabricEnd end;
  // Reads scatter iov pieces, writes reach rma_iov: who has one piece lets the receiver read where that is more.
  end.offers = facts.end == End::sender && facts.side.contiguous && network.iov > network.rma_iov;
  const double bytes = static_cast<double>(facts.bytes);
  const double segments = std::ceil(bytes / static_cast<double>(facts.segment));
  const Curve& curve = facts.side.transposed ? profile.transposed : facts.end == End::sender ? profile.pack : profile.unpack;
  const double copy = facts.side.contiguous ? profile.copy : curve.at(facts.side.mean_block);
  end.copying = bytes * copy + segments * network.segment;
  end.moving = operations(facts) * network.operation + static_cast<double>(facts.side.blocks) * network.piece;
  if (!facts.kept) end.moving += network.region + static_cast<double>(facts.side.lines) / 64 * network.page;
  end.in_place = end.moving < end.copying;
  return end;
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
