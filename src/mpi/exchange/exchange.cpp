// mpi/exchange/exchange.cpp
#include "mpi/exchange/exchange.hpp"

#include "layout/transfer.hpp"
#include "mpi/requests/receive.hpp"
#include "mpi/requests/send.hpp"

namespace heddle::mpi {
namespace {

/// Bytes. Up to here hosts send eagerly, and Heddle announces nothing.
constexpr Bytes small_block = 4 << 10;

/// Sends under way at once: beyond, a host's queues of unexpected messages grow at the receivers.
constexpr int throttle = 64;

}  // namespace

Exchange::Exchange(const Companion& companion, int sends, int receives) noexcept
    : companion_(companion),
      most_sends_(sends),
      most_receives_(receives),
      blocks_(sends + receives),
      requests_(sends + receives + 1),  // one more: none is no memory to a Scratch
      pendings_(sends + receives + 1) {
  in_ = {0, 0, 0, receives};
  out_ = {receives, 0, 0, receives + sends};
}

void Exchange::send(const Edge& to, const Buffer& data, Bytes bytes) noexcept {
  if (bytes == 0 || to.rank == MPI_PROC_NULL) return;
  Block& block = blocks_[sends_++] = {to, data, bytes};
  if (to.rank == companion_.me() && !own_out_) own_out_ = &block;
}

void Exchange::receive(const Edge& from, const Buffer& data, Bytes bytes) noexcept {
  if (bytes == 0 || from.rank == MPI_PROC_NULL) return;
  Block& block = blocks_[most_sends_ + receives_++] = {from, data, bytes};
  if (from.rank == companion_.me() && !own_in_) own_in_ = &block;
}

void Exchange::add(Requests& to, MPI_Request request, Pending* pending) noexcept {
  const int place = pending ? to.first + to.tracked++ : to.end - ++to.native;
  requests_[place] = request;
  pendings_[place] = pending;
}

void Exchange::post_receive(const Block& block) noexcept {
  const BegunReceive begun = begin_receive(block.data, block.edge.rank, block.edge.tag, companion_.comm());
  note(begun.result);
  if (begun.result == MPI_SUCCESS) add(in_, begun.request, begun.pending);
}

void Exchange::post_send(const Block& block) noexcept {
  const Buffer& data = block.data;
  MPI_Comm comm = companion_.comm();
  BegunSend begun;
  if (travels_packed(data.type, data.count) || may_be_announced(data.type, data.count))
    begun =
        begin_send(Mode::standard, data, Derived(hold_any(data.type)), block.edge.rank, block.edge.tag, comm, Until::call_ends);
  if (!begun.result)
    begun.result = HEDDLE_HAND(!fits(data.count), Isend, data.address, Number{data.count}, data.type, block.edge.rank,
                               block.edge.tag, comm, &begun.request)
                       .value_or(MPI_ERR_COUNT);
  note(*begun.result);
  if (*begun.result == MPI_SUCCESS) add(out_, begun.request, begun.pending);
}

void Exchange::post_sends(bool small) noexcept {
  for (int i = 0; i < sends_; ++i) {
    const Block& block = blocks_[i];
    if (&block == own_out_ || (block.bytes <= small_block) != small) continue;
    if (out_.native >= throttle) note(PMPI_Wait(&requests_[out_.end - (out_.native - throttle) - 1], MPI_STATUS_IGNORE));
    post_send(block);
  }
}

void Exchange::move_own() noexcept {
  const Buffer& from = own_out_->data;
  const Buffer& to = own_in_->data;
  const Derived out(hold_any(from.type));
  const Derived in(hold_any(to.type));
  layout::transfer(out->layout(), from.count, from.address, in->layout(), to.count, const_cast<void*>(to.address));
}

void Exchange::finish(int request, MPI_Status& status, int error) noexcept {
  Pending* pending = pendings_[request];
  note(pending->finish(status, error));
  delete pending;
}

void Exchange::finish_receives() noexcept {
  for (int left = in_.tracked; left > 0;) {
    int index = MPI_UNDEFINED;
    MPI_Status status;
    const int error = PMPI_Waitany(in_.tracked, requests_.get() + in_.first, &index, &status);
    if (index == MPI_UNDEFINED) return note(error);
    requests_[in_.first + index] = MPI_REQUEST_NULL;  // Open MPI leaves one that has failed
    finish(in_.first + index, status, error);
    --left;
  }
}

void Exchange::finish_sends() noexcept {
  for (int i = 0; i < out_.tracked; ++i) {
    MPI_Status status;
    const int error = PMPI_Wait(&requests_[out_.first + i], &status);
    finish(out_.first + i, status, error);
  }
}

int Exchange::run(MPI_Comm comm) noexcept {
  // Two sizes are a mistake, of which the host knows best what to say.
  if (!own_out_ || !own_in_ || own_out_->bytes != own_in_->bytes || own_out_->edge.tag != own_in_->edge.tag)
    own_out_ = own_in_ = nullptr;
  if (own_out_) {
    const Derived out(hold_any(own_out_->data.type));
    const Derived in(hold_any(own_in_->data.type));
    if (!out || !in) own_out_ = own_in_ = nullptr;
  }
  for (int i = 0; i < receives_; ++i)
    if (const Block& block = blocks_[most_sends_ + i]; &block != own_in_) post_receive(block);
  post_sends(true);
  post_sends(false);
  if (own_out_) move_own();
  finish_receives();
  finish_sends();
  // One by one: the host moves all of them meanwhile, and each says what was wrong with it.
  for (const Requests& side : {in_, out_})
    for (int i = side.end - side.native; i < side.end; ++i) note(PMPI_Wait(&requests_[i], MPI_STATUS_IGNORE));
  if (error_ != MPI_SUCCESS) PMPI_Comm_call_errhandler(comm, error_);
  return error_;
}

}  // namespace heddle::mpi
