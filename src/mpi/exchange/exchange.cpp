// mpi/exchange/exchange.cpp
#include "mpi/exchange/exchange.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "engine/wait.hpp"
#include "layout/transfer.hpp"
#include "mpi/exchange/pair_mailboxes.hpp"
#include "mpi/p2p/receive.hpp"
#include "mpi/p2p/send.hpp"
#include "mpi/process/process.hpp"

namespace heddle::mpi {
namespace {

/// Bytes. Up to here hosts send eagerly, and Heddle announces nothing.
constexpr Bytes small_block = 4 << 10;

/// Bytes. Longer blocks gain less from not being messages, unless ranks wait for a core.
constexpr Bytes alone_in_mailbox = 4 << 10;

/// Sends under way at once: beyond, a host's queues of unexpected messages grow at the receivers.
constexpr int throttle = 64;

/// Bytes. More than that the ranks of a crowded node do not put into slots at once where Open MPI packs as well: it moves
/// fragment by fragment, while slots that all fill before one is emptied leave the caches (docs/collectives.md).
constexpr Bytes most_in_slots = 8 << 20;

/// Puts the blocks of an aggregate in place.
class ReceivedAggregate final : public Pending {
 public:
  ReceivedAggregate(const Block& first, MPI_Comm comm) noexcept : first_(first), comm_(comm) {}
  int finish(MPI_Status& /*status*/, int error) noexcept override {
    return error == MPI_SUCCESS ? unpack_aggregate(first_, first_.packed, first_.aggregate, comm_) : error;
  }

 private:
  const Block& first_;
  MPI_Comm comm_;
};

}  // namespace

Exchange::Exchange(const ShadowComm& shadow, int sends, int receives) noexcept
    : shadow_(shadow),
      most_sends_(sends),
      most_receives_(receives),
      blocks_(sends + receives + 1),  // one more: none is no memory to a Scratch
      requests_(sends + receives + 1),
      pendings_(sends + receives + 1) {
  in_ = {.first = 0, .end = receives};
  out_ = {.first = receives, .end = receives + sends};
}

void Exchange::send(const Edge& to, const Buffer& data, Bytes bytes) noexcept {
  if (bytes == 0 || to.rank == MPI_PROC_NULL) return;
  blocks_[sends_++] = {.edge = to, .data = data, .bytes = bytes};
  repeated_ |= to.tag > 0;
}

void Exchange::receive(const Edge& from, const Buffer& data, Bytes bytes) noexcept {
  if (bytes == 0 || from.rank == MPI_PROC_NULL) return;
  blocks_[most_sends_ + receives_++] = {.edge = from, .data = data, .bytes = bytes};
  repeated_ |= from.tag > 0;
}

void Exchange::add(Requests& to, MPI_Request request, Pending* pending) noexcept {
  const int place = pending ? to.first + to.tracked++ : to.end - ++to.native;
  requests_[place] = request;
  pendings_[place] = pending;
  crosses_ |= &to == &in_ && pending && pending->advances();
}

/// Null: it needs none, or there is no memory; then each start registers.
KeptMemory Exchange::memory_of(const Block& block) noexcept try {
  const Network* const network = keeps_memory_ ? Network::here() : nullptr;
  if (!network || block.bytes < network->threshold()) return {};
  memory_.resize(static_cast<std::size_t>(most_sends_) + static_cast<std::size_t>(most_receives_));
  KeptMemory& memory = memory_[static_cast<std::size_t>(&block - blocks_.get())];
  if (!memory) memory = NetworkMemory::made();
  return memory;
} catch (const std::bad_alloc&) {
  return {};
}

void Exchange::post_receive(const Block& block) noexcept {
  Begun begun;
  if (block.role == Block::Role::first) {
    begun.pending = new (std::nothrow) ReceivedAggregate(block, shadow_.comm());
    begun.result = !begun.pending ? MPI_ERR_NO_MEM
                                  : PMPI_Irecv(block.packed, static_cast<int>(block.aggregate), MPI_BYTE, block.edge.rank,
                                               tag(block.edge), shadow_.comm(), &begun.request);
    if (begun.result != MPI_SUCCESS) delete begun.pending;
  } else {
    begun = begin_receive(block.data, route_of_receive(block.data, descriptors_come()),
                          {block.edge.rank, tag(block.edge), shadow_.comm()}, memory_of(block));
  }
  note(*begun.result);
  if (begun.result == MPI_SUCCESS) add(in_, begun.request, begun.pending);
}

/// But what a receiver scatters it had rather fetch, as it has told when it came in one piece.
bool Exchange::left_to_host(const Block& block, Route route) const noexcept {
  if (!straight_ || !route.type || !route.type->known() || !takes_descriptor(*route.type, block.data.count)) return false;
  const Node* node = Node::here();
  const int peer = node->peer(shadow_.comm(), block.edge.rank);
  return peer < 0 || !node->scatter_hints().of(peer);
}

void Exchange::post_send(const Block& block, Ends ends) noexcept {
  const Buffer& data = block.data;
  MPI_Comm comm = shadow_.comm();
  Begun begun;
  const Route route = route_of_send(data);
  if (route.way != Way::passthrough && !left_to_host(block, route))
    begun = begin_send(data, route, held(data, route), {block.edge.rank, tag(block.edge), comm}, Mode::standard, ends,
                       Probes::none, memory_of(block));
  if (!begun.result)
    begun.result = HEDDLE_CALL_HOST(!fits(data.count), Isend, data.address, Number{data.count}, data.type, block.edge.rank,
                                    tag(block.edge), comm, &begun.request)
                       .value_or(MPI_ERR_COUNT);
  note(*begun.result);
  if (*begun.result == MPI_SUCCESS) add(out_, begun.request, begun.pending);
}

void Exchange::post_aggregate(const Block& first) noexcept {
  MPI_Comm comm = shadow_.comm();
  MPI_Request request = MPI_REQUEST_NULL;
  int error = pack_aggregate(first, first.packed, comm);
  if (error == MPI_SUCCESS)
    error =
        PMPI_Isend(first.packed, static_cast<int>(first.aggregate), MPI_BYTE, first.edge.rank, tag(first.edge), comm, &request);
  note(error);
  if (error == MPI_SUCCESS) add(out_, request, nullptr);
}

void Exchange::post_sends(bool small, Ends ends) noexcept {
  for (int i = 0; i < sends_; ++i) {
    const Block& block = blocks_[i];
    if (block.role == Block::Role::own || block.role == Block::Role::later || (block.bytes <= small_block) != small) continue;
    if (block.role == Block::Role::mailbox && publish(block)) continue;
    // Only within a call may one wait for one's turn: all ranks have posted their receives there.
    if (ends == Ends::in_collective && out_.native >= throttle)
      note(PMPI_Wait(&requests_[out_.end - (out_.native - throttle) - 1], MPI_STATUS_IGNORE));
    if (block.role == Block::Role::first || (block.role == Block::Role::mailbox && block.next))
      post_aggregate(block);
    else
      post_send(block, ends);
  }
}

/// Blocks to oneself of two sizes are a mistake, and types that Heddle does not know are the host's: messages both.
void Exchange::find_own() noexcept {
  const int me = shadow_.me();
  Block* in = blocks_.get() + most_sends_;
  Block* const end = in + receives_;
  for (Block* out = blocks_.get(); out != blocks_.get() + sends_; ++out) {
    if (out->edge.rank != me) continue;
    while (in != end && (in->edge.rank != me || in->edge.tag < out->edge.tag)) ++in;
    if (in == end) return;
    if (in->edge.tag != out->edge.tag || in->bytes != out->bytes || !Derived(hold_any(out->data.type)) ||
        !Derived(hold_any(in->data.type)))
      continue;
    out->role = in->role = Block::Role::own;
    out->next = in;
  }
}

void Exchange::move_own() noexcept {
  for (int i = 0; i < sends_; ++i) {
    if (blocks_[i].role != Block::Role::own) continue;
    const Buffer& from = blocks_[i].data;
    const Buffer& to = blocks_[i].next->data;
    const Derived out(hold_any(from.type));
    const Derived in(hold_any(to.type));
    layout::transfer(out->layout(), from.count, from.address, in->layout(), to.count, const_cast<void*>(to.address));
  }
}

/// Each rank decides for itself: a receive takes whatever comes. But for calls that do not return with it, whose types may go.
bool Exchange::overflows() noexcept {
  const Node* node = Node::here();
  if (!node || !node->crowded() || !traits().packs_while_it_sends ||
      settings_of_process().scheme != settings::Scheme::automatic)
    return false;
  Bytes out = 0;
  Bytes in = 0;
  for_each_send([&out](const Block& block) { out += block.role == Block::Role::own ? 0 : block.bytes; });
  for_each_receive([&in](const Block& block) { in += block.role == Block::Role::own ? 0 : block.bytes; });
  return std::max(out, in) > most_in_slots / std::min(shadow_.ranks(), node->size());
}

/// Once: what goes alone, together, or stays. False: no memory.
bool Exchange::arrange() noexcept {
  find_own();
  if (repeated_) {
    const std::array<std::span<Block>, 2> sides = {std::span(blocks_.get(), static_cast<std::size_t>(sends_)),
                                                   std::span(blocks_.get() + most_sends_, static_cast<std::size_t>(receives_))};
    const Bytes out = aggregate(sides[0], [this](int rank) { return mailboxes_ ? mailboxes_->longest_to(rank) : 0; });
    const Bytes in = aggregate(sides[1], [this](int rank) { return mailboxes_ ? mailboxes_->longest_from(rank) : 0; });
    const bool room = out >= 0 && in >= 0 && aggregates_.reserve(out + in);
    std::byte* next = aggregates_.data();
    for (const std::span<Block>& side : sides)
      for (Block& block : side) {
        if (!room) block.role = Block::Role::alone;
        if (block.role == Block::Role::first) next = (block.packed = next) + block.aggregate;
      }
    if (!room) return false;
  }
  if (mailboxes_) choose_mailboxes();
  return arranged_ = true;
}

/// Two ranks know alike which block, or which aggregate, is the one that may be in their mailbox, and whether it fits.
void Exchange::choose_mailboxes() noexcept {
  const auto may = [this](const Block& block) {
    return (block.role == Block::Role::alone || block.role == Block::Role::first) && (block.mailable || !repeated_);
  };
  const auto fits = [this](const Block& block, Bytes room) {
    return block.mailed() <= (block.next || mailboxes_->crowded() ? room : std::min(room, alone_in_mailbox));
  };
  for (int i = 0; i < sends_; ++i)
    if (Block& block = blocks_[i]; may(block) && fits(block, mailboxes_->longest_to(block.edge.rank)))
      block.role = Block::Role::mailbox;
  for (int i = most_sends_; i < most_sends_ + receives_; ++i) {
    Block& block = blocks_[i];
    const Bytes longest = may(block) ? mailboxes_->longest_from(block.edge.rank) : 0;
    int error = MPI_SUCCESS;
    if (longest > 0 && fits(block, longest)) {
      block.role = Block::Role::mailbox;
      ++unpublished_;
    } else if (longest > 0 && mailboxes_->retract(block, element_, shadow_.comm(), error)) {
      block.role = Block::Role::consumed;
      note(error);
    }
  }
}

/// False: it goes as a message.
bool Exchange::publish(const Block& block) noexcept {
  int error = MPI_SUCCESS;
  const bool published = mailboxes_->publish(block, element_, shadow_.comm(), error);
  if (published) note(error);
  return published;
}

void Exchange::finish(int request, MPI_Status& status, int error) noexcept {
  Pending* pending = pendings_[request];
  note(pending->finish(status, error));
  delete pending;
}

// Sweeps while something has come; hosts' Waitany looks at every request twice, so it is left for when nothing has.
bool Exchange::finish_receives(bool wait) noexcept {
  MPI_Request* requests = requests_.get() + in_.first;
  const auto over = [&](int i, MPI_Status& status, int error) {
    requests[i] = MPI_REQUEST_NULL;  // Open MPI leaves one that has failed
    ++in_.tracked_over;
    finish(in_.first + i, status, error);
  };
  engine::Patience patience(crosses_ && Network::here()->crowded());
  while (in_.tracked_over < in_.tracked) {
    const int before = in_.tracked_over;
    for (int i = 0; i < in_.tracked; ++i) {
      if (requests[i] == MPI_REQUEST_NULL) continue;
      int done = 0;
      MPI_Status status;
      advance_pending(in_.first + i, false);
      const int error = PMPI_Test(&requests[i], &done, &status);
      if (done || error != MPI_SUCCESS) over(i, status, error);
    }
    if (in_.tracked_over > before) {
      patience.renew();
      continue;
    }
    if (!wait) return false;
    if (crosses_) {
      Network::here()->advance();
      patience.pause();
      continue;
    }
    int index = MPI_UNDEFINED;
    MPI_Status status;
    const int error = PMPI_Waitany(in_.tracked, requests, &index, &status);
    if (index == MPI_UNDEFINED) {
      note(error);
      return true;
    }
    over(index, status, error);
  }
  return true;
}

void Exchange::consume_published() noexcept {
  for (int i = most_sends_; i < most_sends_ + receives_ && unpublished_ > 0; ++i) {
    if (blocks_[i].role != Block::Role::mailbox) continue;
    int error = MPI_SUCCESS;
    const PairMailboxes::Found found = mailboxes_->find(blocks_[i], element_, shadow_.comm(), error);
    if (found == PairMailboxes::Found::nothing) continue;
    note(error);
    blocks_[i].role = found == PairMailboxes::Found::here ? Block::Role::consumed : blocks_[i].as_message();
    --unpublished_;
    if (found == PairMailboxes::Found::later) post_receive(blocks_[i]);
  }
}

/// Who waits here keeps the host going, too: others may need what it has to do for them.
bool Exchange::finish_mailboxes(bool wait) noexcept {
  consume_published();
  if (unpublished_ == 0 || !wait) return unpublished_ == 0;
  constexpr int seldom = 8;  // it takes its time
  engine::Patience patience(mailboxes_->crowded(), mailboxes_->crowded() ? 4 : 1024);
  for (int turn = 0; unpublished_ > 0; consume_published()) {
    if (!patience.pause() || ++turn % seldom != 0) continue;
    finish_receives(false);
    look_for_message(turn / seldom);
  }
  return true;
}

/// In the place of one of the blocks that are due, by turns, and keeps the host going: such a message is too long, as the host
/// will say. What its sender sends later it sends after it has published.
void Exchange::look_for_message(int turn) noexcept {
  int which = turn % unpublished_;
  for (int i = most_sends_; i < most_sends_ + receives_; ++i) {
    Block& block = blocks_[i];
    if (block.role != Block::Role::mailbox || which-- > 0) continue;
    int found = 0;
    PMPI_Iprobe(block.edge.rank, tag(block.edge), shadow_.comm(), &found, MPI_STATUS_IGNORE);
    if (found) consume_published();
    if (!found || block.role != Block::Role::mailbox) return;
    block.role = block.as_message();
    --unpublished_;
    return post_receive(block);
  }
}

bool Exchange::finish_sends(bool wait) noexcept {
  for (; out_.tracked_over < out_.tracked; ++out_.tracked_over) {
    const int i = out_.first + out_.tracked_over;
    MPI_Status status;
    int done = 1;
    advance_pending(i, wait);
    const int error = wait ? PMPI_Wait(&requests_[i], &status) : PMPI_Test(&requests_[i], &done, &status);
    if (error == MPI_SUCCESS && !done) return false;
    finish(i, status, error);
  }
  return true;
}

/// One by one: the host moves all of them meanwhile, and each says what was wrong with it.
bool Exchange::finish_native(Requests& side, bool wait) noexcept {
  for (; side.native_over < side.native; ++side.native_over) {
    MPI_Request& request = requests_[side.end - 1 - side.native_over];
    int done = 1;
    const int error = wait ? PMPI_Wait(&request, MPI_STATUS_IGNORE) : PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (error == MPI_SUCCESS && !done) return false;
    note(error);
  }
  return true;
}

void Exchange::start(Ends ends) noexcept {
  error_ = MPI_SUCCESS;
  crosses_ = false;
  for (Requests* side : {&in_, &out_}) side->tracked = side->native = side->tracked_over = side->native_over = 0;
  if (!arranged_ && !arrange()) return note(MPI_ERR_NO_MEM);
  straight_ = ends == Ends::in_collective && overflows();
  if (packed_from_) pack_aside();
  for (int i = 0; i < receives_; ++i)
    if (const Block& block = blocks_[most_sends_ + i]; block.role == Block::Role::alone || block.role == Block::Role::first)
      post_receive(block);
  post_sends(true, ends);
  post_sends(false, ends);
  move_own();
}

bool Exchange::advance(bool wait) noexcept {
  return finish_mailboxes(wait) && finish_receives(wait) && finish_sends(wait) && finish_native(in_, wait) &&
         finish_native(out_, wait);
}

int Exchange::run(MPI_Comm comm, bool neighbours) {
  PairMailboxes& mailboxes = shadow_.mailboxes();
  mailboxes.next(shadow_, neighbours);
  if (mailboxes.any()) mailboxes_ = &mailboxes;
  start(Ends::in_collective);
  advance(true);
  if (error_ != MPI_SUCCESS) communicators::raise(comm, error_);
  return error_;
}

}  // namespace heddle::mpi
