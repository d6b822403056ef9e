// mpi/rendezvous/held.cpp: probing without losing what was found.
#include "mpi/rendezvous/held.hpp"

#include <cstring>
#include <new>

#include "mpi/rendezvous/rendezvous.hpp"

namespace heddle::mpi {

Held& Held::of_process() noexcept {
  static Held held;
  return held;
}

void set_origin(MPI_Status* status, const Origin& origin) noexcept {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = origin.source;
  status->MPI_TAG = origin.tag;
}

void Held::tell(const Item& item, MPI_Status* status) noexcept {
  if (status == MPI_STATUS_IGNORE) return;
  set_origin(status, item.origin);
  PMPI_Status_set_elements_x(status, MPI_BYTE, item.origin.bytes);
  PMPI_Status_set_cancelled(status, 0);
}

Held::Items::iterator Held::find(int source, int tag, MPI_Comm comm) noexcept {
  auto item = held_.begin();
  while (item != held_.end() && (item->origin.comm != comm || (source != MPI_ANY_SOURCE && item->origin.source != source) ||
                                 (tag != MPI_ANY_TAG && item->origin.tag != tag)))
    ++item;
  return item;
}

Held::Items Held::fresh_item() noexcept try { return Items(1); } catch (const std::bad_alloc&) {
  return {};
}

int Held::hold(Items& fresh, MPI_Message* message, MPI_Comm comm) noexcept {
  Item& item = fresh.front();
  MPI_Status status;
  if (const int error = PMPI_Mrecv(item.bytes, descriptor_bytes, MPI_BYTE, message, &status); error != MPI_SUCCESS)
    return error;
  item.origin = {comm, status.MPI_SOURCE, status.MPI_TAG, descriptor_bytes};
  const Node* node = Node::here();
  engine::Descriptor descriptor;
  if (engine::announced(item.bytes, node->nonce()) &&
      engine::read(item.bytes, node->nonce(), static_cast<std::uint32_t>(node->size()), node->memory_size(), descriptor))
    item.origin.bytes = descriptor.total;
  held_.splice(held_.end(), fresh);
  count_.fetch_add(1, std::memory_order_acq_rel);
  return MPI_SUCCESS;
}

int Held::probe(int source, int tag, MPI_Comm comm, bool blocking, int* flag, MPI_Status* status) noexcept {
  for (;;) {
    if (any()) {
      const std::lock_guard guard(lock_);
      if (const auto item = find(source, tag, comm); item != held_.end()) {
        tell(*item, status);
        *flag = 1;
        return MPI_SUCCESS;
      }
    }
    MPI_Status found;
    const int result =
        blocking ? (*flag = 1, PMPI_Probe(source, tag, comm, &found)) : PMPI_Iprobe(source, tag, comm, flag, &found);
    if (result != MPI_SUCCESS || !*flag || found.MPI_SOURCE == MPI_PROC_NULL || !of_descriptor_size(found)) {
      if (*flag && status != MPI_STATUS_IGNORE) *status = found;
      return result;
    }
    const std::lock_guard guard(lock_);
    Items fresh = fresh_item();
    if (fresh.empty()) return raise_new(MPI_ERR_NO_MEM, MPI_SUCCESS, comm);
    MPI_Message message = MPI_MESSAGE_NULL;
    int still = 0;
    const int matched = PMPI_Improbe(found.MPI_SOURCE, found.MPI_TAG, comm, &still, &message, &found);
    if (matched != MPI_SUCCESS) return matched;
    if (!still) continue;  // another thread was faster
    if (const int error = hold(fresh, &message, comm); error != MPI_SUCCESS) return error;
    tell(held_.back(), status);
    return MPI_SUCCESS;
  }
}

int Held::match(int source, int tag, MPI_Comm comm, bool blocking, int* flag, MPI_Message* message,
                MPI_Status* status) noexcept {
  if (any()) {
    const std::lock_guard guard(lock_);
    if (const auto item = find(source, tag, comm); item != held_.end()) {
      *flag = 1;
      tell(*item, status);
      return send_to_self(item, message);
    }
  }
  MPI_Status found;
  const int result = blocking ? (*flag = 1, PMPI_Mprobe(source, tag, comm, message, &found))
                              : PMPI_Improbe(source, tag, comm, flag, message, &found);
  if (result != MPI_SUCCESS || !*flag || *message == MPI_MESSAGE_NO_PROC || !of_descriptor_size(found)) {
    if (*flag && status != MPI_STATUS_IGNORE) *status = found;
    return result;
  }
  const std::lock_guard guard(lock_);
  Items fresh = fresh_item();
  if (fresh.empty()) {  // the program gets the message as the host has matched it: it can be received all the same
    if (status != MPI_STATUS_IGNORE) *status = found;
    return MPI_SUCCESS;
  }
  if (const int error = hold(fresh, message, comm); error != MPI_SUCCESS) return error;
  tell(held_.back(), status);
  return send_to_self(std::prev(held_.end()), message);
}

Done Held::take(int source, int tag, MPI_Comm comm, MPI_Message* message) noexcept {
  const std::lock_guard guard(lock_);
  const auto item = find(source, tag, comm);
  if (item == held_.end()) return {};
  return send_to_self(item, message);
}

int Held::send_to_self(Items::iterator item, MPI_Message* message) noexcept {
  for (auto done = sent_.begin(); done != sent_.end();) {
    int complete = 0;
    if (done->matched == MPI_MESSAGE_NULL) PMPI_Test(&done->sent, &complete, MPI_STATUS_IGNORE);
    done = complete ? sent_.erase(done) : std::next(done);
  }
  int error = MPI_SUCCESS;
  if (own_ == MPI_COMM_NULL) error = PMPI_Comm_dup(MPI_COMM_SELF, &own_);
  if (error == MPI_SUCCESS) {
    next_tag_ = (next_tag_ + 1) % 32768;  // MPI_TAG_UB is at least that
    error = PMPI_Isend(item->bytes, descriptor_bytes, MPI_BYTE, 0, next_tag_, own_, &item->sent);
  }
  if (error != MPI_SUCCESS) return error;
  sent_.splice(sent_.end(), held_, item);
  error = PMPI_Mprobe(0, next_tag_, own_, message, MPI_STATUS_IGNORE);
  if (error == MPI_SUCCESS) item->matched = *message;
  return error;
}

std::optional<Origin> Held::origin(MPI_Message message) noexcept {
  if (!any() || message == MPI_MESSAGE_NULL) return {};
  const std::lock_guard guard(lock_);
  for (Item& item : sent_) {
    if (item.matched != message) continue;
    item.matched = MPI_MESSAGE_NULL;
    count_.fetch_sub(1, std::memory_order_acq_rel);
    return item.origin;
  }
  return {};
}

void Held::close() noexcept {
  const std::lock_guard guard(lock_);
  for (Item& item : sent_) {
    int complete = 0;
    PMPI_Test(&item.sent, &complete, MPI_STATUS_IGNORE);
    if (!complete) PMPI_Request_free(&item.sent);  // its bytes stay where they are
  }
  if (own_ != MPI_COMM_NULL) PMPI_Comm_free(&own_);
}

}  // namespace heddle::mpi
