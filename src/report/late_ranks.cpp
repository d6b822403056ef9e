// report/late_ranks.cpp: matches both ends of each message, and adds up the waiting by late rank.
#include "report/late_ranks.hpp"

#include <algorithm>
#include <numeric>

namespace heddle::report {
namespace {

/// Groups indices of the ends by key(index), each group in its order.
template <class Key>
std::vector<std::uint32_t> grouped(std::size_t size, const Key& key) {
  std::vector<std::uint32_t> order(size);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  return order;
}

}  // namespace

void LateRanks::wait(const Waited& waited, double until, Cause cause, int rank) {
  // Nobody waits for an event after the wait.
  if (!waited.site || rank == me_ || until > waited.end + slack + error_) return;
  const double ns = std::min(until, waited.end) - waited.begin;
  if (ns <= 0) return;
  auto [at, is_new] = longest_.try_emplace(waited.call, Late{waited.site, cause, rank, ns});
  if (!is_new && at->second.ns < ns) at->second = {waited.site, cause, rank, ns};
}

std::vector<int> LateRanks::received() const {
  std::vector<int> counts(static_cast<std::size_t>(ranks_));
  for (const MessageEnd& each : log_.receives())
    if (each.peer >= 0) ++counts[static_cast<std::size_t>(each.peer)];
  return counts;
}

Notes<Sent> LateRanks::sent(const std::vector<int>& most) {
  Notes<Sent> notes(ranks_);
  const auto sends = log_.sends();
  for (const std::uint32_t i : grouped(sends.size(), [&](std::uint32_t at) { return sends[at].peer; })) {
    if (sends[i].peer < 0) continue;
    const auto to = static_cast<std::size_t>(sends[i].peer);
    if (notes.counts[to] >= most[to]) continue;
    ++notes.counts[to];
    notes.notes.push_back({sends[i].communicator, sends[i].begun + ahead_, sends[i].tag, i});
    told_.push_back(i);
  }
  return notes;
}

Notes<Answer> LateRanks::answer(const Notes<Sent>& sent) {
  Notes<Answer> answers(ranks_);
  answers.counts = sent.counts;
  answers.notes.assign(sent.notes.size(), {-1});
  std::vector<int> from;  // the sender of each note
  for (int rank = 0; rank < ranks_; ++rank)
    from.insert(from.end(), static_cast<std::size_t>(sent.counts[static_cast<std::size_t>(rank)]), rank);

  const auto receives = log_.receives();
  using Key = std::tuple<int, std::uint64_t, std::int32_t>;
  const auto key_of_send = [&](std::uint32_t i) { return Key{from[i], sent.notes[i].communicator, sent.notes[i].tag}; };
  const auto key_of_receive = [&](std::uint32_t i) { return Key{receives[i].peer, receives[i].communicator, receives[i].tag}; };
  const auto sends_in_order = grouped(sent.notes.size(), key_of_send);
  const auto receives_in_order = grouped(receives.size(), key_of_receive);
  for (auto s = sends_in_order.begin(), r = receives_in_order.begin();
       s != sends_in_order.end() && r != receives_in_order.end();) {
    const Key send = key_of_send(*s), receive = key_of_receive(*r);
    if (send < receive) {
      ++s;
    } else if (receive < send) {
      ++r;
    } else {
      const MessageEnd& received = receives[*r++];
      const std::uint32_t note = *s++;
      if (!received.waited.site) continue;
      answers.notes[note].begun = received.begun + ahead_;
      wait(received.waited, sent.notes[note].begun - ahead_, Cause::late_sender, from[note]);
      arrows_.push_back({false, received.waited.end, received.waited.thread, from[note], sent.notes[note].number});
    }
  }
  return answers;
}

void LateRanks::hear(const Notes<Answer>& answers) {
  for (std::size_t k = 0; k < told_.size() && k < answers.notes.size(); ++k) {
    if (answers.notes[k].begun < 0) continue;
    const MessageEnd& send = log_.sends()[told_[k]];
    // A sender that was done before the receive has not waited for it: the library had kept the
    // message. If its call waited for others as well, nobody knows when this send was done.
    if (const double begun = answers.notes[k].begun - ahead_; begun <= send.waited.end + error_ && !send.waited.others)
      wait(send.waited, begun, Cause::late_receiver, send.peer);
    arrows_.push_back({true, send.begun, send.thread, me_, told_[k]});
  }
}

std::size_t LateRanks::comparing(const Arrival& arrival) const noexcept {
  return threads::hash_of(arrival.communicator + arrival.number, 32) % static_cast<std::size_t>(ranks_);
}

Notes<Arrived> LateRanks::arrived() const {
  Notes<Arrived> notes(ranks_);
  const auto arrivals = log_.arrivals();
  for (const Arrival& each : arrivals) ++notes.counts[comparing(each)];
  notes.notes.reserve(arrivals.size());
  for (const std::uint32_t i : grouped(arrivals.size(), [&](std::uint32_t at) { return comparing(arrivals[at]); }))
    notes.notes.push_back({arrivals[i].communicator, arrivals[i].waited.begin + ahead_,
                           arrivals[i].waited.end + ahead_ + slack + error_, arrivals[i].number, arrivals[i].is_root});
  return notes;
}

Notes<Latest> LateRanks::latest(const Notes<Arrived>& arrived) {
  struct Meeting {
    std::vector<std::pair<double, int>> begun;  // and the rank
    double root_begun = -1;
    int root = -1;
  };
  Notes<Latest> answers(static_cast<int>(arrived.counts.size()));
  answers.counts = arrived.counts;
  const auto key = [](const Arrived& one) { return std::pair(one.communicator, one.number); };
  std::map<std::pair<std::uint64_t, std::uint32_t>, Meeting> meetings;
  auto note = arrived.notes.begin();
  for (std::size_t rank = 0; rank < arrived.counts.size(); ++rank)
    for (int i = 0; i < arrived.counts[rank]; ++i, ++note) {
      Meeting& meeting = meetings[key(*note)];
      meeting.begun.emplace_back(note->begun, static_cast<int>(rank));
      if (note->is_root != 0) std::tie(meeting.root_begun, meeting.root) = std::pair(note->begun, static_cast<int>(rank));
    }
  for (auto& [which, meeting] : meetings) std::ranges::sort(meeting.begun);
  answers.notes.reserve(arrived.notes.size());
  for (const Arrived& one : arrived.notes) {
    const Meeting& meeting = meetings.at(key(one));
    // A rank that has blocks for few ranks may leave before others come.
    const auto after = std::ranges::upper_bound(meeting.begun, one.ended, {}, &std::pair<double, int>::first);
    const auto [begun, rank] = after == meeting.begun.begin() ? std::pair(-1.0, -1) : *std::prev(after);
    answers.notes.push_back({begun, meeting.root_begun, rank, meeting.root});
  }
  return answers;
}

void LateRanks::hear(const Notes<Latest>& latest) {
  const auto arrivals = log_.arrivals();
  const auto order = grouped(arrivals.size(), [&](std::uint32_t at) { return comparing(arrivals[at]); });  // as in arrived()
  for (std::size_t k = 0; k < order.size() && k < latest.notes.size(); ++k) {
    const Arrival& mine = arrivals[order[k]];
    const Latest& of = latest.notes[k];
    if (mine.meets == Meets::root && !mine.is_root && of.root >= 0)
      wait(mine.waited, of.root_begun - ahead_, Cause::collective, of.root);
    if (mine.meets == Meets::all || (mine.meets == Meets::at_root && mine.is_root))
      wait(mine.waited, of.last_begun - ahead_, Cause::collective, of.last);
  }
}

std::vector<Late> LateRanks::found() const {
  std::map<std::tuple<const CallSite*, Cause, int>, double> sums;
  for (const auto& [call, late] : longest_) sums[{late.site, late.cause, late.rank}] += late.ns;
  std::vector<Late> found;
  for (const auto& [key, ns] : sums) found.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), ns});
  return found;
}

}  // namespace heddle::report
