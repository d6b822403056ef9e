// mpi/rendezvous/held.cpp: probing without losing what was found.
#include "mpi/rendezvous/held.hpp"

#include <cstring>
#include <new>

#include "mpi/node/node.hpp"
#include "mpi/types/table.hpp"

namespace heddle::mpi {
namespace {

constexpr layout::Bytes descriptor_bytes = sizeof(engine::Descriptor);

bool of_descriptor_size(const MPI_Status& status) {
  MPI_Count bytes = 0;
  return PMPI_Get_elements_x(&status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes == descriptor_bytes;
}

}  // namespace

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

std::optional<Held::Items::iterator> Held::hold(MPI_Message* message, MPI_Comm comm) noexcept try {
  Items fresh(1);
  Item& item = fresh.front();
  MPI_Status status;
  if (PMPI_Mrecv(item.bytes, descriptor_bytes, MPI_BYTE, message, &status) != MPI_SUCCESS) return {};
  item.origin = {comm, status.MPI_SOURCE, status.MPI_TAG, descriptor_bytes};
  const Node* node = Node::here();
  engine::Descriptor descriptor;
  if (engine::announced(item.bytes, node->nonce()) &&
      engine::read(item.bytes, node->nonce(), static_cast<std::uint32_t>(node->size()), node->memory_size(), descriptor))
    item.origin.bytes = descriptor.total;
  held_.splice(held_.end(), fresh);
  count_.fetch_add(1, std::memory_order_acq_rel);
  return std::prev(held_.end());
} catch (const std::bad_alloc&) {
  return {};
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
    MPI_Message message = MPI_MESSAGE_NULL;
    int still = 0;
    const int matched = PMPI_Improbe(found.MPI_SOURCE, found.MPI_TAG, comm, &still, &message, &found);
    if (matched != MPI_SUCCESS) return matched;
    if (!still) continue;  // another thread was faster
    const auto item = hold(&message, comm);
    if (!item) return MPI_ERR_NO_MEM;
    tell(**item, status);
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
      return send_to_self(item, message) ? MPI_SUCCESS : MPI_ERR_INTERN;
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
  const auto item = hold(message, comm);
  if (!item) return MPI_ERR_NO_MEM;
  tell(**item, status);
  return send_to_self(*item, message) ? MPI_SUCCESS : MPI_ERR_INTERN;
}

bool Held::take(int source, int tag, MPI_Comm comm, MPI_Message* message) noexcept {
  const std::lock_guard guard(lock_);
  const auto item = find(source, tag, comm);
  return item != held_.end() && send_to_self(item, message);
}

bool Held::send_to_self(Items::iterator item, MPI_Message* message) noexcept try {
  for (auto done = sent_.begin(); done != sent_.end();) {
    int complete = 0;
    PMPI_Test(&done->sent, &complete, MPI_STATUS_IGNORE);
    done = complete ? sent_.erase(done) : std::next(done);
  }
  if (own_ == MPI_COMM_NULL && PMPI_Comm_dup(MPI_COMM_SELF, &own_) != MPI_SUCCESS) return false;
  next_tag_ = (next_tag_ + 1) % 32768;  // MPI_TAG_UB is at least that
  sent_.splice(sent_.end(), held_, item);
  if (PMPI_Isend(item->bytes, descriptor_bytes, MPI_BYTE, 0, next_tag_, own_, &item->sent) != MPI_SUCCESS ||
      PMPI_Mprobe(0, next_tag_, own_, message, MPI_STATUS_IGNORE) != MPI_SUCCESS)
    return false;
  matched_[key_of(*message)] = item->origin;
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

std::optional<Origin> Held::origin(MPI_Message message) noexcept {
  if (!any()) return {};
  const std::lock_guard guard(lock_);
  const auto found = matched_.find(key_of(message));
  if (found == matched_.end()) return {};
  const Origin origin = found->second;
  matched_.erase(found);
  count_.fetch_sub(1, std::memory_order_acq_rel);
  return origin;
}

void Held::close() noexcept {
  const std::lock_guard guard(lock_);
  if (own_ != MPI_COMM_NULL) PMPI_Comm_free(&own_);
}

}  // namespace heddle::mpi
