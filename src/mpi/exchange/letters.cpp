// mpi/exchange/letters.cpp
#include "mpi/exchange/letters.hpp"

#include <algorithm>

#include "engine/wait.hpp"
#include "mpi/process/process.hpp"

namespace heddle::mpi {
namespace {

constexpr int tag = 32758;  // below that of routed.cpp

struct Head {
  Flag number;
  std::int64_t bytes;
  std::int64_t call;
};
static_assert(sizeof(Head) == select::LetterBox::head && Lent::bytes() == select::LetterBox::lent &&
              box_line == select::LetterBox::line);
Head& head(std::byte* half) noexcept { return *reinterpret_cast<Head*>(half); }

/// How many letters of a box its reader has taken, and the last call in which it has wanted a message; beside closed().
Flag& taken(std::byte* box) noexcept { return flag(box + sizeof(Flag)); }
Flag& wants(std::byte* box) noexcept { return flag(box + 2 * sizeof(Flag)); }

}  // namespace

Letters::Letters(MPI_Comm comm, int me, int ranks) : node_(Node::here()) {
  if (!node_) return;
  for (int rank = 0; rank < ranks; ++rank)
    if (const int peer = rank == me ? -1 : node_->peer(comm, rank); peer >= 0) lanes_.push_back({.rank = rank, .peer = peer});
  if (lanes_.empty()) return;
  box_ = select::letter_box(static_cast<Count>(lanes_.size()));
  if (box_.letter == 0) {
    lanes_.clear();
    return;
  }
  said_.resize(lanes_.size());
  heard_.resize(lanes_.size());
  requests_.assign(2 * lanes_.size(), MPI_REQUEST_NULL);
}

Letters::~Letters() {
  PMPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  if (!any()) return;  // nobody has read from a box yet, nor will: ranks have all come as far
  for (const Lane& each : lanes_)
    if (each.in) closed(each.in).store(1, std::memory_order_release);
  if (!lent_) return;
  try {
    std::vector<std::byte*> boxes;
    boxes.reserve(lanes_.size());
    for (const Lane& each : lanes_)
      if (each.out) boxes.push_back(each.out);
    std::move(lent_).retire(std::move(boxes));
  } catch (const std::bad_alloc&) {
    lent_.abandon();
  }
}

void Letters::settle_further(MPI_Comm own) noexcept {
  if (call_ < ask_at) return;
  PMPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  if (call_ == ask_at) ask();
  if (call_ == answer_at) answer();
  if (call_ == use_at) use();
  if (call_ < use_at) say(own);
}

void Letters::say(MPI_Comm own) noexcept {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    PMPI_Irecv(&heard_[i], sizeof heard_[i], MPI_BYTE, lanes_[i].rank, tag, own, &requests_[2 * i]);
    PMPI_Isend(&said_[i], sizeof said_[i], MPI_BYTE, lanes_[i].rank, tag, own, &requests_[2 * i + 1]);
  }
}

/// Where each box is in this process's node memory.
void Letters::ask() noexcept {
  if (settings_of_process().letters) lent_ = Lent::from(*node_);
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    said_[i] = {-1, 0};
    if (!lent_) continue;
    std::byte* const box = lanes_[i].out = lent_.memory() + i * (box_line + 2 * own_half());
    for (Flag* each : {&closed(box), &taken(box), &wants(box)}) each->store(0, std::memory_order_relaxed);
    for (const std::uint64_t number : {1, 2}) head(half(box, own_half(), number)).number.store(0, std::memory_order_relaxed);
    said_[i] = {node_->outbox().offset_of(box), box_.half};
  }
}

/// Whether the other's box is of use: one that does not lie in its memory is none, whatever it says.
void Letters::answer() noexcept {
  constexpr auto line = static_cast<Bytes>(box_line);
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const auto [place, half] = heard_[i];
    std::byte* const base = node_->reach(lanes_[i].peer).memory;
    const bool there = settings_of_process().letters && place >= 0 && place % line == 0 && half >= line && half % line == 0 &&
                       half <= select::LetterBox::lent && place <= node_->memory_size() - line - 2 * half;
    if (there) lanes_[i].in = base + place;
    lanes_[i].in_half = static_cast<std::size_t>(half);
    said_[i] = {there, 0};
  }
}

void Letters::use() noexcept {
  for (std::size_t i = 0; i < lanes_.size(); ++i)
    if (!heard_[i].place) lanes_[i].out = nullptr;
}

Letters::Lane* Letters::lane(int rank) noexcept {
  const auto found = std::ranges::lower_bound(lanes_, rank, {}, &Lane::rank);
  return found != lanes_.end() && found->rank == rank ? &*found : nullptr;
}

Bytes Letters::longest_to(int rank) noexcept {
  const Lane* const found = lane(rank);
  return found && found->out ? box_.letter : 0;
}

Bytes Letters::longest_from(int rank) noexcept {
  const Lane* const found = lane(rank);
  return found && found->in ? select::letter_of(static_cast<Bytes>(found->in_half)) : 0;
}

bool Letters::put(const Block& block, Element& element, MPI_Comm own, int& error) noexcept {
  Lane& to = *lane(block.edge.rank);
  const std::uint64_t number = ++to.sent;
  std::byte* const into = half(to.out, own_half(), number);
  engine::Patience patience(crowded());
  while (number > 2 && taken(to.out).load(std::memory_order_acquire) < number - 2) {
    int found = 0;
    if (patience.pause()) PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, own, &found, MPI_STATUS_IGNORE);
  }
  error = element.look(block.data.type);
  if (error == MPI_SUCCESS) error = element.pack(block.data.address, block.data.count, into + sizeof(Head), own);
  head(into).bytes = error == MPI_SUCCESS ? block.bytes : -1;
  head(into).call = call_;
  head(into).number.store(number);  // before the look at wants, in one order with what the reader does
  std::uint64_t mine = number;
  if (wants(to.out).load() != static_cast<std::uint64_t>(call_) || !head(into).number.compare_exchange_strong(mine, 0))
    return true;
  --to.sent;
  return false;
}

/// The reader has the letter: `from.taken` is its number.
void Letters::open(Lane& from, const Block& block, Element& element, MPI_Comm own, int& error) noexcept {
  std::byte* const letter = half(from.in, from.in_half, from.taken);
  const Bytes bytes = head(letter).bytes;
  if (bytes < 0)
    error = MPI_ERR_OTHER;  // the sender could not pack it
  else if (bytes > block.bytes || bytes > static_cast<Bytes>(from.in_half - sizeof(Head)))
    error = MPI_ERR_TRUNCATE;
  else
    error = element.look(block.data.type);
  // Less than is expected is a mistake, too, which hosts let pass.
  if (error == MPI_SUCCESS && bytes > 0)
    error = element.unpack(letter + sizeof(Head), const_cast<void*>(block.data.address), block.data.count * bytes / block.bytes,
                           own);
  take(from);
}

/// Its half is free for the sender.
void Letters::take(Lane& from) noexcept { taken(from.in).store(from.taken, std::memory_order_release); }

Letters::Came Letters::get(const Block& block, Element& element, MPI_Comm own, int& error) noexcept {
  Lane& from = *lane(block.edge.rank);
  for (;;) {
    const Head& letter = head(next_in(from));
    if (letter.number.load(std::memory_order_acquire) != from.taken + 1) return Came::not_yet;
    if (letter.call > call_) return Came::as_message;
    ++from.taken;
    if (letter.call == call_) break;
    take(from);  // of an earlier call, in which nothing was expected: a mistake that ends here
  }
  open(from, block, element, own, error);
  return Came::here;
}

bool Letters::get_instead(const Block& block, Element& element, MPI_Comm own, int& error) noexcept {
  Lane& from = *lane(block.edge.rank);
  wants(from.in).store(static_cast<std::uint64_t>(call_));  // before the look for a letter
  Head& letter = head(next_in(from));
  std::uint64_t number = from.taken + 1;
  if (letter.number.load() != number || letter.call != call_ || !letter.number.compare_exchange_strong(number, 0)) return false;
  if (letter.call != call_) {  // its sender was faster, and has put the next call's into its place since
    letter.number.store(number);
    return false;
  }
  ++from.taken;
  open(from, block, element, own, error);
  return true;
}

}  // namespace heddle::mpi
