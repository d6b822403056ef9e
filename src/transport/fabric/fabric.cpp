// transport/fabric/fabric.cpp: opens the fabric, and keeps account of messages and operations.
#include "transport/fabric/fabric.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>

namespace heddle::transport::fabric {
namespace {

Identity who_we_are() {
  std::string text;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> text;
  struct stat space {};
  if (stat("/proc/self/ns/pid", &space) == 0) text += std::to_string(space.st_ino);
  return {std::hash<std::string>{}(text) | 1, getpid()};
}

Budget budget_of(const Abilities& can, const Options& options) {
  Budget budget;
  if (can.pins) budget.limit = lockable();
  if (options.pinned) budget.limit = std::min(budget.limit, *options.pinned);
  return budget;
}

}  // namespace

std::int64_t steady_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::unique_ptr<Fabric> Fabric::open(const Options& options, Failure& failure, std::string& why) {
  const auto endpoint = [&] {
    std::unique_ptr<Endpoint> opened = open_endpoint(options.wanted, why);
    return opened && options.wrap ? options.wrap(std::move(opened)) : std::move(opened);
  };
  failure = Failure::missing;
  std::unique_ptr<Endpoint> ours = endpoint();
  if (!ours) return nullptr;
  Abilities abilities = ours->abilities();
  why.clear();
  if (options.self_test) {
    const std::unique_ptr<Endpoint> other = endpoint();
    if (!other) return nullptr;
    const Tried tried = fabric::self_test(*ours, *other, options.clock);
    why = tried.why;
    failure = tried.failure;
    if (tried.failure != Failure::none) return nullptr;
    abilities = tried.abilities;
  }
  auto fabric = std::make_unique<Fabric>(std::move(ours), abilities, options);
  failure = fabric->closed_                          ? Failure::registration
            : fabric->address_.size() > most_address ? Failure::incapable
                                                     : Failure::none;
  if (failure == Failure::none) return fabric;
  why = abilities.provider + (failure == Failure::registration ? ": memory for control messages could not be registered"
                                                               : ": addresses of more than 64 bytes");
  return nullptr;
}

Fabric::Fabric(std::unique_ptr<Endpoint> endpoint, const Abilities& abilities, const Options& options)
    : options_(options),
      endpoint_(std::move(endpoint)),
      abilities_(abilities),
      address_(endpoint_->address()),
      identity_(who_we_are()),
      budget_(budget_of(abilities, options)),
      segments_(*endpoint_, budget_, std::max(options.segment, Listing::largest), options.pool),
      letters_(*endpoint_, budget_, letter_bytes, letter_bytes * static_cast<Bytes>(2 * (receives + sends))),
      listing_(*endpoint_, budget_),
      messages_(most_messages),
      generations_(most_messages, 1),
      now_(options.clock()) {
  Keep keep = options.keep.value_or(abilities.caches ? Keep::never : abilities.pins ? Keep::watched : Keep::always);
  keeping_ = abilities.caches ? "libfabric keeps registrations and watches memory itself"
                              : "nothing is pinned: kept until room is short";
  if (options.keep) keeping_ = "as asked for";
  if (keep == Keep::watched) {
    std::string why;
    monitor_ = Monitor::start(why);
    keeping_ = monitor_ ? "watched by userfaultfd" : why + ", so each message registers its own";
    if (!monitor_) keep = Keep::never;
  }
  registrations_ = std::make_unique<Registrations>(*endpoint_, budget_, keep, monitor_.get(), options.prices);
  closed_ = !post_receives();
}

Fabric::~Fabric() {
  close();
  registrations_.reset();
}

Fabric::Work* Fabric::work() {
  if (idle_.empty()) {
    idle_.push_back(&works_.emplace_back());
    idle_.reserve(works_.size());
  }
  Work* const work = idle_.back();
  idle_.pop_back();
  return work;
}

void Fabric::give(Work* work) noexcept {
  work->kind = Work::idle;
  work->owner = nullptr;
  idle_.push_back(work);
}

Posted Fabric::post(Message& message, Post what, std::uint64_t tag) {
  Work* const one = work();
  one->kind = Work::of_message;
  one->owner = &message;
  one->tag = tag;
  one->peer = message.peer_;
  what.to = peers_[message.peer_].handle;
  const Posted answer = endpoint_->post(what, *one);
  if (answer != Posted::yes) give(one);
  return answer;
}

bool Fabric::progress() {
  if (closed_) return false;
  now_ = options_.clock();
  if (!not_posted_.empty()) {
    std::vector<Work*> again;
    again.swap(not_posted_);
    for (Work* const receive : again) receive_again(*receive);
  }
  if (!rendezvous_sender_.empty()) send_letters();
  std::array<Event, 32> events;
  const std::size_t count = endpoint_->poll(events);
  for (std::size_t i = 0; i < count && !closed_; ++i) happened(events[i]);
  if (!rendezvous_sender_.empty()) send_letters();
  if (now_ >= next_patrol_) patrol();
  return count > 0;
}

bool Fabric::advance() {
  bool busy = progress();
  int left = entered_;
  for (std::size_t i = 0; left > 0 && i < messages_.size(); ++i) {
    Message* const message = messages_[i];
    if (!message) continue;
    --left;
    if (message->state_ == State::working && message->failure_ == Failure::none) message->step();
    busy |= message->under_way_ > 0;
  }
  return busy;
}

bool Fabric::enter(Message& message) {
  if (closed_) return false;
  const auto free = std::ranges::find(messages_, nullptr);
  if (free == messages_.end()) return false;
  const auto slot = static_cast<std::uint32_t>(free - messages_.begin());
  message.id_ = generations_[slot]++ << slot_bits | slot;
  *free = &message;
  ++entered_;
  return true;
}

void Fabric::leave(Message& message, bool delivered) noexcept {
  const std::uint32_t slot = message.id_ % most_messages;
  if (message.id_ == 0 || messages_[slot] != &message) return;
  messages_[slot] = nullptr;
  --entered_;
  if (message.met_) --peers_[message.peer_].messages;
  if (delivered) delivered_[next_delivered_++ % delivered_.size()] = message.id_;
}

Message* Fabric::find(std::uint32_t id) const noexcept {
  Message* const message = messages_[id % most_messages];
  return message && message->id_ == id ? message : nullptr;
}

void Fabric::disown(const Message& message) noexcept {
  for (Work& work : works_)
    if (work.owner == &message) work.owner = nullptr;
}

void Fabric::close() noexcept {
  if (closed_) return;
  closed_ = true;
  endpoint_->shut();
  for (Message* const message : std::vector<Message*>(messages_)) {
    if (!message) continue;
    disown(*message);
    message->under_way_ = 0;
    message->gone_ = true;
    if (message->failure_ == Failure::none) message->failure_ = Failure::closed;
    message->end_if_still();
  }
}

}  // namespace heddle::transport::fabric
