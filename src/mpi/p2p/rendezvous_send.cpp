// mpi/p2p/rendezvous_send.cpp: the sender's side.
#include <cstring>
#include <new>
#include <optional>

#include "engine/touched.hpp"
#include "mpi/node/links.hpp"
#include "mpi/p2p/rendezvous.hpp"
#include "mpi/process/process.hpp"
#include "select/forced.hpp"

namespace heddle::mpi {

namespace {

/// MPICH 5.0.2 and Open MPI 5.0.11 complete shorter sends to a rank of the node before they are received.
constexpr Bytes host_waits_from = 128 << 10;

}  // namespace

RendezvousSend::RendezvousSend(const Buffer& data, Derived type, const Envelope& to, Ends ends, Probes probes) {
  std::optional<report::Stopwatch> watch(std::in_place, reported_.times(), &report::Times::search);
  Node* node = Node::here();
  if (!type || !node || !may_meet(*node, *type.get(), data.count)) return;
  const int peer = node->peer(to.comm, to.rank);
  if (peer < 0) return;
  peer_ = peer;
  type_ = std::move(type);
  const select::Statistics* statistics = type_->statistics();
  if (!statistics) return;
  const Bytes bytes = data.count * type_->size();
  const bool piece = type_->contiguous(data.count) && !node->scatter_hints().of(peer);
  if (piece && !node->moves_pieces(bytes)) return;

  // A message that outlives the call is left open only to a receiver that needs nothing from us, whatever its mappings do; and
  // only if hosts, too, would not complete it before its receive: programs count on that for small ones.
  const bool blocking = ends != Ends::with_request;
  const bool readable = node->read_by(peer) && (blocking || bytes >= host_waits_from);
  const engine::Touched touched = engine::touched_by(type_->layout(), data.count);
  std::optional<transport::Place> place;
  if (blocking || readable)
    place = node->shared().find(static_cast<const std::byte*>(data.address) + touched.low, touched.bytes());
  const select::Facts facts{.bytes = bytes,
                            .sender = statistics->of(data.count),
                            .receiver = {},
                            .mapped = place.has_value(),
                            .process_vm = readable,
                            .crowded = node->crowded(),
                            .blocking = blocking,
                            .paired = ends == Ends::beside_receive || ends == Ends::in_collective,
                            .line = static_cast<double>(node->distances().line(peer)),
                            .profile = &node->profile()};
  const settings::Settings& set = settings_of_process();
  const std::optional<select::Scheme> scheme = select::forced(set.scheme);
  const select::Choice choice = scheme ? select::with(*scheme, facts) : select::choose(facts);
  if (reported_.wanted()) reason_.reset(new (std::nothrow) Reason{facts, choice, scheme.has_value()});
  if (piece && !select::beats(facts, choice, links_of_job().node)) return;

  const auto probed = [&] {
    if (probes == Probes::none) return engine::Probed::never;
    return node->lengths(peer).probes() ? engine::Probed::yes : engine::Probed::perhaps;
  };
  engine::Plan plan{.scheme = choice.scheme,
                    .segment = set.segment > 0 ? set.segment : choice.segment,
                    .grace_ns = static_cast<std::int64_t>(choice.grace),
                    .receiver = peer,
                    .stores = choice.stores,
                    .probed = probed(),
                    .tag = probes == Probes::none ? -1 : to.tag};
  const bool packs =
      plan.scheme == select::Scheme::bc_spup || (plan.scheme == select::Scheme::p_rrs && !type_->contiguous(data.count));
  if (!packs && (place || readable)) {
    plan.place = place;
    plan.layout = type_->listed(node->outbox().datatype_cache());
    plan.pullable = plan.layout.wire_bytes > 0;
  }
  if (packs) watch.emplace(reported_.times(), &report::Times::pack);  // room for it: its pages may be new
  message_ = node->outbox().begin({&type_->layout(), data.count, data.address}, plan, descriptor_);
  if (message_) std::memset(padding_, 0, descriptor_.length - sizeof descriptor_);
}

std::string RendezvousSend::Reason::text() const { return forced ? "HEDDLE_SCHEME says so" : select::why(facts, choice); }

RendezvousSend::~RendezvousSend() {
  if (!message_) return;
  engine::Outbox& outbox = Node::ever()->outbox();
  if (settled_)
    outbox.leave(message_);
  else
    outbox.withdraw(message_);
}

void RendezvousSend::settle() noexcept {
  Node* node = Node::ever();
  node->outbox().settle(*message_, reported_.times());
  node->has_sent(descriptor_.total);
  reported_.end(type_->layout(), select::name(descriptor_.scheme), descriptor_.total,
                [this] { return reason_ ? reason_->text() : std::string(); });
  settled_ = true;
}

}  // namespace heddle::mpi
