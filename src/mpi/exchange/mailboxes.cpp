// mpi/exchange/mailboxes.cpp: one word to each reader, and one back.
#include "mpi/exchange/mailboxes.hpp"

#include "mpi/process/process.hpp"

namespace heddle::mpi {

/// Nobody has read in what is not settled, nor will: ranks have all come as far.
Mailboxes::~Mailboxes() {
  wait();
  if (!settled_) return;
  for (End& each : in_)
    if (each.mailbox) each.mailbox.close();
  for (const End& each : out_)
    if (each.mailbox) slots_[each.in].is_read(each.mailbox);
}

Mailboxes::End& Mailboxes::add(std::vector<End>& ends, const End& end) {
  requests_.push_back(MPI_REQUEST_NULL);
  return ends.emplace_back(end);
}

void Mailboxes::wait() noexcept {
  if (!requests_.empty()) PMPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
}

void Mailboxes::pass_on(std::vector<End>& from, std::vector<End>& to, MPI_Comm own) noexcept {
  MPI_Request* next = requests_.data();
  for (End& each : to) PMPI_Irecv(&each.word, sizeof each.word, MPI_BYTE, each.rank, each.tag, own, next++);
  for (End& each : from) PMPI_Isend(&each.word, sizeof each.word, MPI_BYTE, each.rank, each.tag, own, next++);
}

/// From the last slot on loan, or else from one more.
void Mailboxes::cut(End& end, Node& node) noexcept {
  if (lent_ > 0) end.mailbox = slots_[lent_ - 1].mailbox(end.word.slot);
  if (!end.mailbox && lent_ < slots_.size()) {
    slots_[lent_++] = node.loans().lend(out_.size());
    end.mailbox = slots_[lent_ - 1].mailbox(end.word.slot);
  }
  end.in = lent_ - 1;
}

void Mailboxes::say(MPI_Comm own) noexcept {
  Node* const node = Node::here();
  for (End& each : out_) {
    if (each.peer < 0 || !node || !settings_of_process().mailboxes) continue;
    cut(each, *node);
    if (each.mailbox) each.word.place = node->outbox().offset_of(each.mailbox.memory());
  }
  pass_on(out_, in_, own);
}

/// A mailbox that does not lie in its sender's memory is none, whatever the sender says.
void Mailboxes::answer(MPI_Comm own) noexcept {
  wait();
  Node* const node = Node::here();
  for (End& each : in_) {
    auto& [place, slot] = each.word;
    std::byte* const base = node && each.peer >= 0 && settings_of_process().mailboxes ? node->reach(each.peer).memory : nullptr;
    if (base && engine::Mailbox::possible(place, slot, node->memory_size()))
      each.mailbox = engine::Mailbox::of_peer(base + place, slot);
    else
      place = -1;
  }
  pass_on(in_, out_, own);
}

void Mailboxes::settle() noexcept {
  wait();
  for (End& each : out_)
    if (each.word.place < 0) each.mailbox = {};
  requests_.clear();
  settled_ = true;
}

}  // namespace heddle::mpi
