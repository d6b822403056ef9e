// select/why.cpp: explains a choice in words.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "select/steps.hpp"

namespace heddle::select {
namespace {

std::string us(double ns) { return fmt::format("{:.1f} us", ns / 1000); }

std::string looks(const Side& side) {
  if (side.contiguous) return "one piece";
  return fmt::format("{} blocks of {} B{}{}", side.blocks, side.median_block,
                     side.largest_block > side.median_block ? fmt::format(" (median; up to {})", side.largest_block) : "",
                     side.transposed ? " across memory order" : "");
}

/// The parts of the time of a scheme.
std::string parts(const Steps& step, Scheme scheme) {
  const auto entries = [&step](Count remote, Count local) {
    remote = std::max(remote, static_cast<Count>(step.whole));
    local = std::max(local, static_cast<Count>(step.whole));
    return fmt::format("{} remote entries at {:.0f} ns and {} local entries at {:.0f} ns", remote, step.p.remote_entry, local,
                       step.p.local_entry);
  };
  switch (scheme) {
    case Scheme::bc_spup:
      return fmt::format("packing {} beside unpacking {}", us(step.pack), us(step.unpack));
    case Scheme::rwg_up:
      return entries(step.from.blocks, 1) +
             (step.to.contiguous ? "" : fmt::format(", then unpacking {}", us(step.unpack_here)));
    case Scheme::p_rrs:
      return (step.from.contiguous ? "" : fmt::format("packing {} beside ", us(step.pack))) + entries(1, step.to.blocks);
    case Scheme::multi_w:
      return entries(step.from.blocks, step.to.blocks);
    case Scheme::direct:
      return fmt::format("one pass over {} lines of the sender, {}", step.from.lines, us(step.move));
    case Scheme::both:
      return fmt::format("packing {}, unpacking {} or moving {}, shared by two cores", us(step.pack), us(step.unpack),
                         us(step.move));
  }
  return {};
}

}  // namespace

std::string why(const Facts& facts, const Choice& choice) {
  if (facts.own)
    return std::string(name(choice.scheme)) +
           (choice.scheme == Scheme::direct ? ": the rank sends to itself, so its receive moves the data from layout to layout"
                                            : ": the rank sends to itself, and the call ends before the receive, so it packs");
  const Steps step(facts);
  const Costs cost = costs(facts);
  std::string text = fmt::format("{}: {} to {}{}: ", name(choice.scheme), looks(step.from), looks(step.to),
                                 facts.receiver.known ? "" : " (not known yet, assumed to be like the sender)");
  text += fmt::format("{}, {} in all", parts(step, choice.scheme), us(cost.of(choice.scheme)));
  if (facts.preparation > 0 && (choice.scheme == Scheme::direct || choice.scheme == Scheme::both))
    text += fmt::format(", of which attaching the sender's memory takes {}", us(facts.preparation));
  if (facts.crowded) return text + "; more ranks than cores, so the sender packs at once and does not wait";

  Scheme other = choice.scheme;
  for (const Scheme scheme : schemes)
    if (scheme != choice.scheme && std::isfinite(cost.of(scheme)) &&
        (other == choice.scheme || cost.of(scheme) < cost.of(other)))
      other = scheme;
  if (other == choice.scheme && facts.early)
    return text + "; no other scheme, so that a non-blocking send of so few bytes completes before its receive";
  if (other == choice.scheme)
    return text +
           "; no other scheme is possible, because the receiver cannot read the sender's memory "
           "(the system forbids it, or HEDDLE_TRANSPORTS leaves it out)";
  return text + fmt::format("; {} would take {} ({})", name(other), us(cost.of(other)), parts(step, other));
}

}  // namespace heddle::select
