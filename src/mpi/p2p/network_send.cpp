// mpi/p2p/network_send.cpp: MPI's part for engine/network/fabric_send.hpp: the descriptor, and the
// packed message.
#include "mpi/p2p/network_send.hpp"

#include <exception>

#include "mpi/communicators/for_host.hpp"
#include "mpi/p2p/message_checks.hpp"
#include "mpi/p2p/network_request.hpp"
#include "mpi/process/process.hpp"
#include "mpi/process/shared_copy.hpp"
#include "select/forced.hpp"

namespace heddle::mpi {

std::shared_ptr<NetworkSend> NetworkSend::made(const Buffer& data, const Derived& type, const Envelope& to, Mode mode,
                                               const KeptMemory& memory) noexcept try {
  Network* const network = Network::here();
  if (!network || !type || mode == Mode::buffered || mode == Mode::synchronous || !may_cross(*network, *type.get(), data.count))
    return {};
  if (communicators::Freeing::of(to.comm)) return {};  // the descriptor's request would be left there
  if (!is_tag(to.tag, to.comm)) return {};             // a mistake: the host raises it
  const int world = network->elsewhere(to.comm, to.rank);
  const select::Statistics* const statistics = world >= 0 ? type->statistics() : nullptr;
  if (!statistics || !network->reaches(world)) return {};
  const settings::Settings& set = settings_of_process();
  auto plan = engine::plan_of(
      *network, world,
      {.bytes = data.count * type->size(),
       .count = data.count,
       .piece = type->contiguous(data.count),
       .statistics = statistics,
       .kept = memory != nullptr},
      {.forced = set.scheme != settings::Scheme::automatic, .scheme = select::forced(set.scheme), .segment = set.segment});
  if (!plan) return {};
  if (memory) plan->kept = &memory->holding;
  std::shared_ptr<NetworkSend> send(new NetworkSend(*network, type.again(), to, world, memory));
  auto* const base = static_cast<std::byte*>(const_cast<void*>(data.address));
  if (!send->open({&send->type_->layout(), data.count, base}, *plan, to.tag, send->comm_.number()) || !network->add(send))
    return {};
  return send;
} catch (const std::exception&) {
  return {};
}

Raised NetworkSend::in_call(const std::shared_ptr<NetworkSend>& send, const Envelope& to) {
  send->waited_for();
  const Raised error = send->begin(to);
  if (send->announced_ != MPI_REQUEST_NULL) send->network_.wait(*send);
  return error;
}

Begun NetworkSend::with_request(const std::shared_ptr<NetworkSend>& send, const Envelope& to) {
  const Raised error = send->begin(to);
  return send->announced_ != MPI_REQUEST_NULL ? request_for(send->network_, send) : Begun{error};
}

/// Sends the descriptor. The host has failed if there is no request afterwards.
Raised NetworkSend::begin(const Envelope& to) {
  const auto [rank, tag, comm] = to;
  constexpr auto bytes = static_cast<int>(engine::network_descriptor_bytes);
  const int error = PMPI_Isend(&descriptor(), bytes, MPI_BYTE, rank, tag, comm, &announced_);  // ready mode permits it
  if (error != MPI_SUCCESS) announced_ = MPI_REQUEST_NULL;
  if (announced_ != MPI_REQUEST_NULL)
    begun();
  else
    network_.remove(*this);
  return Raised::by_host(error);
}

bool NetworkSend::descriptor_is_received() noexcept {
  int done = 0;
  if (announced_ != MPI_REQUEST_NULL) PMPI_Test(&announced_, &done, MPI_STATUS_IGNORE);
  return announced_ == MPI_REQUEST_NULL;
}

bool NetworkSend::send_packed(const std::byte* packed, Bytes bytes) noexcept {
  const SharedCopy copy(bytes);
  const Buffer data{packed, bytes, MPI_BYTE};
  const MPI_Comm comm = network_.comm();
  return HEDDLE_MESSAGE_BY_HOST(Issend, data, comm, to(), network_.tag_of(number()), comm, &resent_) == MPI_SUCCESS;
}

bool NetworkSend::packed_is_received() noexcept {
  int done = 0;
  return PMPI_Test(&resent_, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done;
}

int NetworkSend::finish(MPI_Status& status) noexcept {
  PMPI_Status_set_cancelled(&status, 0);
  return MPI_SUCCESS;
}

}  // namespace heddle::mpi
