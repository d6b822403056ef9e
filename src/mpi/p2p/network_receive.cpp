// mpi/p2p/network_receive.cpp
#include "mpi/p2p/network_receive.hpp"

#include <algorithm>
#include <exception>

#include "mpi/communicators/known.hpp"
#include "mpi/p2p/network_request.hpp"
#include "mpi/process/process.hpp"
#include "select/forced.hpp"

namespace heddle::mpi {
namespace {

/// Bytes that a receive has room for; of a type that Heddle does not know: as many as there may be.
Bytes room_of(const Buffer& data, Route route) noexcept {
  if (data.count <= 0) return 0;
  if (route.type && !route.type->known()) return std::numeric_limits<Bytes>::max();
  const Bytes size = route.type ? route.type->size() : predefined(data.type).size;
  Bytes bytes = 0;
  return __builtin_mul_overflow(data.count, size, &bytes) ? std::numeric_limits<Bytes>::max() : bytes;
}

}  // namespace

bool NetworkReceive::possible(const Buffer& data, Route route) {
  const Network* const network = Network::here();
  return network && room_of(data, route) >= network->threshold();
}

bool NetworkReceive::possible(const Buffer& data, Route route, int source, MPI_Comm comm) {
  return possible(data, route) && (source == MPI_ANY_SOURCE || Network::here()->elsewhere(comm, source) >= 0);
}

NetworkReceive::NetworkReceive(Network& network, const Buffer& data, Route route, communicators::Hold comm, KeptMemory memory)
    : engine::NetworkReceive(network),
      network_(network),
      data_(data),
      type_(hold_any(data.type)),
      room_(type_ ? layout::times(data.count, type_->size()) : 0),
      receive_(data, {route.type ? Way::packed : route.way, route.type}, std::move(comm)),
      memory_(std::move(memory)) {
  if (type_) return;
  opaque_ = Opaque(data.type);
  room_ = layout::times(data.count, opaque_.size());
}

int NetworkReceive::begin(const Expected& expected) {
  if (expected.origin()) receive_.from(*expected.origin());
  const int error = expected.post(receive_.at_host(), &host_);
  if (error == MPI_SUCCESS) begun();
  return error;
}

void NetworkReceive::cancel() noexcept {
  receive_.record.cancelled = true;
  if (stage() == Stage::posted && host_ != MPI_REQUEST_NULL) PMPI_Cancel(&host_);
}

int NetworkReceive::finish(MPI_Status& status) noexcept {
  status = status_;  // its error field is restored by the caller
  return result_;
}

/// Its errors are not raised before the program completes its request.
bool NetworkReceive::host_is_done() noexcept {
  const communicators::Hold& comm = receive_.communicator();  // of a matched message it may not be known
  const Quiet quiet(comm.gone() || comm.handle() == MPI_COMM_NULL ? MPI_COMM_SELF : comm.handle());
  int done = 0;
  result_ = PMPI_Test(&host_, &done, &status_);
  if (result_ == MPI_SUCCESS && !done) return false;
  host_ = MPI_REQUEST_NULL;  // Open MPI leaves one that has failed
  return true;
}

bool NetworkReceive::brings_descriptor() const noexcept {
  return result_ == MPI_SUCCESS && bytes_of(status_) == engine::network_descriptor_bytes &&
         engine::is_descriptor(receive_.at_host().address, network_.nonce());
}

/// What has come in one piece, and was scattered, might come by the fabric next time. (Or packed, by a sender with holes:
/// that cannot be told apart, and the word does no harm.)
void NetworkReceive::tell_of_blocks() noexcept {
  const communicators::Hold& comm = receive_.communicator();  // of a matched message it may not be known
  if (result_ != MPI_SUCCESS || !type_ || type_->contiguous(data_.count) || comm.gone() || comm.handle() == MPI_COMM_NULL)
    return;
  const select::Statistics* const statistics = type_->statistics();
  const int world = statistics ? network_.elsewhere(comm.handle(), status_.MPI_SOURCE) : -1;
  if (world >= 0) network_.scatter_hint(world, static_cast<Bytes>(statistics->of(data_.count).mean_block));
}

bool NetworkReceive::look_at_posted() noexcept {
  if (!host_is_done()) return false;
  if (!brings_descriptor()) {
    tell_of_blocks();
    result_ = receive_.finish(status_, result_);
    return end(End::as_host_says);
  }
  if (!read_descriptor(const_cast<void*>(receive_.at_host().address))) return true;
  if (const std::optional<Origin>& origin = receive_.origin()) set_origin(&status_, *origin);
  PMPI_Status_set_elements_x(&status_, MPI_BYTE, std::min(descriptor().total, room_));
  fetch(landing());
  return over();
}

engine::Landing NetworkReceive::landing() const noexcept {
  if (!type_) return {.room = room_};
  return {.elements = {&type_->layout(), data_.count, static_cast<std::byte*>(const_cast<void*>(data_.address))},
          .room = room_,
          .statistics = type_->statistics(),
          .piece = type_->contiguous(data_.count),
          .kept = memory_ ? &memory_->holding : nullptr,
          .scheme = select::forced(settings_of_process().scheme)};
}

bool NetworkReceive::packed_comes() noexcept {
  int found = 0;
  const int tag = network_.tag_of(descriptor().announcement.from);
  return PMPI_Iprobe(descriptor().sender, tag, network_.comm(), &found, MPI_STATUS_IGNORE) == MPI_SUCCESS && found;
}

bool NetworkReceive::receive_packed(std::byte* packed, Bytes bytes) noexcept {
  result_ = HEDDLE_CALL_HOST(!fits(bytes), Irecv, packed, Number{bytes}, MPI_BYTE, descriptor().sender,
                             network_.tag_of(descriptor().announcement.from), network_.comm(), &host_)
                .value_or(MPI_ERR_COUNT);
  return result_ == MPI_SUCCESS;
}

NetworkReceive::Packed NetworkReceive::look_at_packed() noexcept {
  int done = 0;
  result_ = PMPI_Test(&host_, &done, MPI_STATUS_IGNORE);
  if (result_ != MPI_SUCCESS) return Packed::refused;
  return done ? Packed::here : Packed::under_way;
}

bool NetworkReceive::cancel_packed() noexcept {
  MPI_Status status;
  PMPI_Cancel(&host_);
  return PMPI_Wait(&host_, &status) != MPI_SUCCESS || is_cancelled(status);
}

bool NetworkReceive::unpack(const std::byte* packed, Bytes bytes) noexcept {
  if (opaque_.unpack(data_, packed, bytes)) return true;
  result_ = MPI_ERR_INTERN;
  return false;
}

void NetworkReceive::ended(End how) noexcept {
  if (const char* const complaint = complaint_of(how)) say(complaint);
  switch (how) {
    case End::whole:
      result_ = MPI_SUCCESS;
      break;
    case End::truncated:
      result_ = MPI_ERR_TRUNCATE;
      break;
    case End::no_memory:
      result_ = MPI_ERR_NO_MEM;
      break;
    case End::unsound:
      result_ = MPI_ERR_INTERN;
      break;
    case End::lost:
      result_ = MPI_ERR_OTHER;
      break;
    case End::as_host_says:
      break;
  }
}

std::shared_ptr<NetworkReceive> NetworkReceive::made(const Buffer& data, Route route, const Expected& expected,
                                                     const KeptMemory& memory) noexcept try {
  auto receive = std::make_shared<NetworkReceive>(*Network::here(), data, route, expected.hold(), memory);
  if (receive->lacks_memory() || !receive->network_.add(receive)) return {};
  return receive;
} catch (const std::exception&) {
  return {};
}

int NetworkReceive::in_call(const std::shared_ptr<NetworkReceive>& receive, int begun, MPI_Comm comm, MPI_Status& status) {
  Network& network = receive->network_;
  if (begun != MPI_SUCCESS) {
    network.remove(*receive);
    return begun;
  }
  receive->waited_for();
  network.wait(*receive);
  const int field = status.MPI_ERROR;
  const int result = receive->finish(status);
  status.MPI_ERROR = field;
  return comm == MPI_COMM_NULL ? raise_new(result, MPI_SUCCESS, receive->communicator()) : raise_new(result, MPI_SUCCESS, comm);
}

Begun NetworkReceive::with_request(const std::shared_ptr<NetworkReceive>& receive, int begun) {
  Network& network = receive->network_;
  if (begun != MPI_SUCCESS) network.remove(*receive);
  return begun == MPI_SUCCESS ? request_for(network, receive) : Begun{begun};
}

}  // namespace heddle::mpi
