// mpi/exchange/record.cpp: the least of each number wins; what is to be the greatest travels with its sign turned.
#include "mpi/exchange/record.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "engine/give_way.hpp"
#include "mpi/node/node.hpp"
#include "mpi/process/process.hpp"

namespace heddle::mpi {
namespace {

/// Numbers are Lamport's clock: the greatest offer of all ranks wins, and each rank's next is greater. A rank never offers the
/// same twice, and its rank is in its offer: so two communicators that threads make at once have two numbers.
constinit std::atomic<std::int64_t> clock{0};
constexpr int rank_bits = 31;

std::int64_t offered() noexcept {
  int world = 0;
  int started = 0;
  if (PMPI_Initialized(&started) == MPI_SUCCESS && started) PMPI_Comm_rank(MPI_COMM_WORLD, &world);
  return (++clock << rank_bits) | world;
}

void taken(std::int64_t number) noexcept {
  const std::int64_t time = number >> rank_bits;
  std::int64_t now = clock;
  while (now < time && !clock.compare_exchange_weak(now, time)) continue;
}

}  // namespace

Record Record::agreed(MPI_Comm comm, bool able, bool noted) noexcept {
  const settings::Settings& set = settings_of_process();
  enum : std::uint8_t { all_able, all_noted, none_noted, mailboxes, cores, number, exchange, radix, channels, segment, last };
  constexpr int wishes = last - exchange;
  std::array<long, last + wishes> said{};  // wishes twice: the least, and the greatest
  said[all_able] = able;
  said[all_noted] = noted;
  said[none_noted] = !noted;
  said[mailboxes] = set.mailboxes && Node::here();
  said[cores] = engine::cores_of_node();
  said[number] = -offered();
  said[exchange] = static_cast<long>(set.exchange);
  said[radix] = set.router.radix;
  said[channels] = set.router.channels;
  said[segment] = std::min<layout::Bytes>(set.router.segment, 1 << 30);
  for (int i = exchange; i < last; ++i) said[static_cast<std::size_t>(i + wishes)] = -said[static_cast<std::size_t>(i)];
  PMPI_Allreduce(MPI_IN_PLACE, said.data(), static_cast<int>(said.size()), MPI_LONG, MPI_MIN, comm);
  taken(-said[number]);
  const auto wish = [&said](std::size_t i, long otherwise) { return said[i] == -said[i + wishes] ? said[i] : otherwise; };
  return {.able = said[all_able] != 0,
          .noted_by_all = said[all_noted] != 0,
          .noted_by_none = said[none_noted] != 0,
          .mailboxes = said[mailboxes] != 0,
          .cores = static_cast<int>(said[cores]),
          .number = -said[number],
          .exchange = static_cast<settings::Exchange>(wish(exchange, static_cast<long>(settings::Exchange::automatic))),
          .radix = static_cast<int>(wish(radix, 0)),
          .channels = static_cast<int>(wish(channels, 1)),
          .segment = wish(segment, 0)};
}

}  // namespace heddle::mpi
