// mpi/p2p/network_receive.cpp: MPI's part for engine/network/fabric_receive.hpp: host requests,
// buffers, statuses.
#include "mpi/p2p/network_receive.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include "mpi/communicators/communicator_registry.hpp"
#include "mpi/communicators/for_host.hpp"
#include "mpi/p2p/network_request.hpp"
#include "mpi/process/process.hpp"
#include "select/forced.hpp"

namespace heddle::mpi {
namespace {

/// Bytes that a receive has room for. The largest number if Heddle does not know the type.
Bytes room_of(const Buffer& data, Route route) noexcept {
  if (data.count <= 0) return 0;
  if (route.type && !route.type->known()) return std::numeric_limits<Bytes>::max();
  const Bytes size = route.type ? route.type->size() : predefined(data.type).size;
  Bytes bytes = 0;
  return __builtin_mul_overflow(data.count, size, &bytes) ? std::numeric_limits<Bytes>::max() : bytes;
}

/// By its entry: a persistent receive may start after the program has freed the handle.
Derived of_receive(const Buffer& data, Route route) noexcept {
  if (!route.type) return Derived(hold_any(data.type));
  return route.type->known() ? Derived::use(*route.type) : Derived();
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
      type_(of_receive(data, route)),
      room_(type_ ? layout::times(data.count, type_->size()) : 0),
      receive_(data, {route.type ? Protocol::packed : route.protocol, route.type}, std::move(comm)),
      memory_(std::move(memory)) {
  if (type_) return;
  opaque_ = Opaque(data.type);
  room_ = layout::times(data.count, opaque_.size());
}

Raised NetworkReceive::begin(const Expected& expected) {
  if (expected.origin()) receive_.from(*expected.origin());
  order_ = network_.next_order();
  const Raised error = expected.post(receive_.at_host(), &host_);
  if (error != MPI_SUCCESS) host_ = MPI_REQUEST_NULL;
  if (host_ != MPI_REQUEST_NULL) begun();
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

/// Errors of the host's receive are not raised before the program completes its request.
bool NetworkReceive::host_is_done() noexcept {
  const communicators::Hold& comm = receive_.communicator();  // of a matched message it may not be known
  const Quiet quiet(comm.gone() || comm.handle() == MPI_COMM_NULL ? MPI_COMM_SELF : comm.handle());
  int done = 0;
  result_ = PMPI_Test(&host_, &done, &status_);
  if (result_ == MPI_SUCCESS && !done) return false;
  host_ = MPI_REQUEST_NULL;  // Open MPI leaves the handle of a failed request
  return true;
}

bool NetworkReceive::brings_descriptor() const noexcept {
  return result_ == MPI_SUCCESS && bytes_of(status_) == engine::network_descriptor_bytes &&
         engine::is_descriptor(receive_.at_host().address, network_.nonce());
}

/// A message that came in one piece and was scattered might come by the fabric next time. The
/// sender is told so. (A sender with holes may have packed the message. The receiver cannot tell,
/// and the word does no harm.)
void NetworkReceive::tell_of_blocks() noexcept {
  const communicators::Hold& comm = receive_.communicator();  // of a matched message it may not be known
  if (result_ != MPI_SUCCESS || !type_ || type_->contiguous(data_.count) || comm.gone() || comm.handle() == MPI_COMM_NULL)
    return;
  const select::Statistics* const statistics = type_->statistics();
  const int world = statistics ? network_.elsewhere(comm, status_.MPI_SOURCE) : -1;
  if (world >= 0) network_.scatter_hint(world, static_cast<Bytes>(statistics->of(data_.count).mean_block));
}

bool NetworkReceive::look_at_posted() noexcept {
  if (!host_is_done()) return false;
  if (is_lost()) {
    lost_from_ = sender();
    // The bytes may be a message of the program. Its sender then says so later (Word::plain).
    if (void* const first = const_cast<void*>(receive_.lands()); engine::is_descriptor(first, network_.nonce())) {
      network_.note_overlap();
      std::memset(first, 0, sizeof(engine::Nonce));  // no receive may find it again
    }
    lose();
    return look_for_lost();
  }
  if (!brings_descriptor()) return end_as_host_says();
  if (!read_descriptor(const_cast<void*>(receive_.at_host().address))) return true;
  network_.learn_context(descriptor(), receive_.communicator().number());
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

bool NetworkReceive::end_as_host_says() noexcept {
  tell_of_blocks();
  result_ = receive_.finish(status_, result_);
  return end(End::as_host_says);
}

/// The sender of what the host has received, as a rank of MPI_COMM_WORLD. -1: not on another node,
/// or not known.
int NetworkReceive::sender() const noexcept {
  const std::optional<Origin>& origin = receive_.origin();
  const communicators::Hold& comm = receive_.communicator();
  if (comm.handle() == MPI_COMM_NULL || comm.gone()) return -1;
  return network_.elsewhere(comm, origin ? origin->source : status_.MPI_SOURCE);
}

/// True: a descriptor has arrived, but is not in the buffer. The program, or another receive, has
/// written over it.
bool NetworkReceive::is_lost() const noexcept {
  if (result_ != MPI_SUCCESS || bytes_of(status_) != engine::network_descriptor_bytes || !receive_.lands()) return false;
  const int from = sender();
  if (from < 0 || !network_.announces(from)) return false;
  engine::NetworkDescriptor here;
  return !read(receive_.lands(), network_.nonce(), network_.ranks(), here) || here.sender != from || here.tag != tag() ||
         is_shared();
}

/// True: the descriptor in the buffer may be that of another receive, whose message may have
/// another size.
bool NetworkReceive::is_shared() const noexcept {
  const auto* const mine = static_cast<const std::byte*>(receive_.lands());
  bool shared = false;
  network_.for_each([&](const Operation& each) { shared = shared || (&each != this && each.shares(mine)); });
  return shared;
}

bool NetworkReceive::shares(const std::byte* descriptor) const noexcept {
  const auto* const mine = static_cast<const std::byte*>(receive_.lands());
  if (!mine || over() || (stage() != Stage::posted && stage() != Stage::lost)) return false;
  return std::abs(mine - descriptor) < engine::network_descriptor_bytes;
}

bool NetworkReceive::stands(std::uint32_t number, int from) const noexcept {
  engine::NetworkDescriptor here;
  const void* const first = receive_.lands();
  return first && engine::is_descriptor(first, network_.nonce()) && read(first, network_.nonce(), network_.ranks(), here) &&
         here.sender == from && here.announcement.from == number;
}

/// The sender gets no answer, and sends the message packed. Or the message was no descriptor, but
/// as long as one, and its sender says so.
bool NetworkReceive::look_for_lost() noexcept try {
  const int from = lost_from_;
  network_.take_strays(from);
  // Receives and messages of one sender, tag and communicator belong together in the order in which
  // they were posted and sent.
  const std::uint32_t comm = receive_.communicator().number();
  std::size_t lost = 0, before = 0;
  network_.for_each([&](const Operation& each) {
    const auto* const other = dynamic_cast<const NetworkReceive*>(&each);
    if (!other || other->over() || other->stage() != Stage::lost || other->tag() != tag() || other->lost_from_ != from ||
        other->receive_.communicator().number() != comm)
      return;
    ++lost;
    if (other->order_ < order_) ++before;
  });
  Network::Stray* const found = network_.unawaited(from, tag(), comm, before, lost);
  if (!found) return !network_.announces(from) && end_as_host_says();
  network_.note_overlap();
  if (const std::optional<Origin>& origin = receive_.origin()) set_origin(&status_, *origin);
  PMPI_Status_set_elements_x(&status_, MPI_BYTE, std::min(found->total(), room_));
  bring(from, found->packed.data(), found->total(), landing());
  network_.forget(found);
  return over();
} catch (const std::bad_alloc&) {
  return false;  // again later
}

bool NetworkReceive::packed_comes() noexcept {
  int found = 0;
  const int tag = network_.tag_of(descriptor().announcement.from);
  if (network_.stray(descriptor().sender, tag)) return true;
  return PMPI_Iprobe(descriptor().sender, tag, network_.comm(), &found, MPI_STATUS_IGNORE) == MPI_SUCCESS && found;
}

bool NetworkReceive::receive_packed(std::byte* packed, Bytes bytes) noexcept {
  const int tag = network_.tag_of(descriptor().announcement.from);
  if (network_.stray(descriptor().sender, tag)) {
    strays_to_ = packed;
    return true;
  }
  const Buffer data{packed, bytes, MPI_BYTE};
  const MPI_Comm comm = network_.comm();
  result_ = HEDDLE_MESSAGE_BY_HOST(Irecv, data, comm, descriptor().sender, tag, comm, &host_);
  return result_ == MPI_SUCCESS;
}

NetworkReceive::Packed NetworkReceive::look_at_packed() noexcept {
  int done = 0;
  if (strays_to_) {
    Network::Stray* const stray = network_.stray(descriptor().sender, network_.tag_of(descriptor().announcement.from));
    if (!stray->here()) return Packed::under_way;
    std::memcpy(strays_to_, stray->packed.data(), static_cast<std::size_t>(std::min(stray->total(), descriptor().total)));
    network_.forget(stray);
    return Packed::here;
  }
  result_ = PMPI_Test(&host_, &done, MPI_STATUS_IGNORE);
  if (result_ != MPI_SUCCESS) return Packed::refused;
  return done ? Packed::here : Packed::under_way;
}

bool NetworkReceive::cancel_packed() noexcept {
  MPI_Status status;
  if (strays_to_) return false;
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
  communicators::Hold comm = expected.hold();
  // Any thread may ask for the sender later, also while the program frees the communicator. So the
  // members must be known now.
  if (comm.handle() != MPI_COMM_NULL) communicators::members(comm.handle());
  auto receive = std::make_shared<NetworkReceive>(*Network::here(), data, route, std::move(comm), memory);
  if (receive->lacks_memory() || !receive->network_.add(receive)) return {};
  return receive;
} catch (const std::exception&) {
  return {};
}

int NetworkReceive::in_call(const std::shared_ptr<NetworkReceive>& receive, Raised begun, MPI_Comm comm, MPI_Status& status) {
  Network& network = receive->network_;
  if (receive->host_ == MPI_REQUEST_NULL) {
    network.remove(*receive);
    return begun;
  }
  receive->waited_for();
  network.wait(*receive);
  const int field = status.MPI_ERROR;
  const int result = receive->finish(status);
  status.MPI_ERROR = field;
  return comm == MPI_COMM_NULL ? raise_new(result, receive->communicator()) : raise_new(result, comm);
}

Begun NetworkReceive::with_request(const std::shared_ptr<NetworkReceive>& receive, Raised begun) {
  Network& network = receive->network_;
  const bool posted = receive->host_ != MPI_REQUEST_NULL;
  if (!posted) network.remove(*receive);
  return posted ? request_for(network, receive) : Begun{begun};
}

}  // namespace heddle::mpi
