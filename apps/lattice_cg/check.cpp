// lattice_cg/check.cpp: checks halo elements one by one, and computes fingerprints.
#include "check.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "fields.hpp"

namespace lattice {
namespace {

template <class T>
auto numbers(const T& element) {
  return std::bit_cast<std::array<double, sizeof(T) / sizeof(double)>>(element);
}

/// An element whose value no other place has.
template <class T>
T element_at(const Four& x, const Four& global, int salt) {
  double natural = 0;
  for (int dim = 3; dim >= 0; --dim)
    natural = natural * global[static_cast<std::size_t>(dim)] + x[static_cast<std::size_t>(dim)];
  std::array<double, sizeof(T) / sizeof(double)> values;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = (natural * 16 + salt) * 32 + static_cast<double>(i);
  return std::bit_cast<T>(values);
}

template <class T>
long wrong_of(const Lattice& lattice, Gathers& gathers) {
  int me = 0;
  MPI_Comm_rank(lattice.comm(), &me);
  const Four here = lattice.rank_at(me), global = lattice.global();
  long wrong = 0;
  for (Direction d = 0; d < directions; ++d) {
    for (Parity p = 0; p < 2; ++p) {
      Field<T> field(lattice);
      for (int i = 0; i < lattice.sites(); ++i) field[i] = element_at<T>(lattice.global_at(i, here), global, d);
      gathers.start(field, d, p);
      gathers.wait(d);
      for (int i = lattice.first(1 - p); i < lattice.past(1 - p); ++i) {
        Four beside = lattice.global_at(i, here);
        int& along = beside[static_cast<std::size_t>(axis(d))];
        const int length = global[static_cast<std::size_t>(axis(d))];
        along = (along + (forward(d) ? 1 : -1) + length) % length;
        const T expected = element_at<T>(beside, global, d);
        wrong += numbers(field[lattice.neighbour(d, i)]) != numbers(expected);
      }
    }
  }
  return wrong;
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) { return (hash ^ word) * 0x100000001b3u; }

template <class T>
std::string hash_of(const Lattice& lattice, const Field<T>& field) {
  constexpr std::uint64_t start = 0xcbf29ce484222325u;
  std::uint64_t mine = start;
  std::vector<std::uint64_t> words(static_cast<std::size_t>(lattice.sites() / 2) * sizeof(T) / sizeof(std::uint64_t));
  std::memcpy(words.data(), &field[lattice.first(0)], words.size() * sizeof(std::uint64_t));
  for (const std::uint64_t word : words) mine = mix(mine, word);
  int ranks = 0;
  MPI_Comm_size(lattice.comm(), &ranks);
  std::vector<std::uint64_t> of_ranks(static_cast<std::size_t>(ranks));
  MPI_Gather(&mine, 1, MPI_UINT64_T, of_ranks.data(), 1, MPI_UINT64_T, 0, lattice.comm());
  std::uint64_t hash = start;
  for (const std::uint64_t of_rank : of_ranks) hash = mix(hash, of_rank);
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

}  // namespace

long wrong_halo_elements(const Lattice& lattice, Gathers& gathers) {
  long wrong = wrong_of<Vector>(lattice, gathers) + wrong_of<HalfWilson>(lattice, gathers) + wrong_of<Matrix>(lattice, gathers);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, lattice.comm());
  return wrong;
}

std::string fingerprint(const Lattice& lattice, const Field<Vector>& field) { return hash_of(lattice, field); }
std::string fingerprint(const Lattice& lattice, const Field<Wilson>& field) { return hash_of(lattice, field); }

}  // namespace lattice
