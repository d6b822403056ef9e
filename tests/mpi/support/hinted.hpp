// Collectives by an algorithm that a hint on the communicator asks for, with volumes of every kind
// of distribution.
#pragma once

#include <array>
#include <string>

#include "support/rounds.hpp"

namespace heddle::test {

enum class Volumes { scattered, equal, power_law, outlier, nothing };
inline constexpr std::array distributions = {Volumes::scattered, Volumes::equal, Volumes::power_law, Volumes::outlier,
                                             Volumes::nothing};

/// Units that rank `from` has for rank `to`.
inline Count units(Volumes volumes, const Round& round, int from, int to) {
  const std::uint32_t random =
      (round.seed ^ (static_cast<std::uint32_t>(from) * 2654435761U + static_cast<std::uint32_t>(to) * 40503U)) >> 3;
  switch (volumes) {
    case Volumes::scattered:
      return random % 3 == 0 ? random % 7 : 0;
    case Volumes::equal:
      return 3;
    case Volumes::power_law:
      return Count{Round::large(round.unit) ? 800 : 60} / (1 + random % 97);
    case Volumes::outlier:
      return from == 0 && to == round.team.size - 1 ? (Round::large(round.unit) ? 4000 : 50) : Count{random % 2};
    case Volumes::nothing:
      break;
  }
  return 0;
}

inline void give_hint(MPI_Comm comm, const char* key, const char* value) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, key, value);
  EXPECT_EQ(MPI_Comm_set_info(comm, info), MPI_SUCCESS);
  MPI_Info_free(&info);
}

/// The value of a key. Empty: the key is not there.
inline std::string hint(MPI_Comm comm, const char* key) {
  MPI_Info info = MPI_INFO_NULL;
  std::array<char, 64> text{};
  int there = 0;
  EXPECT_EQ(MPI_Comm_get_info(comm, &info), MPI_SUCCESS);
  MPI_Info_get(info, key, static_cast<int>(text.size()) - 1, text.data(), &there);
  MPI_Info_free(&info);
  return there ? text.data() : "";
}

/// Runs `body` for each algorithm and distribution, on a communicator with a hint for it and with
/// ranks in another order.
template <class Algorithms, class Body>
void each_way(const Team& team, const char* key, const Algorithms& algorithms, Body body) {
  int number = 0;
  for (const std::string algorithm : algorithms) {
    // The host's own algorithm, and the yardstick, run only with some numbers of ranks.
    if ((algorithm == "native" && team.size > 4) || (algorithm == "round-robin" && team.size % 4 != 1)) continue;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(team.comm, 0, (team.rank * 5 + number) % team.size, &comm);
    Team other{comm, 0, team.size};
    MPI_Comm_rank(comm, &other.rank);
    give_hint(comm, key, algorithm.c_str());
    for (const Volumes volumes : distributions) {
      SCOPED_TRACE(algorithm + ", distribution " + std::to_string(static_cast<int>(volumes)));
      Round round(other, static_cast<std::uint32_t>(number));
      body(round, volumes, number++);
    }
    MPI_Comm_free(&comm);
  }
}

}  // namespace heddle::test
