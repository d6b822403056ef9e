// mpi/exchange/mpi_exchange.cpp: the functions of engine/exchange/carrier.hpp, by messages of
// mpi/p2p.
#include "mpi/exchange/mpi_exchange.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <new>

#include "engine/exchange/routed.hpp"
#include "layout/pack.hpp"
#include "layout/transfer.hpp"
#include "mpi/communicators/for_host.hpp"
#include "mpi/p2p/receive.hpp"
#include "mpi/p2p/send.hpp"
#include "mpi/process/process.hpp"

namespace heddle::mpi {
namespace {

/// Bytes. On a crowded node under Open MPI, ranks together put no more than this into slots at
/// once, if Open MPI packs as well as Heddle. Open MPI moves data fragment by fragment. Slots that
/// all fill before one is emptied leave the caches (docs/collectives.md).
constexpr Bytes most_in_slots = 8 << 20;

}  // namespace

Exchange::Exchange(const ShadowComm& shadow, int sends, int receives) noexcept
    : shadow_(shadow), blocks_(sends + receives), steps_(*this, shadow.me(), sends, receives), tags_(shadow.tag(0)) {
  constexpr Bytes each = sizeof(Buffer) + sizeof(Pending*) + sizeof(MPI_Request);
  if (!arrays_.reserve(each * blocks_)) return;
  data_ = reinterpret_cast<Buffer*>(arrays_.data());
  pendings_ = reinterpret_cast<Pending**>(data_ + blocks_);
  requests_ = reinterpret_cast<MPI_Request*>(pendings_ + blocks_);
}

/// Null: the block needs no such memory, or there is no memory for the object. Then each start
/// registers.
KeptMemory Exchange::memory_of(const Block& block) noexcept try {
  Network* const network = keeps_memory_ ? Network::here() : nullptr;
  if (!network || block.bytes < network->threshold()) return {};
  memory_.resize(static_cast<std::size_t>(blocks_));
  KeptMemory& memory = memory_[static_cast<std::size_t>(block.number)];
  if (!memory) memory = NetworkMemory::made(network);
  return memory;
} catch (const std::bad_alloc&) {
  return {};
}

/// True: the blocks would overflow the slots. Each rank decides for itself, because a receive takes
/// any form of a block. Only for exchanges that end in their call: otherwise, the program may free
/// the types.
bool Exchange::overflows() noexcept {
  const MpiNode* node = MpiNode::here();
  if (!node || !node->crowded() || !traits().packs_while_it_sends ||
      settings_of_process().scheme != settings::Scheme::automatic)
    return false;
  Bytes out = 0;
  Bytes in = 0;
  steps_.for_each_send([&out](const Block& block) { out += block.role == Block::Role::own ? 0 : block.bytes; });
  steps_.for_each_receive([&in](const Block& block) { in += block.role == Block::Role::own ? 0 : block.bytes; });
  return std::max(out, in) > most_in_slots / std::min(shadow_.ranks(), node->size());
}

int Exchange::begin(bool in_call) noexcept {
  straight_ = in_call && overflows();
  return packed_from_ ? pack_aside() : MPI_SUCCESS;
}

Exchange::Begun Exchange::begun(MPI_Request request, Pending* pending, Tickets tickets) noexcept {
  const Ticket ticket = pending ? tickets.followed : tickets.plain;
  requests_[ticket] = request;
  pendings_[ticket] = pending;
  return !pending ? Begun::plain : pending->advances() ? Begun::driven : Begun::followed;
}

Exchange::Begun Exchange::receive(const Block& block, Tickets tickets, int& error) noexcept {
  const Buffer& data = data_[block.number];
  const mpi::Begun receive =
      begin_receive(data, route_of_receive(data, descriptors_come()), envelope(block), memory_of(block), Probes::none);
  error = receive.lacks_memory ? MPI_ERR_NO_MEM : int{*receive.result};
  return error == MPI_SUCCESS ? begun(receive.request, receive.pending, tickets) : Begun::failed;
}

/// True: the host sends this block. False if its receiver scatters blocks, for it then fetches them
/// faster. The receiver has said so when a block came in one piece.
bool Exchange::left_to_host(const Block& block, Route route) noexcept {
  if (!straight_ || !traits().packs_while_it_sends || !route.type || !route.type->known()) return false;
  if (!takes_descriptor(*route.type, data_[block.number].count)) return false;
  const MpiNode* node = MpiNode::here();
  const int peer = node->peer(shadow_.comm(), block.rank);
  return peer < 0 || !node->scatter_hints().of(peer);
}

Exchange::Begun Exchange::send(const Block& block, Tickets tickets, int& error) noexcept {
  const Buffer& data = data_[block.number];
  const Envelope to = envelope(block);
  mpi::Begun send;
  const Route route = route_of_send(data);
  if (route.protocol != Protocol::passthrough && !left_to_host(block, route))
    send = begin_send(data, route, held(data, route), to, Mode::standard, ends_, Probes::none, memory_of(block));
  if (!send.result && !send.lacks_memory)
    send.result = HEDDLE_MESSAGE_BY_HOST(Isend, data, to.comm, to.rank, to.tag, to.comm, &send.request);
  error = send.lacks_memory ? MPI_ERR_NO_MEM : int{*send.result};
  return error == MPI_SUCCESS ? begun(send.request, send.pending, tickets) : Begun::failed;
}

int Exchange::receive_bytes(const Block& block, std::byte* to, Bytes bytes, Ticket ticket) noexcept {
  const Envelope from = envelope(block);
  pendings_[ticket] = nullptr;
  return PMPI_Irecv(to, static_cast<int>(bytes), MPI_BYTE, from.rank, from.tag, from.comm, &requests_[ticket]);
}

int Exchange::send_bytes(const Block& block, const std::byte* from, Bytes bytes, Ticket ticket) noexcept {
  const Envelope to = envelope(block);
  pendings_[ticket] = nullptr;
  const SharedCopy copy(bytes);  // Heddle has packed these bytes
  return PMPI_Isend(from, static_cast<int>(bytes), MPI_BYTE, to.rank, to.tag, to.comm, &requests_[ticket]);
}

void Exchange::finish(Ticket ticket, MPI_Status& status, int& error) noexcept {
  requests_[ticket] = MPI_REQUEST_NULL;  // Open MPI leaves the handle of a failed request
  Pending* const pending = pendings_[ticket];
  if (!pending) return;
  error = pending->finish(status, error);
  delete pending;
}

bool Exchange::over(Ticket ticket, bool wait, int& error) noexcept {
  Pending* const pending = pendings_[ticket];
  MPI_Status status;
  MPI_Status* const wanted = pending ? &status : MPI_STATUS_IGNORE;
  int done = 1;
  if (pending && pending->advances()) pending->advance(wait);
  error = wait ? PMPI_Wait(&requests_[ticket], wanted) : PMPI_Test(&requests_[ticket], &done, wanted);
  if (error == MPI_SUCCESS && !done) return false;
  finish(ticket, status, error);
  return true;
}

Exchange::Ticket Exchange::wait_any(Ticket first, int count, int& error) noexcept {
  int index = MPI_UNDEFINED;
  MPI_Status status;
  error = PMPI_Waitany(count, requests_ + first, &index, &status);
  if (index == MPI_UNDEFINED) return none;
  finish(first + index, status, error);
  return first + index;
}

bool Exchange::probe(const Block& block) noexcept {
  const Envelope from = envelope(block);
  int found = 0;
  PMPI_Iprobe(from.rank, from.tag, from.comm, &found, MPI_STATUS_IGNORE);
  return found != 0;
}

/// Hosts make progress only in a probe that finds nothing. A probe with another tag might find a
/// message of a rank that is ahead.
void Exchange::progress() noexcept {
  int found = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, shadow_.tag(tags::nobodys), shadow_.comm(), &found, MPI_STATUS_IGNORE);
}

void Exchange::drive() noexcept { Network::here()->advance(); }
bool Exchange::crowded() const noexcept { return Network::here()->crowded(); }

int Exchange::pack(const Block& block, std::byte* to) noexcept {
  const Buffer& data = data_[block.number];
  const auto number = static_cast<std::size_t>(block.number);
  if (number < held_.size() && held_[number]) {
    layout::pack(held_[number]->layout(), data.count, data.address, to);
    return MPI_SUCCESS;
  }
  const int error = element_.look(data.type);
  return error == MPI_SUCCESS ? element_.pack(data.address, data.count, to, shadow_.comm()) : error;
}

int Exchange::find_packed(const Block& block, const std::byte*& at) noexcept {
  const Buffer& data = data_[block.number];
  const int error = element_.look(data.type);
  at = error == MPI_SUCCESS ? element_.dense(data.address, data.count) : nullptr;
  return error;
}

int Exchange::unpack(const Block& block, const std::byte* from, Bytes bytes) noexcept {
  const Buffer& data = data_[block.number];
  auto* const to = const_cast<void*>(data.address);
  const Count count = bytes == block.bytes ? data.count : data.count * bytes / block.bytes;
  const auto number = static_cast<std::size_t>(block.number);
  if (number < held_.size() && held_[number]) {
    layout::unpack(held_[number]->layout(), count, to, from);
    return MPI_SUCCESS;
  }
  const int error = element_.look(data.type);
  return error == MPI_SUCCESS ? element_.unpack(from, to, count, shadow_.comm()) : error;
}

bool Exchange::moves(const Block& from, const Block& to) noexcept {
  return Derived(hold_any(data_[from.number].type)) && Derived(hold_any(data_[to.number].type));
}

void Exchange::move(const Block& out, const Block& in) noexcept {
  const Buffer& from = data_[out.number];
  const Buffer& to = data_[in.number];
  const Derived sent(hold_any(from.type));
  const Derived received(hold_any(to.type));
  layout::transfer(sent->layout(), from.count, from.address, received->layout(), to.count, const_cast<void*>(to.address));
}

std::byte* Exchange::hold(const Block& block) {
  MpiNode* const node = MpiNode::here();
  Derived type(hold_any(data_[block.number].type));
  const int peer = node && type ? node->peer(shadow_.comm(), block.rank) : -1;
  if (peer < 0) return nullptr;
  held_.resize(static_cast<std::size_t>(blocks_));
  held_[static_cast<std::size_t>(block.number)] = std::move(type);
  return node->reach(peer).memory;
}

int Exchange::error_of(Failure failure) const noexcept {
  switch (failure) {
    case Failure::truncated:
      return MPI_ERR_TRUNCATE;
    case Failure::no_memory:
      return MPI_ERR_NO_MEM;
    case Failure::unpackable:
      break;
  }
  return MPI_ERR_OTHER;
}

bool Exchange::agree(engine::PersistentMailboxes& mailboxes, bool neighbours) noexcept try {
  const MpiNode* const node = MpiNode::here();
  const auto is_near = [&](const Edge& edge) {
    return node && edge.rank != MPI_PROC_NULL && edge.rank != shadow_.me() && node->has(shadow_.comm(), edge.rank);
  };
  engine::PersistentMailboxes::Edges edges;
  if (neighbours) {
    std::ranges::copy_if(shadow_.out(), std::back_inserter(edges.out), is_near);
    std::ranges::copy_if(shadow_.in(), std::back_inserter(edges.in), is_near);
  } else {
    for (int rank = 0; rank < shadow_.ranks(); ++rank)
      if (const Edge edge{.rank = rank, .tag = 0}; is_near(edge)) edges.out.push_back(edge);
    edges.in = edges.out;
  }
  Channel channel(shadow_.comm(), tags_);
  return mailboxes.agree(edges, mail_room(), channel);
} catch (const std::bad_alloc&) {
  return false;
}

void Exchange::use_mailboxes(bool neighbours) {
  if (engine::PairMailboxes& mailboxes = shadow_.next_mailboxes(neighbours); mailboxes.any()) steps_.use(mailboxes);
}

Raised Exchange::finish_on(MPI_Comm comm) {
  advance(true);
  if (error() != MPI_SUCCESS) shadow_.spoil();
  return raise_new(error(), comm);
}

Raised Exchange::run_routed(MPI_Comm comm, const select::Candidate& choice, const schedule::Nodes& nodes) {
  const settings::Router& wishes = settings_of_process().router;
  int error = MPI_SUCCESS;
  try {
    Channel channel(shadow_.comm(), shadow_.tag(tags::bundles), Channel::Holds::packed);
    engine::Routed routed(steps_, *this,
                          {.ranks = shadow_.ranks(),
                           .radix = wishes.radix > 0 ? wishes.radix : choice.radix,
                           .reach = choice.reach,
                           .stride = choice.stride,
                           .channels = wishes.channels,
                           .nodes = &nodes},
                          wishes.straight_from(),
                          {.segment = wishes.segment, .copies = wishes.copies, .algorithm = choice.algorithm}, channel);
    steps_.start(true);
    error = routed.run();
  } catch (const engine::Failed& failed) {
    error = failed.code;
  } catch (const std::bad_alloc&) {
    error = MPI_ERR_NO_MEM;
  } catch (const std::exception&) {
    error = MPI_ERR_INTERN;
  }
  advance(true);
  if (error == MPI_SUCCESS) error = this->error();
  if (error != MPI_SUCCESS) shadow_.spoil();
  return raise_new(error, comm);
}

// In place, the block to a rank lies where the answer of that rank will lie. So all blocks are
// packed aside before anything is received.
bool Exchange::send_from_aside() noexcept {
  Bytes room = static_cast<Bytes>(sizeof(Buffer)) * blocks_;
  const Bytes buffers = room;
  bool fits = true;
  steps_.for_each_send([&](const Block& block) { fits = fits && !__builtin_add_overflow(room, block.bytes, &room); });
  if (!fits || !aside_.reserve(room)) return false;
  packed_from_ = reinterpret_cast<Buffer*>(aside_.data());
  std::byte* packed = aside_.data() + buffers;
  steps_.for_each_send([&](const Block& block) {
    Buffer& data = data_[block.number];
    packed_from_[block.number] = data;
    if (!held_.empty()) held_[static_cast<std::size_t>(block.number)] = {};
    data = {packed, block.bytes, MPI_BYTE};
    packed += block.bytes;
  });
  return true;
}

// If the host cannot pack a type, this rank raises the error at the end: other ranks wait for its
// blocks.
int Exchange::pack_aside() noexcept {
  Element element;
  int first = MPI_SUCCESS;
  steps_.for_each_send([&](const Block& block) {
    const Buffer& from = packed_from_[block.number];
    auto* const to = static_cast<std::byte*>(const_cast<void*>(data_[block.number].address));
    int error = element.look(from.type);
    if (error == MPI_SUCCESS) error = element.pack(from.address, from.count, to, shadow_.comm());
    if (first == MPI_SUCCESS) first = error;
  });
  return first;
}

}  // namespace heddle::mpi
