// mpi/exchange/started.hpp: exchanges that are not over when the call returns: non-blocking and
// persistent collectives.
//
//   if (const Done done = exchange_started(form, patterns::all, send, receive, comm)) return *done;    // Started, Kept
//
// All messages are posted at once, so the host moves them in any call of the program. The
// completion calls do the rest (Pending::advance). The program's handle is a generalized request.
// For a persistent operation, it is an inactive persistent request, and each start has a
// generalized request.
#pragma once

#include <vector>

#include "mpi/collectives/call_forms.hpp"
#include "mpi/exchange/typed_blocks.hpp"
#include "mpi/requests/completion.hpp"
#include "mpi/requests/generalized.hpp"

namespace heddle::mpi {

/// The exchange behind a request of either kind.
template <class Base>
class Exchanging : public Generalized<Base> {
 public:
  Exchanging(const ShadowComm& own, MPI_Comm comm, int sends, int receives) noexcept
      : exchange(own, sends, receives), own_(own.weak_from_this().lock()), comm_(comm) {}
  ~Exchanging() override {
    for (MPI_Datatype& type : kept_) PMPI_Type_free(&type);
  }

  int finish(MPI_Status& /*status*/, int error) noexcept override {
    if (error == MPI_SUCCESS) error = exchange.error();
    if (error != MPI_SUCCESS && own_) own_->spoil();
    return error;
  }
  [[nodiscard]] const communicators::Hold& communicator() const noexcept override { return comm_; }
  /// Keeps the datatypes that are used after the call, because the program may free them. False: no
  /// memory.
  bool keep_types() noexcept;

  Exchange exchange;

 private:
  std::shared_ptr<const ShadowComm> own_;  // the program may free its communicator first
  communicators::Hold comm_;
  std::vector<MPI_Datatype> kept_;
};

/// The operation of a non-blocking exchange.
class StartedExchange final : public Exchanging<Pending> {
 public:
  using Exchanging::Exchanging;
  void begin() noexcept {
    begun();
    exchange.start();
  }

  std::unique_ptr<Comparison> comparison;

 private:
  bool carry_on(bool wait) noexcept override { return (!comparison || comparison->over(wait)) && exchange.advance(wait); }
};

/// The operation of a persistent exchange, whose short blocks go by mailboxes.
class PersistentExchange final : public Exchanging<Persistent> {
 public:
  using Exchanging::Exchanging;
  int start() override {
    const int error = begin_generalized(&record.inner);
    if (error != MPI_SUCCESS) return error;
    record.active = record.substituted = true;
    begun();
    if (mailboxes.any()) mailboxes.start();  // short ones first
    exchange.start();
    return MPI_SUCCESS;
  }
  int finish(MPI_Status& status, int error) noexcept override {
    error = Exchanging::finish(status, error);
    return error != MPI_SUCCESS ? error : mailboxes.error();
  }

  engine::PersistentMailboxes mailboxes = exchange.mailboxes();

 private:
  bool carry_on(bool wait) noexcept override { return mailboxes.any() ? mailboxes.advance(wait) : exchange.advance(wait); }
};

template <class Base>
bool Exchanging<Base>::keep_types() noexcept try {
  std::vector<MPI_Datatype> seen;
  bool kept = true;
  exchange.for_each_type([&](MPI_Datatype& type) {
    if (!known(type) && Derived(hold_any(type))) return;  // predefined
    for (std::size_t i = 0; i < seen.size(); ++i)
      if (seen[i] == type) {
        type = kept_[i];
        return;
      }
    seen.push_back(type);
    kept_.reserve(seen.size());
    MPI_Datatype copy = MPI_DATATYPE_NULL;
    kept = kept && PMPI_Type_dup(type, &copy) == MPI_SUCCESS;
    if (!kept) return;
    kept_.push_back(copy);
    duplicated(type, copy);
    type = copy;
  });
  return kept;
} catch (const std::bad_alloc&) {
  return false;
}

template <class Form, class Sent, class Received>
Done exchange_started(const Form& form, const CollectivePattern& pattern, const Sent& send, const Received& receive,
                      MPI_Comm comm) {
  constexpr bool persistent = Form::persistent;
  const bool ours = blocks::ours(pattern, send, receive);
  if (!form.request || (!ours && !settings_of_process().check)) return {};
  Done refused;
  ShadowComm* own = nullptr;
  if (ours)
    own = blocks::entered(pattern, send, receive, comm, persistent, refused);
  else if (ShadowComm* made = ShadowComm::made(comm); made && blocks::carries_out(pattern, *made))
    own = made;
  if (!own) return refused;
  const auto left_to_host = [&]() -> Done {
    const Decision decision{form.call, {}, pattern.in_place};
    if (persistent)
      check_consistency(*own, decision);
    else if (auto comparison = Comparison::begun(*own, decision))
      own->keep(std::move(comparison));
    return {};
  };
  if (!ours) return left_to_host();
  if constexpr (std::is_same_v<Sent, Buffer> && std::is_same_v<Received, VArgument>)
    if (!pattern.neighbours && !blocks::worth_gathering(receive, own->ranks())) return left_to_host();
  const int tags = persistent ? own->tags() : own->tag(0);
  if (!requests::table.room()) return no_memory_on(comm);
  using Operation = std::conditional_t<persistent, PersistentExchange, StartedExchange>;
  auto* operation = new (std::nothrow) Operation(*own, comm, pattern.sends(*own), pattern.receives(*own));
  if (!operation || !operation->exchange) {
    delete operation;
    return no_memory_on(comm);
  }
  operation->exchange.tags_from(tags);
  if (persistent) operation->exchange.keep_memory();
  if (!blocks::add_blocks(pattern, *own, send, receive, operation->exchange)) {
    delete operation;
    return blocks::beyond_numbers(comm);
  }
  const Decision decision{form.call, pair_by_pair(), pattern.in_place};
  if constexpr (persistent)
    check_consistency(*own, decision);
  else
    operation->comparison = Comparison::begun(*own, decision);
  if constexpr (!persistent) report::tell_of_algorithm(decision.choice.algorithm->name);
  const auto aside = [operation, &pattern] { return !pattern.in_place || operation->exchange.send_from_aside(); };
  bool able = false;
  if constexpr (persistent) {
    static char nothing;
    able = operation->exchange.agree(operation->mailboxes, pattern.neighbours) && operation->keep_types() && aside() &&
           PMPI_Send_init(&nothing, 1, MPI_BYTE, own->me(), 0, own->comm(), form.request) == MPI_SUCCESS;
  } else {
    able = (!operation->exchange.repeats() || operation->keep_types()) && aside() &&
           begin_generalized(form.request) == MPI_SUCCESS;
  }
  if (!able) {
    delete operation;
    return no_memory_on(comm);
  }
  if constexpr (!persistent) operation->begin();
  requests::track(*form.request, operation);
  return Raised();
}

/// Carries out a collective in any of its forms. All ranks know alike whether it is Heddle's.
/// Nothing: it is not.
/// @param timed  Lives until the end of the call.
template <class Form, class Sent, class Received>
Done exchange_pairs(const Form& form, const CollectivePattern& pattern, const Sent& send, const Received& receive,
                    MPI_Comm comm, TimedCall& timed) {
  if constexpr (Form::blocking)
    return blocks::carry_out(pattern, form.call, send, receive, comm, timed);
  else
    return exchange_started(form, pattern, send, receive, comm);
}

}  // namespace heddle::mpi
