// mpi/exchange/letterboxes.cpp
#include "mpi/exchange/letterboxes.hpp"

#include <unordered_map>
#include <utility>

#include "layout/pack.hpp"
#include "mpi/process/process.hpp"

namespace heddle::mpi {
namespace {

/// Bytes: longer blocks gain less from not being messages.
constexpr Bytes longest = 8 << 10;

/// What a sender says to a receiver: where the box is in its node memory, or -1.
using Word = std::int64_t;

std::size_t half_bytes(Bytes bytes) { return (sizeof(Word) + static_cast<std::size_t>(bytes) + 63) / 64 * 64; }

/// Words between partners, both ways at once.
class Words {
 public:
  Words(MPI_Comm comm, const Exchange& exchange) : comm_(comm), exchange_(exchange) {}
  /// `word` must stay where it is until wait().
  void send(const Edge& to, const Word& word) {
    PMPI_Isend(&word, sizeof word, MPI_BYTE, to.rank, exchange_.tag(to), comm_, &requests_.emplace_back());
  }
  void receive(const Edge& from, Word& word) {
    PMPI_Irecv(&word, sizeof word, MPI_BYTE, from.rank, exchange_.tag(from), comm_, &requests_.emplace_back());
  }
  void wait() {
    PMPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    requests_.clear();
  }

 private:
  MPI_Comm comm_;
  const Exchange& exchange_;
  std::vector<MPI_Request> requests_;
};

}  // namespace

Letterboxes::~Letterboxes() {
  for (const Box& box : in_) closed(box.memory).store(1, std::memory_order_release);
  if (!lent_) return;
  try {
    std::vector<std::byte*> boxes;
    boxes.reserve(out_.size());
    for (const Box& box : out_) boxes.push_back(box.memory);
    std::move(lent_).retire(std::move(boxes));
  } catch (const std::bad_alloc&) {
    lent_.abandon();
  }
}

bool Letterboxes::agree(const Companion& own, Exchange& exchange) noexcept try {
  return settle_on(own, exchange);
} catch (const std::bad_alloc&) {
  return false;
}

// Who takes part in this follows from the bytes of signatures, which both ranks of a pair know. All else is said.
bool Letterboxes::settle_on(const Companion& own, Exchange& exchange) {
  enum : unsigned char { sends = 1, receives = 2 };
  std::unordered_map<int, unsigned char> ways;
  exchange.for_each_send([&](const Block& block) { ways[block.edge.rank] |= sends; });
  exchange.for_each_receive([&](const Block& block) { ways[block.edge.rank] |= receives; });
  const auto fits = [&](const Block& block) {
    return block.bytes <= longest && block.edge.rank != own.me() && ways[block.edge.rank] == (sends | receives);
  };
  struct Candidate {
    Block block;
    Derived type;
    Word place = -1;  // as the sender says
    Word wanted = 0;  // as the receiver says
    std::byte* base = nullptr;
  };
  std::vector<Candidate> to;
  std::vector<Candidate> from;
  exchange.for_each_send([&](const Block& block) {
    if (fits(block)) to.push_back({.block = block, .type = Derived(hold_any(block.data.type))});
  });
  exchange.for_each_receive([&](const Block& block) {
    if (fits(block)) from.push_back({.block = block, .type = Derived(hold_any(block.data.type))});
  });
  if (to.empty() && from.empty()) return true;
  out_.reserve(to.size());
  in_.reserve(from.size());

  node_ = Node::here();
  const auto base_of = [&](int rank) -> std::byte* {
    const int peer = node_ ? node_->peer(own.comm(), rank) : -1;
    return peer < 0 ? nullptr : node_->reach(peer).memory;
  };
  if (node_ && !to.empty() && settings_of_process().letters) lent_ = Lent::from(*node_);
  std::size_t used = 0;
  for (Candidate& one : to) {
    const std::size_t bytes = box_line + 2 * half_bytes(one.block.bytes);
    if (!lent_ || !one.type || !base_of(one.block.edge.rank) || used + bytes > Lent::bytes()) continue;
    one.base = lent_.memory() + used;
    one.place = node_->outbox().offset_of(one.base);
    used += bytes;
    for (const std::size_t at : {std::size_t{0}, box_line, box_line + half_bytes(one.block.bytes)})
      flag(one.base + at).store(0, std::memory_order_relaxed);
  }
  Words words(own.comm(), exchange);
  for (Candidate& one : from) words.receive(one.block.edge, one.place);
  for (const Candidate& one : to) words.send(one.block.edge, one.place);
  words.wait();
  for (Candidate& one : from) {
    std::byte* base = base_of(one.block.edge.rank);
    // A box that does not lie in the sender's memory is none, whatever the sender says.
    const auto box = static_cast<Bytes>(box_line + 2 * half_bytes(one.block.bytes));
    one.wanted = base && one.type && one.place >= 0 && one.place % static_cast<Word>(box_line) == 0 &&
                 one.place <= node_->memory_size() - box;
    if (one.wanted) one.base = base + one.place;
  }
  for (Candidate& one : to) words.receive(one.block.edge, one.wanted);
  for (const Candidate& one : from) words.send(one.block.edge, one.wanted);
  words.wait();

  const auto move = [](std::vector<Candidate>& all, std::vector<Box>& boxes) {
    std::size_t next = 0;
    return [&all, &boxes, next](const Block& block) mutable {
      if (next == all.size() || all[next].block.data.address != block.data.address || all[next].block.edge != block.edge)
        return false;
      Candidate& one = all[next++];
      if (one.place < 0 || !one.wanted) return false;
      boxes.push_back({.data = block.data, .type = std::move(one.type), .memory = one.base, .half = half_bytes(block.bytes)});
      return true;
    };
  };
  exchange.take_sends(move(to, out_));
  exchange.take_receives(move(from, in_));
  return true;
}

void Letterboxes::start() noexcept {
  ++number_;
  for (const Box& box : out_) {
    std::byte* half = half_of(box);
    layout::pack(box.type->layout(), box.data.count, box.data.address, half + sizeof(Word));
    flag(half).store(number_, std::memory_order_release);
  }
  for (Box& box : in_) box.done = false;
  left_ = in_.size();
}

bool Letterboxes::advance() noexcept {
  for (Box& box : in_) {
    if (box.done) continue;
    std::byte* half = half_of(box);
    if (flag(half).load(std::memory_order_acquire) != number_) continue;
    layout::unpack(box.type->layout(), box.data.count, const_cast<void*>(box.data.address), half + sizeof(Word));
    box.done = true;
    --left_;
  }
  return left_ == 0;
}

}  // namespace heddle::mpi
