// mpi/exchange/calls.cpp: the blocking collectives.
#include "mpi/exchange/alike.hpp"
#include "mpi/exchange/blocks.hpp"
#include "schedule/algorithms.hpp"

namespace heddle::mpi {
namespace {

/// Bytes of a rank's block that may go in a bundle; a mistake of the program counts as none.
template <class Given>
class Bundled {
 public:
  explicit Bundled(const Given& given)
      : given_(given), whole_(whole(given)), limit_(settings_of_process().router.straight_from()) {}
  Bytes operator()(int rank) const noexcept {
    Buffer data;
    Bytes bytes = 0;
    return whole_ && blocks::block_of(given_, rank, ruler_, data, bytes) && bytes < limit_ ? bytes : 0;
  }

 private:
  const Given& given_;
  bool whole_;
  Bytes limit_;
  mutable blocks::Ruler ruler_;
};

constexpr TrialKind::Call call_of(const Buffer&) { return TrialKind::Call::alltoall; }
constexpr TrialKind::Call call_of(const VArgument&) { return TrialKind::Call::alltoallv; }
constexpr TrialKind::Call call_of(const WArgument&) { return TrialKind::Call::alltoallw; }

/// Heddle's way, unless the library's has turned out to be quicker, or is due to be timed.
select::Way tried(ShadowComm& own, const select::Way& way, const TrialKind& kind, TimedCall& timed, bool agrees) {
  if (!settings_of_process().trials) return way;
  if (!own.trials().library(kind, timed)) return way;
  if (agrees) own.pass_next(kind.call, true);  // the trials of others depend on the arguments
  return {};
}

/// From what all ranks know. Null algorithm: the host's.
template <class Given>
select::Way way_of_all(ShadowComm& own, const Given& send, const Given& receive, TimedCall& timed) {
  constexpr bool equal_blocks = std::is_same_v<Given, Buffer>;
  const select::Way direct = pair_by_pair();
  own.passing().stop();
  const std::string& wanted = own.wanted_alltoallv();
  if (wanted == "native") return {};
  if (wanted != "auto") {
    const schedule::Algorithm* algorithm = schedule::find(schedule::alltoallv(), wanted);
    if (equal_blocks && Bundled<Given>(receive)(0) == 0) return direct;
    return {.algorithm = algorithm};
  }
  if constexpr (equal_blocks) {
    if (!blocks::All::ours(send, receive)) return {};
    blocks::Ruler ruler;
    Buffer block;
    Bytes bytes = 0;
    blocks::block_of(receive, 0, ruler, block, bytes);
    return tried(own, direct, {.call = call_of(send), .volumes = select::magnitudes({bytes})}, timed, false);
  } else {
    Agreement& agreement = own.agreement();
    const select::Way& way = agreement.next(own.topology(), own.me(), Bundled<Given>(send), Bundled<Given>(receive));
    return tried(own, way, {call_of(send), agreement.volumes(), agreement.digest(), agreement.volumes() != 0}, timed, true);
  }
}

}  // namespace

template <class Given>
Done exchange_all(const char* call, const Given& send, const Given& receive, MPI_Comm comm, TimedCall& timed) try {
  if (send.address == MPI_IN_PLACE) return {};
  if (blocks::passes(comm, call_of(send), timed)) return {};
  // Short blocks of one size hosts bundle themselves: nothing is made for them.
  const bool asked = settings_of_process().alltoallv != "auto" || blocks::All::ours(send, receive);
  Done refused;
  ShadowComm* own = blocks::entered<blocks::Ranks>(send, receive, comm, asked, refused);  // but way_of_all() may say no
  if (!own) return refused;
  blocks::compare_first(*own, call);
  const select::Way way = way_of_all(*own, send, receive, timed);
  alike(*own, {call, way});
  if (!way.algorithm) return {};
  Exchange exchange(*own, own->ranks(), own->ranks());
  if (!exchange) return no_memory_on(comm);
  if (!blocks::All::fill(*own, send, receive, exchange)) return blocks::beyond_numbers(comm);
  if (way.algorithm == &schedule::alltoallv_direct) return exchange.run(comm);
  return exchange.run_routed(comm, way, own->topology().nodes);
} catch (const std::bad_alloc&) {
  return no_memory_on(comm);
}

template Done exchange_all(const char*, const Buffer&, const Buffer&, MPI_Comm, TimedCall&);
template Done exchange_all(const char*, const VArgument&, const VArgument&, MPI_Comm, TimedCall&);
template Done exchange_all(const char*, const WArgument&, const WArgument&, MPI_Comm, TimedCall&);

}  // namespace heddle::mpi
