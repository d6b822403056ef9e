// mpi/p2p/network_receive.cpp
#include "mpi/p2p/network_receive.hpp"

#include <algorithm>
#include <exception>

#include "layout/pack.hpp"
#include "mpi/communicators/quiet.hpp"
#include "mpi/p2p/network_request.hpp"
#include "mpi/process/process.hpp"
#include "mpi/process/say.hpp"
#include "select/fabric.hpp"

namespace heddle::mpi {
namespace {

namespace fabric = transport::fabric;

/// ns from one look for packed bytes to the next, while the fabric has not brought the message.
constexpr std::int64_t between_probes = 1'000'000;

/// HEDDLE_SCHEME, if it names one of the four, else what this end's blocks say (Wu et al. 2004, Table 1).
bool stays_in_place(const select::FabricFacts& facts, settings::Scheme wanted) {
  if (wanted == settings::Scheme::bc_spup || wanted == settings::Scheme::rwg_up) return false;
  if (wanted == settings::Scheme::p_rrs || wanted == settings::Scheme::multi_w) return true;
  return select::end_of(facts).in_place;
}

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
    : network_(network),
      data_(data),
      type_(hold_any(data.type)),
      room_(type_ ? layout::times(data.count, type_->size()) : 0),
      receive_(data, {route.type ? Way::packed : route.way, route.type}, std::move(comm)),
      memory_(std::move(memory)) {
  if (type_) return;
  opaque_ = Opaque(data.type);
  room_ = layout::times(data.count, opaque_.size());
}

NetworkReceive::~NetworkReceive() { close(); }

void NetworkReceive::close() noexcept {
  if (!message_) return;
  const Network::Access access(network_);
  message_.reset();
  network_.ends();
}

int NetworkReceive::begin(int source, int tag, MPI_Comm comm) {
  const int error =
      HEDDLE_CALL_HOST(receive_.wide(), Irecv, receive_.address(), receive_.count(), receive_.type(), source, tag, comm, &host_)
          .value_or(MPI_ERR_COUNT);
  if (error == MPI_SUCCESS) begun_.store(true, std::memory_order_release);
  return error;
}

int NetworkReceive::begin(MPI_Message* message, const std::optional<Origin>& origin) {
  if (origin) receive_.from(*origin);
  const int error = receive_.take(message, &host_);
  if (error == MPI_SUCCESS) begun_.store(true, std::memory_order_release);
  return error;
}

void NetworkReceive::cancel() noexcept {
  receive_.record.cancelled = true;
  if (stage_ == Stage::posted && host_ != MPI_REQUEST_NULL) PMPI_Cancel(&host_);
}

bool NetworkReceive::end(int result) noexcept {
  result_ = result;
  close();
  set_over();
  return true;
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
  MPI_Count bytes = 0;
  if (result_ != MPI_SUCCESS || PMPI_Get_elements_x(&status_, MPI_BYTE, &bytes) != MPI_SUCCESS ||
      bytes != engine::network_descriptor_bytes)
    return false;
  return engine::is_descriptor(receive_.address(), network_.nonce());
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

void NetworkReceive::take_descriptor() noexcept {
  const bool sound = read(receive_.address(), network_.nonce(), network_.ranks(), descriptor_);
  std::memset(receive_.address(), 0, sizeof(engine::Nonce));  // whatever comes of it: it is not to be found here again
  if (!sound) {
    say("the announcement of a message from another node has arrived damaged; the receive fails. Set HEDDLE_FABRIC=off.");
    end(MPI_ERR_INTERN);
    return;
  }
  if (const std::optional<Origin>& origin = receive_.origin()) set_origin(&status_, *origin);
  PMPI_Status_set_elements_x(&status_, MPI_BYTE, std::min(descriptor_.total, room_));
  since_ = fabric::steady_ns();
  if (!stages()) {
    network_.tell_sender(descriptor_, Network::Word::unwanted);
    end(MPI_ERR_NO_MEM);
    return;
  }
  stage_ = Stage::by_fabric;
  if (!answer()) take_from_host();
}

/// What is longer than the program's buffer, or of a type that Heddle cannot decode, goes through a staging buffer.
bool NetworkReceive::stages() noexcept {
  if (type_ && descriptor_.total <= room_) return true;
  stream_ = layout::contiguous(descriptor_.total, layout::basic(1));
  return packed_.reserve(descriptor_.total);
}

/// False: it cannot come by the fabric.
bool NetworkReceive::answer() noexcept try {
  look_for_packed();
  if (packed_comes_ || !network_.open()) return false;
  const select::Statistics* const statistics = packed_.data() ? nullptr : type_->statistics();
  fabric::Acceptance acceptance;
  if (statistics) {
    const select::FabricFacts facts{
        .bytes = descriptor_.total,
        .side = type_->contiguous(data_.count) ? select::Side::one_piece(descriptor_.total) : statistics->of(data_.count),
        .end = select::End::receiver,
        .network = &network_.costs(),
        .reads = descriptor_.announcement.if_in_place == fabric::Scheme::p_rrs,
        .kept = memory_ || network_.keeps_registrations(),
        .segment = std::max<Bytes>(descriptor_.announcement.segment, 1),
        .profile = &network_.profile()};
    acceptance.in_place = stays_in_place(facts, settings_of_process().scheme);
    if (memory_) acceptance.kept = &memory_->holding;
  }
  auto* const base = static_cast<std::byte*>(const_cast<void*>(data_.address));
  const Network::Access access(network_);
  const fabric::Elements target =
      packed_.data() ? fabric::Elements{&stream_, 1, packed_.data()} : fabric::Elements{&type_->layout(), data_.count, base};
  message_ = std::make_unique<fabric::Incoming>(*access, descriptor_.announcement, target, acceptance);
  network_.begins();
  return true;
} catch (const std::exception&) {
  return false;
}

void NetworkReceive::look_for_packed() noexcept {
  looked_ = fabric::steady_ns();
  int found = 0;
  const int tag = network_.tag_of(descriptor_.announcement.from);
  if (PMPI_Iprobe(descriptor_.sender, tag, network_.comm(), &found, MPI_STATUS_IGNORE) == MPI_SUCCESS && found)
    packed_comes_ = true;
}

/// Its sender has nothing under way any more, or it would not have packed it; our answer may never get to it. False: reads of
/// ours have not ended yet.
bool NetworkReceive::withdraw() noexcept try {
  {
    const Network::Access access(network_);
    if (message_->state() == fabric::State::working && !message_->withdraw()) return false;
  }
  network_.part(std::move(message_));
  take_from_host();
  return true;
} catch (const std::exception&) {
  return false;  // no memory: again later
}

bool NetworkReceive::by_fabric() noexcept {
  fabric::State state = fabric::State::working;
  {
    const Network::Access access(network_);
    state = message_->state();
  }
  if (state == fabric::State::working) {
    if (!packed_comes_ && fabric::steady_ns() - looked_ > between_probes) look_for_packed();
    return packed_comes_ && withdraw() && over();
  }
  if (state == fabric::State::done) {
    if (report::Times* const times = reported_.times(); times && waits_)
      times->wait += static_cast<double>(fabric::steady_ns() - since_);
    return put_in_place(name_of(message_->scheme()));
  }
  close();
  take_from_host();
  if (!packed_comes_) network_.tell_sender(descriptor_, Network::Word::lost);
  return over();
}

/// Its sender has no packed bytes for it. If they are not on their way already, nobody will bring it any more.
bool NetworkReceive::hears(const Network::Word& word, int from) noexcept {
  if (stage_ != Stage::by_host || over() || from != descriptor_.sender || word.number != descriptor_.announcement.from ||
      word.kind != Network::Word::gone)
    return false;
  int cancelled = 0;
  MPI_Status status;
  PMPI_Cancel(&host_);
  if (PMPI_Wait(&host_, &status) != MPI_SUCCESS || (PMPI_Test_cancelled(&status, &cancelled), cancelled)) {
    say("a message between nodes was lost by the fabric after its sender had been told that it was there; the receive fails. "
        "Set HEDDLE_FABRIC=off.");
    end(MPI_ERR_OTHER);
  }
  return true;
}

/// The sender has packed it, or will when it finds that the fabric has failed.
void NetworkReceive::take_from_host() noexcept {
  stage_ = Stage::by_host;
  if (!packed_.data() && !packed_.reserve(descriptor_.total)) {
    end(MPI_ERR_NO_MEM);
    return;
  }
  const int error =
      HEDDLE_CALL_HOST(!fits(descriptor_.total), Irecv, packed_.data(), Number{descriptor_.total}, MPI_BYTE, descriptor_.sender,
                       network_.tag_of(descriptor_.announcement.from), network_.comm(), &host_)
          .value_or(MPI_ERR_COUNT);
  if (error != MPI_SUCCESS) end(error);
}

bool NetworkReceive::by_host() noexcept {
  int done = 0;
  const int error = PMPI_Test(&host_, &done, MPI_STATUS_IGNORE);
  if (error != MPI_SUCCESS) return end(error);
  return done && put_in_place("packed");
}

/// What has come into the staging buffer, if it has.
bool NetworkReceive::put_in_place(const char* way) noexcept {
  const Bytes bytes = std::min(descriptor_.total, room_);
  if (packed_.data()) {
    const report::Stopwatch watch(reported_.times(), &report::Times::copy);
    if (type_)
      layout::unpack_range(type_->layout(), data_.count, const_cast<void*>(data_.address), 0, bytes, packed_.data());
    else if (!opaque_.unpack(data_, packed_.data(), bytes))
      return end(MPI_ERR_INTERN);
  }
  if (type_) reported_.end(type_->layout(), way, bytes);
  return end(bytes == descriptor_.total ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
}

std::shared_ptr<NetworkReceive> NetworkReceive::made(const Buffer& data, Route route, communicators::Hold comm,
                                                     const KeptMemory& memory) noexcept try {
  auto receive = std::make_shared<NetworkReceive>(*Network::here(), data, route, std::move(comm), memory);
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
  receive->waits_ = true;
  network.wait(*receive);
  const int field = status.MPI_ERROR;
  const int result = receive->finish(status);
  status.MPI_ERROR = field;
  return comm == MPI_COMM_NULL ? raise_new(result, MPI_SUCCESS, receive->communicator()) : raise_new(result, MPI_SUCCESS, comm);
}

Begun NetworkReceive::with_request(const std::shared_ptr<NetworkReceive>& receive, int begun) {
  Network& network = receive->network_;
  if (begun != MPI_SUCCESS) network.remove(*receive);
  return begun == MPI_SUCCESS ? request_for(network, receive, false) : Begun{begun};
}

bool NetworkReceive::carry_on() noexcept {
  if (over()) return true;
  if (!begun_.load(std::memory_order_acquire)) return false;
  switch (stage_) {
    case Stage::posted:
      if (!host_is_done()) return false;
      if (!brings_descriptor()) {
        tell_of_blocks();
        return end(receive_.finish(status_, result_));
      }
      take_descriptor();
      return over();
    case Stage::by_fabric:
      return by_fabric();
    case Stage::by_host:
      return by_host();
  }
  return false;
}

}  // namespace heddle::mpi
