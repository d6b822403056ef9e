// engine/node/rendezvous.cpp: collects the facts for the choice of a scheme, and begins or ends the
// sender's part.
#include "engine/node/rendezvous.hpp"

#include <cstring>
#include <new>

#include "engine/base/footprint.hpp"

namespace heddle::engine {
namespace {

/// MPICH 5.0.2 and Open MPI 5.0.11 complete shorter sends to a rank of the node before they are
/// received.
constexpr Bytes host_waits_from = 128 << 10;

}  // namespace

Rendezvous::Rendezvous(Node& node, const Elements& elements, Ends ends, Probes probes, const Wanted& wanted,
                       const report::ReportedCall& reported)
    : node_(node), elements_(elements), reported_(reported) {
  std::optional<report::Stopwatch> watch(std::in_place, reported_.times(), &report::Times::search);
  const auto [type, count, address, peer, tag, comm] = elements;
  if (node.lengths(peer).overlaps()) return;  // it could lose the descriptor
  const select::Statistics* const statistics = type->statistics();
  if (!statistics) return;
  const Bytes bytes = count * type->size();
  const bool piece = type->contiguous(count) && !node.scatter_hints().of(peer);
  const bool own = peer == node.me();
  if (piece && (own || !node.moves_pieces(bytes))) return;

  // A message that outlives the call is left open only if the receiver needs nothing from this
  // process, and can read the data even if mappings fail. The message must also be so long that
  // hosts, too, do not complete it before its receive. Programs count on early completion of small
  // messages.
  // A message of a rank to itself stays open until its send ends, whatever its length: then this
  // process packs.
  const bool blocking = ends != Ends::with_request;
  const bool own_open = own && ends != Ends::in_call;
  const bool waits = blocking || bytes >= host_waits_from;
  const transport::Transport* const copying = node.copied_by(peer);
  bool readable = waits && copying;
  const Footprint touched = footprint_of(type->layout(), count);
  std::optional<transport::Place> place;
  if (blocking || readable) place = node.shared().find(static_cast<const std::byte*>(address) + touched.low, touched.bytes());
  // The receiver attaches other memory only while this process stays in its call: the program may
  // unmap it afterwards.
  const transport::Transport* attaching = blocking && !place ? node.mapped_by(peer) : nullptr;
  const select::Facts facts{.bytes = bytes,
                            .sender = statistics->of(count),
                            .receiver = {},
                            .mapped = own ? own_open : place || attaching,
                            .preparation = attaching ? attaching->entry().preparation(touched.bytes()) : 0,
                            .process_vm = readable,
                            .early = !waits && reported_.wanted() && copying,
                            .crowded = node.crowded(),
                            .blocking = blocking,
                            .own = own,
                            .paired = ends == Ends::beside_receive || ends == Ends::in_collective,
                            .line = static_cast<double>(node.distances().line(peer)),
                            .profile = &node.profile()};
  const select::Choice choice = wanted.scheme ? select::with(*wanted.scheme, facts) : select::choose(facts);
  if (reported_.wanted()) reason_.reset(new (std::nothrow) Reason{facts, choice, wanted.scheme.has_value()});
  if (piece && !select::beats(facts, choice, wanted.host)) return;

  const auto probed = [&] {
    if (probes == Probes::none) return Probed::never;
    return node.lengths(peer).probes() ? Probed::yes : Probed::perhaps;
  };
  Plan plan{.scheme = choice.scheme,
            .segment = wanted.segment > 0 ? wanted.segment : choice.segment,
            .grace_ns = static_cast<std::int64_t>(choice.grace),
            .receiver = peer,
            .stores = choice.stores,
            .probed = probed(),
            .tag = tag,
            .comm = comm};
  const bool packs = plan.scheme == Scheme::bc_spup || (plan.scheme == Scheme::p_rrs && !type->contiguous(count));
  // The receiver may wait for a message that this process leaves, while this process waits for the
  // receiver. So the system must still let the receiver read it.
  const bool leaves = ends == Ends::with_request || ends == Ends::in_collective;
  if (!packs && !place && leaves) {
    readable = readable && copying->reachable_now();
    if (!readable) attaching = nullptr;
  }
  if (own) {
    plan.pullable = own_open && (plan.scheme == Scheme::direct || plan.scheme == Scheme::both);
  } else if (!packs && (place || attaching || readable)) {
    plan.place = place;
    plan.attachable = attaching != nullptr;
    plan.layout = type->listed(node.rendezvous_sender().datatype_cache());
    plan.pullable = plan.layout.wire_bytes > 0;
  }
  if (packs) watch.emplace(reported_.times(), &report::Times::pack);  // room for packed bytes: its pages may be new
  message_ = node.rendezvous_sender().begin({&type->layout(), count, address}, plan, descriptor_);
  if (message_) std::memset(padding_, 0, descriptor_.length - sizeof descriptor_);
}

std::string Rendezvous::Reason::text() const { return forced ? "HEDDLE_SCHEME says so" : select::why(facts, choice); }

Rendezvous::~Rendezvous() {
  if (!message_) return;
  if (settled_)
    node_.rendezvous_sender().leave(message_);
  else
    node_.rendezvous_sender().withdraw(message_);
}

bool Rendezvous::settle() noexcept {
  node_.rendezvous_sender().settle(*message_, reported_.times());
  const bool noted = node_.note_sent(descriptor_.total);
  reported_.end(elements_.type->layout(), select::name(descriptor_.scheme), descriptor_.total,
                [this] { return reason_ ? reason_->text() : std::string(); });
  settled_ = true;
  return noted;
}

}  // namespace heddle::engine
