// report/message_log.cpp: notes of sends, receives and collectives, in bounded room.
#include "report/message_log.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

namespace heddle::report {
namespace {

constexpr std::size_t most_probed = 64;

std::uint64_t mixed(std::uint64_t ranks, std::uint64_t number) noexcept {
  constexpr std::uint64_t golden = 0x9E3779B97F4A7C15U;
  return (ranks ^ (number * golden)) * golden;
}

bool is_wildcard(const Ends& ends) noexcept { return ends.source == Ends::any || ends.source_tag == Ends::any; }

}  // namespace

MessageLog::MessageLog(const Meanings& meanings, std::size_t most)
    : meanings_(meanings), sends_(most), receives_(most), arrivals_(most) {}

void MessageLog::add(const Called& called, const Partners* partners, std::uint64_t communicator, Waited waited,
                     bool done) noexcept {
  const std::lock_guard guard(lock_);
  try {
    record(called, partners, communicator, waited, done);
  } catch (const std::exception&) {
    end();  // no memory
  }
}

void MessageLog::record(const Called& called, const Partners* partners, std::uint64_t communicator, Waited waited, bool done) {
  const Ends& ends = called.ends;
  waited.call = ++calls_;
  if (!done) {
    if (matters(ends)) end();
    return;
  }
  if (ends.completes != Completes::none) return complete(ends, waited);
  if (ends.started) {
    for (int i = 0; i < ends.requests; ++i) {
      const std::uint64_t request = meanings_.request_at(ends.started, i);
      if (const auto found = persistent_.find(request); found != persistent_.end()) {
        const auto& [of_start, with, on] = found->second;
        open(request, begin(of_start, with, on, waited));
      }
    }
    return;
  }
  if (!concerns(ends) || !partners) return;
  if (ends.meets != Meets::nobody) return arrive(called, *partners, communicator, waited);
  if (called.later) {
    persistent_.insert_or_assign(meanings_.request_at(ends.begun, 0), Persistent{ends, partners, communicator});
    return;
  }
  if (ends.flag && *ends.flag == 0) return;
  if (ends.probes) return probe(ends, partners, communicator, waited);
  const Open messages = begin(ends, partners, communicator, waited);
  if (ends.begun)
    open(meanings_.request_at(ends.begun, 0), messages);
  else
    complete(messages, waited, ends.statuses, 0);
}

int MessageLog::world_rank(const Partners* partners, int rank) noexcept {
  const auto at = static_cast<std::size_t>(rank);
  return partners && rank >= 0 && at < partners->world.size() ? partners->world[at] : -1;
}

MessageLog::Open MessageLog::begin(const Ends& ends, const Partners* partners, std::uint64_t communicator,
                                   const Waited& waited) noexcept {
  Open messages{.partners = partners};
  const auto end = [&](int peer, int tag) {
    return MessageEnd{
        .communicator = communicator, .peer = peer, .tag = tag, .begun = waited.begin, .thread = waited.thread, .waited = {}};
  };
  // Processes that are not in MPI_COMM_WORLD have no report.
  if (const int to = world_rank(partners, ends.destination); to >= 0) messages.send = sends_.add(end(to, ends.tag));
  const int from = world_rank(partners, ends.source);
  if (from >= 0 || ends.source == Ends::any) messages.receive = receives_.add(end(from, ends.source_tag));
  messages.wildcard = messages.receive != none && is_wildcard(ends);
  if (messages.wildcard) undecided_.fetch_add(1, std::memory_order_relaxed);
  return messages;
}

void MessageLog::open(std::uint64_t request, Open messages) {
  if (messages.send == none && messages.receive == none) return;
  messages.number = ++numbers_;
  const auto [first, last] = open_.equal_range(request);
  // MPICH gives all sends that are complete at once the same request.
  if (first != last && first->second.receive == none && messages.receive == none)
    std::prev(last)->second = messages;
  else
    open_.emplace_hint(last, request, messages);
}

void MessageLog::number(const Ends& ends, std::uint64_t* numbers) const noexcept {
  const std::lock_guard guard(lock_);
  for (int i = 0; i < ends.requests; ++i) {
    const auto [first, last] = open_.equal_range(meanings_.request_at(ends.completed, i));
    numbers[i] = first == last ? 0 : std::prev(last)->second.number;
  }
}

/// The open messages of a request that a call has completed.
std::optional<MessageLog::Open> MessageLog::take(const Ends& ends, int i) {
  auto [at, last] = open_.equal_range(meanings_.request_at(ends.completed, i));
  if (ends.numbers) at = std::find_if(at, last, [&](const auto& each) { return each.second.number == ends.numbers[i]; });
  if (at == last) return std::nullopt;
  const Open messages = at->second;
  open_.erase(at);
  return messages;
}

/// The program will not learn when these messages are complete.
void MessageLog::forget(const Open& messages) noexcept {
  if (!messages.undecided()) return;
  if (messages.receive != none) receives_.end_at(messages.receive);
  if (messages.cancelled && messages.send != none) sends_.end_at(messages.send);
  undecided_.fetch_sub(1, std::memory_order_relaxed);
}

void MessageLog::complete(const Ends& ends, Waited waited) {
  if (ends.flag && *ends.flag == 0) return;
  const auto at = [&](int i) { return meanings_.request_at(ends.completed, i); };
  switch (ends.completes) {
    case Completes::one:
    case Completes::all:
      for (int i = 0; i < ends.requests; ++i) waited.others |= at(i) != 0 && !open_.contains(at(i));
      for (int i = 0; i < ends.requests; ++i) complete(ends, i, waited, i);
      return;
    case Completes::any:
      if (*ends.index >= 0 && *ends.index < ends.requests) complete(ends, *ends.index, waited, 0);
      return;
    case Completes::some:
      for (int i = 0; i < *ends.how_many; ++i) complete(ends, ends.indices[i], waited, i);
      return;
    case Completes::freed:
      persistent_.erase(at(0));
      if (const auto messages = take(ends, 0)) forget(*messages);
      return;
    case Completes::cancelled:
      if (const auto found = open_.find(at(0)); found != open_.end()) {
        if (!found->second.undecided()) undecided_.fetch_add(1, std::memory_order_relaxed);
        found->second.cancelled = true;
      }
      return;
    case Completes::none:
      return;
  }
}

void MessageLog::complete(const Ends& ends, int request, const Waited& waited, int status) {
  if (const auto messages = take(ends, request)) complete(*messages, waited, ends.statuses, status);
}

void MessageLog::complete(const Open& messages, const Waited& waited, const void* statuses, int i) noexcept {
  if (messages.undecided() && !statuses) return forget(messages);
  if (messages.undecided()) undecided_.fetch_sub(1, std::memory_order_relaxed);
  if (messages.cancelled && meanings_.is_cancelled(statuses, i)) {  // it has matched nothing
    if (messages.send != none) sends_.entries[messages.send].peer = -1;
    if (messages.receive != none) receives_.entries[messages.receive].peer = -1;
    return;
  }
  if (messages.send != none) sends_.entries[messages.send].waited = waited;
  if (messages.receive == none) return;
  MessageEnd& received = receives_.entries[messages.receive];
  received.waited = waited;
  if (messages.wildcard) {
    const auto [source, tag] = meanings_.status_at(statuses, i);
    received.peer = world_rank(messages.partners, source);
    received.tag = tag;
  }
  const auto same = [&](const Probed& each) {
    return each.communicator == received.communicator && each.peer == received.peer && each.tag == received.tag &&
           each.waited.end <= received.begun;
  };
  if (const auto probed = std::ranges::find_if(probed_, same); probed != probed_.end()) {
    received.waited = probed->waited;
    probed_.erase(probed);
  }
}

/// The rank waits in MPI_Probe, and not in the call that then receives the message.
void MessageLog::probe(const Ends& ends, const Partners* partners, std::uint64_t communicator, const Waited& waited) {
  Probed probed{
      .communicator = communicator, .peer = world_rank(partners, ends.source), .tag = ends.source_tag, .waited = waited};
  if (is_wildcard(ends)) {
    if (!ends.statuses) return;
    const auto [source, tag] = meanings_.status_at(ends.statuses, 0);
    probed.peer = world_rank(partners, source);
    probed.tag = tag;
  }
  const auto same = [&](const Probed& each) {
    return each.communicator == probed.communicator && each.peer == probed.peer && each.tag == probed.tag;
  };
  if (probed.peer < 0 || std::ranges::any_of(probed_, same)) return;  // the program has probed twice
  if (probed_.size() >= most_probed) probed_.erase(probed_.begin());
  probed_.push_back(probed);
}

void MessageLog::arrive(const Called& called, const Partners& partners, std::uint64_t communicator, const Waited& waited) {
  if (partners.inter) return;  // each group has roles of its own
  const std::uint32_t number = arrivals_.full() ? 0 : met_[communicator]++;
  arrivals_.add({.communicator = communicator,
                 .number = number,
                 .meets = called.ends.meets,
                 .is_root = called.root == partners.me,
                 .waited = waited});
}

void MessageLog::end() noexcept {
  sends_.end_at(sends_.count);
  receives_.end_at(receives_.count);
  arrivals_.end_at(arrivals_.count);
  open_.clear();
  undecided_.store(0, std::memory_order_relaxed);
}

void MessageLog::give_up() noexcept {
  const std::lock_guard guard(lock_);
  end();
}

void MessageLog::made(std::uint64_t handle, const Partners& partners) {
  const std::lock_guard guard(lock_);
  made_.insert_or_assign(handle, mixed(partners.identity, ++of_ranks_[partners.identity]));
}

std::uint64_t MessageLog::communicator(std::uint64_t handle, const Partners& partners) const {
  const std::lock_guard guard(lock_);
  const auto found = made_.find(handle);
  return found != made_.end() ? found->second : partners.identity;
}

}  // namespace heddle::report
