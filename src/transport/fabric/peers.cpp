// transport/fabric/peers.cpp: meets peers, sends them control messages, watches them and gives them
// up. Memory does not grow with the job, only with the peers of this process's messages.
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "transport/fabric/fabric.hpp"

namespace heddle::transport::fabric {

bool Fabric::meet(std::span<const std::byte> address, const Identity& who, std::uint32_t& peer) {
  if (address.empty()) return false;
  std::string key(reinterpret_cast<const char*>(address.data()), address.size());
  key.append(reinterpret_cast<const char*>(&who), sizeof who);  // another process may use the same address later
  if (const auto at = by_address_.find(key); at != by_address_.end()) {
    peer = at->second;
    return !peers_[peer].gone;
  }
  Peer met{.who = who, .heard = now_, .key = key};
  if (!endpoint_->connect(address, met.handle)) return false;
  if (abilities_.node_local && who.node == identity_.node)
    met.alive = static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(who.process), 0));
  peer = static_cast<std::uint32_t>(peers_.size());
  peers_.push_back(std::move(met));
  by_address_.emplace(std::move(key), peer);
  return true;
}

Whereabouts Fabric::whereabouts() const noexcept {
  Whereabouts here{.who = identity_, .address_bytes = address_.size()};
  std::ranges::copy(address_, here.address.begin());
  return here;
}

bool Fabric::greet(const Whereabouts& there, std::uint32_t& peer) {
  if (closed_ || there.address_bytes > most_address ||
      !meet(std::span(there.address).first(there.address_bytes), there.who, peer))
    return false;
  peers_[peer].welcomed = false;  // an older welcome may be of a connection that has broken since
  const Whereabouts here = whereabouts();
  tell(peer, {.kind = Kind::hello, .who = here.who, .address_bytes = here.address_bytes, .address = here.address});
  return true;
}

void Fabric::tell(std::uint32_t peer, Control control) {
  if (closed_ || peers_[peer].gone) return;
  seal(control, options_.nonce);
  rendezvous_sender_.push_back({peer, control, now_});
}

void Fabric::send_letters() {
  std::vector<std::uint32_t> full;
  std::vector<std::uint32_t> broken;
  for (auto letter = rendezvous_sender_.begin(); letter != rendezvous_sender_.end() && !letter_slots_.empty();) {
    Peer& peer = peers_[letter->peer];
    // Letters to a peer stay in order. A peer that is full does not hold up the others.
    if (!peer.gone && std::ranges::find(full, letter->peer) != full.end()) {
      ++letter;
      continue;
    }
    Posted answer = peer.gone ? Posted::yes : Posted::full;
    if (!peer.gone && now_ >= peer.next_letter) {
      const Slot slot = letter_slots_.back();
      std::memcpy(slot.at, &letter->control, bytes_of(letter->control));
      Work* const one = work();
      one->kind = Work::control;
      one->peer = letter->peer;
      one->slot = slot;
      const iovec place{slot.at, bytes_of(letter->control)};
      void* const descriptor = slot.region->descriptor;
      answer =
          endpoint_->post({.kind = Post::send, .to = peer.handle, .local = {&place, 1}, .descriptors = {&descriptor, 1}}, *one);
      if (answer == Posted::yes)
        letter_slots_.pop_back();
      else
        give(one);
    }
    if (answer == Posted::full) {
      full.push_back(letter->peer);
      // Wait before the next try: without a connection, each try connects anew, which is dear.
      if (now_ >= peer.next_letter) peer.next_letter = now_ + (now_ - letter->since) / 8;
      if (now_ - letter->since > 3 * options_.patience) broken.push_back(letter->peer);
      ++letter;
      continue;
    }
    if (answer == Posted::broken) broken.push_back(letter->peer);
    letter = rendezvous_sender_.erase(letter);
  }
  for (const std::uint32_t peer : broken) lose(peer);
}

void Fabric::lose(std::uint32_t peer) {
  if (peers_[peer].gone) return;
  peers_[peer].gone = true;
  peers_[peer].lost = now_;
  if (peers_[peer].alive >= 0) ::close(peers_[peer].alive);
  peers_[peer].alive = -1;
  by_address_.erase(peers_[peer].key);  // a process that comes back counts as a new peer
  for (Message* const message : std::vector<Message*>(messages_))
    if (message && message->met_ && message->peer_ == peer) message->lost_peer();
}

/// Called now and then: asks silent peers, gives up dead peers, and closes the fabric if operations
/// never end.
void Fabric::patrol() {
  next_patrol_ = now_ + std::min<std::int64_t>(options_.patience / 4, 50'000'000);
  for (Message* const message : messages_) {
    if (!message || message->failure_ == Failure::none || message->under_way_ == 0) continue;
    if (message->stuck_ == 0) message->stuck_ = now_;
    if (now_ - message->stuck_ > options_.patience) return close();
  }
  for (std::uint32_t i = 0; i < peers_.size(); ++i) {
    Peer& peer = peers_[i];
    if (peer.messages == 0) continue;
    if (peer.gone) {
      // The provider had time to end the operations with this peer.
      if (now_ - peer.lost > options_.patience) return close();
      continue;
    }
    if (peer.alive >= 0) {
      pollfd died{peer.alive, POLLIN, 0};
      if (poll(&died, 1, 0) == 1) {
        lose(i);
        continue;
      }
    }
    if (now_ - peer.heard > options_.patience && now_ - peer.asked > options_.patience) {
      peer.asked = now_;
      tell(i, {.kind = Kind::ping, .who = identity_});
    }
  }
}

}  // namespace heddle::transport::fabric
