// select/choose_message.cpp: the cost of each scheme, and the cheapest scheme.
#include "select/choose_message.hpp"

#include <algorithm>
#include <limits>

#include "select/far_line.hpp"
#include "select/segment.hpp"
#include "select/steps.hpp"

namespace heddle::select {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr Count most_entries = 1024;  // a process_vm call takes so many on each side
constexpr double clearly = 0.9;       // times another cost: a smaller gain is within the model's error
constexpr Bytes most_by_turns = 128 << 10;
constexpr double longest_grace = 1e6;  // ns: a sender waits about a time slice for an absent receiver

/// True if stores wait longer for lines of the receiver's core than for memory.
bool far(const Facts& facts) noexcept { return facts.line >= far_line; }

/// Cache lines beyond those that the curves assume. The blocks of the curves have holes of their
/// own length; these are sparser.
double lone_lines(const Side& side, double bytes) noexcept {
  return std::max(0.0, static_cast<double>(side.lines) - 2 * bytes / 64);
}

/// Sender and receiver work on different segments at the same time. The first or last segment of
/// one waits for the other.
double pipelined(double first, double second, double segments) noexcept {
  return std::max(first, second) + std::min(first, second) / segments;
}

/// The sender packs from the front, and the receiver unpacks that part. The receiver also moves
/// from the back. They meet when both have worked equally long. Then the receiver waits for half a
/// segment.
double shared(const Steps& step, double segments) noexcept {
  const double saved = step.pack - step.unpack;
  if (saved <= 0) return pipelined(step.pack, step.unpack, segments);  // the receiver has more to do already
  return step.pack * step.move / (saved + step.move) + step.pack / segments / 2;
}

}  // namespace

Steps::Steps(const Facts& facts) noexcept
    : p(*facts.profile),
      bytes(static_cast<double>(facts.bytes)),
      whole(bytes / static_cast<double>(read_segment) + 1),
      from(facts.sender),
      to(facts.receiver.known ? facts.receiver : facts.sender) {
  const double own_from = lone_lines(from, bytes) * p.own_line;
  const double own_to = lone_lines(to, bytes) * p.own_line;
  const double scatter = to.contiguous ? p.copy : (to.transposed ? p.transposed : p.unpack).at(to.mean_block);
  pack = bytes * (from.transposed ? p.transposed : p.pack).at(from.mean_block) + own_from;
  unpack_here = bytes * scatter + own_to;
  unpack = bytes * std::max(scatter, p.fetch) + own_to;
  // One piece at both ends does not occur. Otherwise the shorter blocks set the pace.
  const double block = from.contiguous ? to.mean_block
                       : to.contiguous ? from.mean_block
                                       : std::min(from.mean_block, to.mean_block);
  const Curve& pass = from.transposed || to.transposed ? p.move_transposed : p.move;
  move = bytes * std::max(pass.at(block), p.fetch) + lone_lines(from, bytes) * p.line + own_to;
}

double Steps::read(Count remote, Count local) const noexcept {
  const double calls = std::max(static_cast<double>(std::max(remote, local)) / most_entries, whole);
  return calls * p.call + std::max(static_cast<double>(remote), whole) * p.remote_entry +
         std::max(static_cast<double>(local), whole) * p.local_entry + bytes * p.read;
}

Costs costs(const Facts& facts) noexcept {
  const Steps step(facts);
  const Profile& p = step.p;
  const double segments = std::max(1.0, step.bytes / static_cast<double>(segment(facts.bytes, facts.paired)));
  const double ready = p.handshake + p.handover;

  const auto both_work = [&](double first, double second) {
    return facts.paired ? first + second : pipelined(first, second, segments);
  };

  Costs costs;
  const auto set = [&costs](Scheme scheme, bool possible, double ns) {
    costs.ns[static_cast<std::size_t>(scheme)] = possible ? ns : never;
  };
  set(Scheme::bc_spup, true, ready + segments * p.handover + both_work(step.pack, step.unpack));
  set(Scheme::rwg_up, facts.process_vm, ready + step.read(step.from.blocks, 1) + (step.to.contiguous ? 0 : step.unpack_here));
  const double scatter = step.read(1, step.to.blocks);
  set(Scheme::p_rrs, facts.process_vm,
      ready + (step.from.contiguous ? scatter : both_work(step.pack, scatter) + segments * p.handover));
  set(Scheme::multi_w, facts.process_vm, ready + step.read(step.from.blocks, step.to.blocks));
  // The claim of a cell fetches its line.
  set(Scheme::direct, facts.mapped, ready + facts.preparation + p.handover + step.move);
  set(Scheme::both, facts.mapped && !facts.paired, ready + facts.preparation + p.handover + shared(step, segments));
  return costs;
}

Choice choose(const Facts& facts) noexcept {
  if (facts.own) return with(facts.mapped ? Scheme::direct : Scheme::bc_spup, facts);
  Scheme best = Scheme::bc_spup;
  // A receiver that pulls needs a core while the sender spins on one. With too few cores the sender
  // packs and leaves.
  if (!facts.crowded) {
    const Costs cost = costs(facts);
    // A non-blocking sender should not pack, but go on computing.
    double least = (facts.blocking ? clearly : 1.0) * cost.of(Scheme::bc_spup);
    for (const Scheme scheme : schemes)
      if (scheme != Scheme::bc_spup && cost.of(scheme) < least) {
        best = scheme;
        least = cost.of(scheme);
      }
    // Two cores at one message even out errors of the model about each of them. An unknown receiver
    // may also have less to do than its sender.
    const bool alone = best == Scheme::direct || (best == Scheme::bc_spup && !facts.receiver.known);
    if (alone && facts.mapped && facts.blocking && cost.of(best) > clearly * cost.of(Scheme::both)) best = Scheme::both;
  }
  return with(best, facts);
}

bool beats(const Facts& facts, const Choice& choice, const Link& host) noexcept {
  // A rank that may receive at the same time copies out and in alternately, which costs more than a
  // near core gains.
  const bool by_turns = facts.paired || !facts.blocking;
  if (facts.crowded || (by_turns && facts.bytes > most_by_turns && !far(facts))) return false;
  return costs(facts).of(choice.scheme) < clearly * (host.latency + host.byte * static_cast<double>(facts.bytes));
}

Choice with(Scheme scheme, const Facts& facts) noexcept {
  Choice choice{.scheme = scheme,
                .segment = segment(facts.bytes, facts.paired),
                .stores = far(facts) ? layout::Stores::streamed : layout::Stores::cached};
  switch (scheme) {
    case Scheme::bc_spup:
    case Scheme::both:
      return choice;
    case Scheme::rwg_up:
    case Scheme::p_rrs:
    case Scheme::multi_w:
      choice.segment = read_segment;
      break;
    case Scheme::direct:
      break;
  }
  // Ski rental: the sender waits as long as packing takes, then packs. So it loses at most the time
  // of packing.
  if (!facts.crowded && !facts.own) choice.grace = std::min(Steps(facts).pack, longest_grace);
  return choice;
}

}  // namespace heddle::select
