// mpi/p2p/network_send.cpp
#include "mpi/p2p/network_send.hpp"

#include <algorithm>
#include <exception>

#include "layout/pack.hpp"
#include "mpi/p2p/network_request.hpp"
#include "mpi/process/process.hpp"
#include "select/fabric.hpp"

namespace heddle::mpi {
namespace {

namespace fabric = transport::fabric;

/// ns that a receiver has to answer before the host gets its message: a few time slices of a busy machine, and what packing
/// would take.
std::int64_t patience(Bytes bytes) noexcept { return 10'000'000 + bytes; }

/// HEDDLE_SCHEME, if it names one of the four, else what this end's blocks say (Wu et al. 2004, Table 1).
fabric::Plan plan_of(const select::FabricFacts& facts, settings::Scheme wanted) {
  const select::FabricEnd end = select::end_of(facts);
  fabric::Plan plan{.if_unpacks = end.in_place ? fabric::Scheme::rwg_up : fabric::Scheme::bc_spup,
                    .if_in_place = end.offers ? fabric::Scheme::p_rrs : fabric::Scheme::multi_w,
                    .segment = facts.segment};
  if (wanted == settings::Scheme::bc_spup) plan.if_unpacks = fabric::Scheme::bc_spup;
  if (wanted == settings::Scheme::rwg_up) plan.if_unpacks = fabric::Scheme::rwg_up;
  if (wanted == settings::Scheme::p_rrs) plan.if_in_place = fabric::Scheme::p_rrs;
  if (wanted == settings::Scheme::multi_w) plan.if_in_place = fabric::Scheme::multi_w;
  return plan;
}

}  // namespace

std::shared_ptr<NetworkSend> NetworkSend::made(const Buffer& data, const Derived& type, const Envelope& to, Mode mode,
                                               const KeptMemory& memory) noexcept try {
  Network* const network = Network::here();
  if (!network || !type || mode == Mode::buffered || mode == Mode::synchronous || !may_cross(*network, *type.get(), data.count))
    return {};
  const Bytes bytes = data.count * type->size();
  const int world = network->elsewhere(to.comm, to.rank);
  const select::Statistics* const statistics = world >= 0 ? type->statistics() : nullptr;
  if (!statistics || !network->reaches(world)) return {};
  const settings::Settings& set = settings_of_process();
  const bool forced = set.scheme != settings::Scheme::automatic;
  const bool piece = type->contiguous(data.count);
  const Bytes block = piece ? network->scattered_by(world) : 0;
  if (piece && block == 0 && !forced) return {};
  const select::Side receiver = select::Side::blocks_of(bytes, block);
  select::FabricFacts facts{.bytes = bytes,
                            .side = piece ? select::Side::one_piece(bytes) : statistics->of(data.count),
                            .end = select::End::sender,
                            .network = &network->costs(),
                            .receiver = block > 0 ? &receiver : nullptr,
                            .kept = memory || network->keeps_registrations(),
                            .profile = &network->profile()};
  facts.segment = set.segment > 0 ? set.segment : select::fabric_segment(bytes);
  if (!forced && !select::pays(facts)) return {};
  std::shared_ptr<NetworkSend> send(new NetworkSend(*network, data, type.again(), to, world, memory));
  fabric::Plan plan = plan_of(facts, set.scheme);
  if (memory) plan.kept = &memory->holding;
  if (!send->open(plan) || !network->add(send)) return {};
  return send;
} catch (const std::exception&) {
  return {};
}

bool NetworkSend::open(const fabric::Plan& plan) {
  const Network::Access access(network_);
  message_ = std::make_unique<fabric::Outgoing>(
      *access,
      fabric::Elements{&type_->layout(), data_.count, const_cast<std::byte*>(static_cast<const std::byte*>(data_.address))},
      plan);
  if (message_->state() != fabric::State::working) {
    message_.reset();
    return false;
  }
  network_.begins();
  counted_ = true;
  descriptor_.nonce = network_.nonce();
  descriptor_.sender = network_.me();
  descriptor_.announcement = message_->announcement();
  descriptor_.total = descriptor_.announcement.total;
  seal(descriptor_);
  since_ = fabric::steady_ns();
  return true;
}

NetworkSend::~NetworkSend() {
  close();
  end();
}

void NetworkSend::close() noexcept {
  if (!message_) return;
  const Network::Access access(network_);
  message_.reset();
}

/// The thread answers late receivers until then.
bool NetworkSend::end() noexcept {
  if (std::exchange(counted_, false)) network_.ends();
  return true;
}

int NetworkSend::in_call(const std::shared_ptr<NetworkSend>& send, const Envelope& to) {
  send->waits_ = true;
  const int error = send->begin(to);
  if (error == MPI_SUCCESS) send->network_.wait(*send);
  return error;
}

Begun NetworkSend::with_request(const std::shared_ptr<NetworkSend>& send, const Envelope& to) {
  const int error = send->begin(to);
  return error == MPI_SUCCESS ? request_for(send->network_, send, true) : Begun{error};
}

/// Sends the descriptor.
int NetworkSend::begin(const Envelope& to) {
  const auto [rank, tag, comm] = to;
  constexpr auto bytes = static_cast<int>(engine::network_descriptor_bytes);
  const int error = PMPI_Isend(&descriptor_, bytes, MPI_BYTE, rank, tag, comm, &announced_);  // in ready mode, too: it may be
  if (error == MPI_SUCCESS)
    begun_.store(true, std::memory_order_release);
  else
    network_.remove(*this);
  return error;
}

void NetworkSend::cancel() noexcept {
  cancelling_ = true;
  if (announced_ != MPI_REQUEST_NULL) PMPI_Cancel(&announced_);
}

/// A message that the receiver is answering has a receiver.
bool NetworkSend::hears(const Network::Word& word, int from) noexcept {
  const bool under_way = message_ || failed_;
  if (from != world_ || word.number != number() || !under_way) return false;
  if (word.kind == Network::Word::unwanted) unwanted_ = !answered_;
  return true;
}

void NetworkSend::look_at_descriptor() noexcept {
  if (announced_ == MPI_REQUEST_NULL) return;
  int done = 0;
  int cancelled = 0;
  MPI_Status status;
  if (PMPI_Test(&announced_, &done, &status) == MPI_SUCCESS && done)
    cancelled_ = PMPI_Test_cancelled(&status, &cancelled) == MPI_SUCCESS && cancelled;
}

/// Failed: the host has to bring it.
fabric::State NetworkSend::look_at_message() noexcept {
  const Network::Access access(network_);
  const fabric::State state = message_->state();
  using enum fabric::Failure;
  if (state == fabric::State::failed)
    broken_ = message_->failure() == peer || message_->failure() == completion || message_->failure() == closed;
  answered_ = answered_ || message_->answered();
  const bool late = !answered_ && fabric::steady_ns() - since_ > patience(descriptor_.total);
  if (state != fabric::State::working || !late) return state;
  message_.reset();  // now, before an answer comes: one that comes later is told so
  return fabric::State::failed;
}

/// Packs it: from here on the program's buffer is its own. False: there is no memory now.
bool NetworkSend::hand_to_host() noexcept {
  if (handed_) return true;
  if (!packed_.data() && !packed_.reserve(descriptor_.total)) return false;
  {
    const report::Stopwatch watch(reported_.times(), &report::Times::pack);
    layout::pack(type_->layout(), data_.count, data_.address, packed_.data());
  }
  close();
  // Synchronous: until the receiver takes it from the host, it may be answering by the fabric, and has to be told.
  handed_ = HEDDLE_CALL_HOST(!fits(descriptor_.total), Issend, packed_.data(), Number{descriptor_.total}, MPI_BYTE, world_,
                             network_.tag_of(number()), network_.comm(), &resent_) == MPI_SUCCESS;
  if (handed_) reported_.end(type_->layout(), "packed", descriptor_.total);
  return handed_;
}

bool NetworkSend::host_is_done() noexcept {
  int done = 0;
  return PMPI_Test(&resent_, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done;
}

bool NetworkSend::carry_on() noexcept {
  if (!begun_.load(std::memory_order_acquire)) return false;
  look_at_descriptor();
  const bool announced = announced_ == MPI_REQUEST_NULL;
  if (message_ && !failed_) {
    const bool dropped = cancelled_ || unwanted_;
    const fabric::State state = dropped ? fabric::State::done : look_at_message();
    failed_ = state == fabric::State::failed;
    if (state == fabric::State::done) {
      if (report::Times* const times = reported_.times(); times && waits_)
        times->wait += static_cast<double>(fabric::steady_ns() - since_);
      if (!dropped) reported_.end(type_->layout(), name_of(message_->scheme()), descriptor_.total);
      close();
      set_over();
    }
  }
  if (std::exchange(broken_, false)) network_.doubt(world_);
  if (!failed_) return !message_ && announced && end();
  if (!hand_to_host()) return false;
  set_over();
  return announced && host_is_done() && end();
}

/// The receiver may be what that call waits for, and wait for this message.
void NetworkSend::carry_on_within_host() noexcept {
  if (!begun_.load(std::memory_order_acquire) || cancelling_ || unwanted_) return;
  if (message_ && !failed_) failed_ = look_at_message() == fabric::State::failed;
  if (failed_) hand_to_host();
}

int NetworkSend::finish(MPI_Status& status) noexcept {
  PMPI_Status_set_cancelled(&status, cancelled_ ? 1 : 0);
  return MPI_SUCCESS;
}

}  // namespace heddle::mpi
