// mpi/p2p/probe_queue.cpp: probing without losing what was found.
#include "mpi/p2p/probe_queue.hpp"

#include <algorithm>
#include <new>

#include "layout/lasting.hpp"
#include "mpi/p2p/rendezvous.hpp"
#include "mpi/requests/status_of.hpp"
#include "threads/lock.hpp"

namespace heddle::mpi {

ProbeQueue& ProbeQueue::of_process() noexcept {
  static layout::Lasting<ProbeQueue> queue;
  return *queue;
}

void set_origin(MPI_Status* status, const Origin& origin) noexcept {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = origin.source;
  status->MPI_TAG = origin.tag;
}

void ProbeQueue::tell(const Item& item, MPI_Status* status) noexcept {
  if (status == MPI_STATUS_IGNORE) return;
  set_origin(status, item.origin);
  PMPI_Status_set_elements_x(status, MPI_BYTE, item.origin.bytes);
  PMPI_Status_set_cancelled(status, 0);
}

ProbeQueue::Items::iterator ProbeQueue::find(int source, int tag, const communicators::Hold& comm) {
  auto item = held_.begin();
  while (item != held_.end() && (!item->origin.comm.same(comm) || (source != MPI_ANY_SOURCE && item->origin.source != source) ||
                                 (tag != MPI_ANY_TAG && item->origin.tag != tag)))
    ++item;
  return item;
}

ProbeQueue::Items ProbeQueue::fresh_item() noexcept try { return Items(1); } catch (const std::bad_alloc&) {
  return {};
}

int ProbeQueue::hold(Items& fresh, MPI_Message* message, MPI_Comm comm, const MPI_Status& matched) {
  Item& item = fresh.front();
  const Bytes bytes = bytes_of(matched);
  item.origin = {communicators::Hold(comm), matched.MPI_SOURCE, matched.MPI_TAG, bytes};
  if (!engine::Lengths::possible(bytes) && bytes != engine::network_descriptor_bytes) {
    item.kept = *message;
    held_.splice(held_.end(), fresh);
    count_.fetch_add(1, std::memory_order_acq_rel);
    return MPI_SUCCESS;
  }
  item.length = static_cast<int>(bytes);
  if (const int error = PMPI_Mrecv(item.bytes, item.length, MPI_BYTE, message, MPI_STATUS_IGNORE); error != MPI_SUCCESS)
    return error;
  const Node* const node = Node::here();
  if (begins_like_network_descriptor(item.bytes))
    item.origin.bytes = Network::here()->announced(item.bytes, bytes).value_or(bytes);
  else if (node)
    item.origin.bytes = node->announced(item.bytes, bytes).value_or(bytes);
  held_.splice(held_.end(), fresh);
  count_.fetch_add(1, std::memory_order_acq_rel);
  return MPI_SUCCESS;
}

void ProbeQueue::hand_out(Items& fresh, const Origin& origin, MPI_Message message) {
  fresh.front().origin = origin;
  fresh.front().matched = message;
  sent_.splice(sent_.end(), fresh);
  count_.fetch_add(1, std::memory_order_acq_rel);
}

namespace {

bool from_another_node(const MPI_Status& found, MPI_Comm comm) {
  const Network* const network = Network::here();
  return network && network->elsewhere(comm, found.MPI_SOURCE) >= 0;
}

/// What the host has found means, if it is as long as descriptors are.
std::optional<engine::Lengths::Seen> look_at(const MPI_Status& found, MPI_Comm comm) {
  if (found.MPI_SOURCE == MPI_PROC_NULL) return {};
  const Bytes bytes = bytes_of(found);
  if (bytes == engine::network_descriptor_bytes && from_another_node(found, comm))
    return engine::Lengths::Seen{.kind = engine::Lengths::Kind::unclear, .total = bytes};
  if (!engine::Lengths::possible(bytes)) return {};
  const Node* node = Node::here();
  const int peer = node ? node->peer(comm, found.MPI_SOURCE) : -1;
  if (peer < 0) return {};
  engine::Lengths::Seen seen = node->lengths(peer).seen(bytes, found.MPI_TAG);
  if (seen.kind != engine::Lengths::Kind::rendezvous) seen.total = bytes;
  return seen;
}

/// Whether what was found was there for as long as it took to learn what its length means: another thread may have received it
/// meanwhile, and its length have been given to another message, or to none.
bool stayed(const MPI_Status& found, MPI_Comm comm, const engine::Lengths::Seen& seen) {
  if (!threads::concurrent.load(std::memory_order_relaxed)) return true;
  MPI_Status again;
  int there = 0;
  if (PMPI_Iprobe(found.MPI_SOURCE, found.MPI_TAG, comm, &there, &again) != MPI_SUCCESS || !there) return false;
  const std::optional<engine::Lengths::Seen> still = look_at(again, comm);
  return bytes_of(found) == bytes_of(again) && still && still->kind == seen.kind && still->total == seen.total;
}

}  // namespace

/// What a probe has found, and before it all that the same rank has sent before: what is held overtakes nothing of it.
int ProbeQueue::hold_up_to(const MPI_Status& found, MPI_Comm comm, bool& held) {
  for (;;) {
    Items fresh = fresh_item();
    if (fresh.empty()) return raise_new(MPI_ERR_NO_MEM, MPI_SUCCESS, comm);
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status matched;
    int there = 0;
    int error = PMPI_Improbe(found.MPI_SOURCE, MPI_ANY_TAG, comm, &there, &message, &matched);
    if (error != MPI_SUCCESS || !there) return error;
    error = hold(fresh, &message, comm, matched);
    if (error != MPI_SUCCESS) return error;
    held = matched.MPI_TAG == found.MPI_TAG;
    if (held) return MPI_SUCCESS;
  }
}

int ProbeQueue::probe(int source, int tag, MPI_Comm comm, bool blocking, int* flag, MPI_Status* status) {
  using Kind = engine::Lengths::Kind;
  const StatusOf found(status);
  for (;;) {
    if (any()) {
      const std::lock_guard guard(lock_);
      if (const auto item = find(source, tag, communicators::Hold(comm)); item != held_.end()) {
        tell(*item, status);
        *flag = 1;
        return MPI_SUCCESS;
      }
    }
    const int result =
        blocking ? (*flag = 1, PMPI_Probe(source, tag, comm, found.get())) : PMPI_Iprobe(source, tag, comm, flag, found.get());
    if (result != MPI_SUCCESS || !*flag) return result;
    const std::optional<engine::Lengths::Seen> seen = look_at(*found.get(), comm);
    if (seen && !stayed(*found.get(), comm, *seen)) continue;
    if (seen && seen->kind == Kind::rendezvous) PMPI_Status_set_elements_x(found.get(), MPI_BYTE, seen->total);
    if (!seen || seen->kind != Kind::unclear) return result;
    const std::lock_guard guard(lock_);
    bool held = false;
    if (const int error = hold_up_to(*found.get(), comm, held); error != MPI_SUCCESS) return error;
    if (!held) continue;  // another thread was faster
    tell(held_.back(), status);
    return MPI_SUCCESS;
  }
}

int ProbeQueue::match(int source, int tag, MPI_Comm comm, bool blocking, int* flag, MPI_Message* message, MPI_Status* status) {
  using Kind = engine::Lengths::Kind;
  if (any()) {
    const std::lock_guard guard(lock_);
    if (const auto item = find(source, tag, communicators::Hold(comm)); item != held_.end()) {
      *flag = 1;
      tell(*item, status);
      return send_to_self(item, message);
    }
  }
  const StatusOf found(status);
  const int result = blocking ? (*flag = 1, PMPI_Mprobe(source, tag, comm, message, found.get()))
                              : PMPI_Improbe(source, tag, comm, flag, message, found.get());
  if (result != MPI_SUCCESS || !*flag || *message == MPI_MESSAGE_NO_PROC) return result;
  std::optional<engine::Lengths::Seen> seen = look_at(*found.get(), comm);
  if (!seen && from_another_node(*found.get(), comm))  // its receive is an operation, whose errors need a communicator
    seen = {.kind = Kind::plain, .total = bytes_of(*found.get())};
  if (!seen) return result;
  const std::lock_guard guard(lock_);
  Items fresh = fresh_item();
  if (fresh.empty()) return result;  // it can be received all the same
  if (seen->kind != Kind::unclear) {
    if (seen->kind == Kind::rendezvous) PMPI_Status_set_elements_x(found.get(), MPI_BYTE, seen->total);
    hand_out(fresh, {communicators::Hold(comm), found.get()->MPI_SOURCE, found.get()->MPI_TAG, seen->total}, *message);
    return result;
  }
  if (const int error = hold(fresh, message, comm, *found.get()); error != MPI_SUCCESS) return error;
  tell(held_.back(), status);
  return send_to_self(std::prev(held_.end()), message);
}

Done ProbeQueue::take(int source, int tag, const communicators::Hold& comm, MPI_Message* message) {
  const std::lock_guard guard(lock_);
  const auto item = find(source, tag, comm);
  if (item == held_.end()) return {};
  return send_to_self(item, message);
}

int ProbeQueue::send_to_self(Items::iterator item, MPI_Message* message) {
  if (item->kept != MPI_MESSAGE_NULL) {
    *message = item->matched = item->kept;
    sent_.splice(sent_.end(), held_, item);
    return MPI_SUCCESS;
  }
  for (auto done = sent_.begin(); done != sent_.end();) {
    int complete = 0;
    if (done->matched == MPI_MESSAGE_NULL) PMPI_Test(&done->sent, &complete, MPI_STATUS_IGNORE);
    done = complete ? sent_.erase(done) : std::next(done);
  }
  int error = MPI_SUCCESS;
  if (own_ == MPI_COMM_NULL) error = PMPI_Comm_dup(MPI_COMM_SELF, &own_);
  if (error == MPI_SUCCESS) {
    next_tag_ = (next_tag_ + 1) % 32768;  // MPI_TAG_UB is at least that
    error = PMPI_Isend(item->bytes, item->length, MPI_BYTE, 0, next_tag_, own_, &item->sent);
  }
  if (error != MPI_SUCCESS) return error;
  sent_.splice(sent_.end(), held_, item);
  error = PMPI_Mprobe(0, next_tag_, own_, message, MPI_STATUS_IGNORE);
  if (error == MPI_SUCCESS) item->matched = *message;
  return error;
}

std::optional<Origin> ProbeQueue::origin(MPI_Message message) noexcept {
  if (!any() || message == MPI_MESSAGE_NULL) return {};
  const std::lock_guard guard(lock_);
  const auto item = std::find_if(sent_.begin(), sent_.end(), [message](const Item& each) { return each.matched == message; });
  if (item == sent_.end()) return {};
  count_.fetch_sub(1, std::memory_order_acq_rel);
  item->matched = MPI_MESSAGE_NULL;
  const Origin origin = item->origin;
  if (item->sent == MPI_REQUEST_NULL) sent_.erase(item);
  return origin;
}

void ProbeQueue::close() noexcept {
  const std::lock_guard guard(lock_);
  for (Item& item : held_) item.origin.comm = {};  // what a communicator leaves behind goes while the host is there
  for (Item& item : sent_) {
    int complete = 0;
    item.origin.comm = {};
    PMPI_Test(&item.sent, &complete, MPI_STATUS_IGNORE);
    if (!complete) PMPI_Request_free(&item.sent);  // its bytes stay where they are
  }
  if (own_ != MPI_COMM_NULL) PMPI_Comm_free(&own_);
}

}  // namespace heddle::mpi
