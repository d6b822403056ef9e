// report/observed.cpp: the observer's two ends of a call, and the names that it asks the host for.
#include "report/observed.hpp"

#include <algorithm>
#include <utility>

namespace heddle::report {
namespace {

thread_local constinit std::uint64_t last_number [[gnu::tls_model("initial-exec")]] = 0;
/// Time of calls that are over, within the call that this thread is in, ns. A call's own time does
/// not include it, so that times of calls add up: a callback of the program, or the library, may
/// call MPI within a call.
thread_local constinit double within_call [[gnu::tls_model("initial-exec")]] = 0;

/// Bytes of a call's blocks.
class BlockSizes {
 public:
  /// @param size  Size of the call's datatype, bytes. Negative: MPI is asked when it is needed.
  BlockSizes(const Meanings& meanings, const Called& called, std::int64_t size) noexcept
      : meanings_(meanings), called_(called), size_(size) {}

  /// Bytes of block i. A product that overflows counts as 0, because no program has so much memory.
  [[nodiscard]] std::int64_t of(const Blocks& blocks, int i) noexcept {
    const std::int64_t count = count_of(blocks, i, meanings_);
    if (count <= 0) return 0;
    const std::int64_t size = size_of(blocks.types ? meanings_.type_at(blocks.types, i) : blocks.type);
    std::int64_t bytes = 0;
    return size < 0 || __builtin_mul_overflow(count, size, &bytes) ? 0 : bytes;
  }

 private:
  std::int64_t size_of(std::uint64_t type) noexcept {
    if (size_ >= 0 && type == called_.type && called_.typed) return size_;
    if (type == 0) return 0;
    if (type != asked_) {
      answer_ = meanings_.size_of(type);
      asked_ = type;
    }
    return answer_;
  }

  const Meanings& meanings_;
  const Called& called_;
  const std::int64_t size_;
  std::uint64_t asked_ = 0;  // last datatype and its size: many blocks share a datatype
  std::int64_t answer_ = 0;
};

Moves moves_of(const Called& called, const Partners& partners, std::int64_t size) noexcept {
  Moves moves{.pattern = called.pattern,
              .peer = called.peer,
              .is_root = called.root == (partners.inter ? Called::itself : partners.me),
              .has_block = !partners.inter || called.root >= 0,
              .root = called.root,
              .sends_in_place = called.sent.in_place,
              .receives_in_place = called.received.in_place};
  std::int64_t bytes = 0;
  if (size >= 0 && !called.in_place && called.count >= 0 && !__builtin_mul_overflow(called.count, size, &bytes))
    moves.one = bytes;
  return moves;
}

}  // namespace

Observer::Mark Observed::begins(const Called& called) noexcept {
  Met* const met = meet(called);
  if (!met) return {};
  const Caller before = caller_of_thread;  // the program's callbacks may call MPI, too
  if (last_number == 0) {
    report_.add_thread();
    last_number = std::uint64_t{thread_number()} << 40U;
  }
  caller_of_thread = {met->site.load(std::memory_order_acquire), ++last_number};
  return {met, before, now(), std::exchange(within_call, 0)};
}

void Observed::ends(const Called& called, const Mark& mark, bool done) noexcept {
  if (!mark.met) {
    if (messages_ && MessageLog::matters(called.ends)) messages_->give_up();
    return;
  }
  const double end = now();
  const double all_ns = end - mark.since;
  const double ns = all_ns - within_call;
  within_call = mark.within + all_ns;
  const Met& met = *static_cast<const Met*>(mark.met);
  const Caller caller = caller_of_thread;
  const std::int64_t planned = done ? moved(called, met) : -1;
  const std::int64_t bytes = called.later ? -1 : planned;
  if (caller.site) {
    const CallSite::End how =
        caller.site->ends(caller.number, ns, bytes, meanings_.why(called, caller.chosen != nullptr), caller.carried);
    if (Log* const log = report_.log()) log->add_call(*caller.site, how, bytes, ns);
  }
  if (caller.chosen && planned > 0) caller.chosen->bytes.fetch_add(planned, std::memory_order_relaxed);
  if (caller.site && trace_) {
    const Partners* const partners = met.partners.load(std::memory_order_acquire);
    const auto to = static_cast<std::size_t>(called.peer);
    const int peer = called.peer < 0 ? -1 : partners && to < partners->world.size() ? partners->world[to] : called.peer;
    trace_->add({caller.site, mark.since, end, bytes, peer, thread_number()});
  }
  if (messages_) {
    if (done && called.ends.made) meet_communicator(called);
    messages_->add(
        called, met.partners.load(std::memory_order_acquire), met.communicator.load(std::memory_order_relaxed),
        {.site = caller.site, .begin = mark.since, .end = end, .call = 0, .thread = thread_number(), .others = false}, done);
  }
  caller_of_thread = mark.before;
}

void Observed::meet_communicator(const Called& called) noexcept try {
  const std::uint64_t made = meanings_.communicator_at(called.ends.made);
  // A communicator of MPI_Comm_idup is not complete yet, but has the ranks of its parent.
  if (made != 0) messages_->made(made, meanings_.partners(called.ends.made_later ? called.communicator : made));
  tell_of_new_handle();
} catch (const std::exception&) {
  return;  // its messages count as those of the first communicator of these ranks
}

Met* Observed::meet(const Called& called) noexcept try {
  return remembered_.meet({called.procedure, called.from, called.type, called.communicator},
                          [&](Met& met) { ask(met, called); });
} catch (const std::exception&) {
  return nullptr;
}

void Observed::ask(Met& met, const Called& called) {
  CallSite::Name name{
      .procedure = meanings_.procedure(called.procedure), .place = place_of(called.from), .datatype = {}, .communicator = {}};
  // MPI ignores the argument if the call is in place.
  if (called.typed && !called.in_place && meanings_.is_datatype(called.type)) {
    name.datatype = meanings_.datatype(called.type);
    if (name.datatype.empty()) name.layout = meanings_.layout(called.type);
    if (const std::int64_t size = meanings_.size_of(called.type); size >= 0) met.size.store(size, std::memory_order_relaxed);
  }
  if (called.communicator != 0) {
    name.communicator = called.windowed ? meanings_.window(called.communicator) : meanings_.communicator(called.communicator);
    // The next call from here may have a partner even if this one has none.
    const bool follows = messages_ && (called.ends.of_messages || called.ends.meets != Meets::nobody);
    if (called.pattern != Pattern::none || (report_.counts_peers() && called.peer != Called::nobody) || follows)
      met.partners.store(remembered_.partners(called.communicator, [&] { return meanings_.partners(called.communicator); }),
                         std::memory_order_release);
    if (const Partners* const partners = met.partners.load(std::memory_order_relaxed); partners && follows)
      met.communicator.store(messages_->communicator(called.communicator, *partners), std::memory_order_relaxed);
  }
  met.site.store(report_.site(std::move(name)), std::memory_order_release);
}

std::int64_t Observed::moved(const Called& called, const Met& met) noexcept try {
  if (called.requests && !called.later) return start(called);
  const Partners nobody;
  const Partners* const known = met.partners.load(std::memory_order_acquire);
  const Partners& partners = known ? *known : nobody;
  const std::int64_t size = met.size.load(std::memory_order_relaxed);
  BlockSizes sizes(meanings_, called, size);
  const Moves moves = moves_of(called, partners, size);
  const auto sent = [&](int i) { return sizes.of(called.sent, i); };
  const auto received = [&](int i) { return sizes.of(called.received, i); };
  const Volume volume(moves, partners, sent, received);

  Planned planned{.bytes = volume.bytes()};
  const std::int64_t bytes = planned.bytes;
  if (report_.counts_peers()) {
    if (called.later)
      volume.each([&](int rank, std::int64_t some) { planned.to.emplace_back(rank, some); });
    else if (bytes > 0)
      volume.each([this](int rank, std::int64_t some) { report_.add_sent(rank, some); });
  }
  if (!called.later) return bytes;
  if (const std::uint64_t request = meanings_.request_at(called.requests, 0)) remembered_.plan(request, std::move(planned));
  return bytes;
} catch (const std::exception&) {
  return -1;
}

std::int64_t Observed::start(const Called& called) noexcept {
  std::int64_t bytes = -1;
  const std::int64_t requests = called.count < 0 ? 1 : called.count;  // MPI_Start has no count
  for (int i = 0; i < requests; ++i) {
    const std::int64_t one = remembered_.start(meanings_.request_at(called.requests, i),
                                               [this](int rank, std::int64_t some) { report_.add_sent(rank, some); });
    if (one >= 0) bytes = std::max<std::int64_t>(bytes, 0) + one;
  }
  return bytes;
}

}  // namespace heddle::report
