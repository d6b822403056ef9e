// lattice_cg/gather.cpp: see gather.hpp.
#include "gather.hpp"

#include <cstring>

namespace lattice {
namespace {

/// Adds the time of a scope to a sum of `spent`, if there is one.
class Clock {
 public:
  Clock(Gathers::Spent* spent, double Gathers::Spent::*sum) : sum_(spent ? &(spent->*sum) : nullptr) {
    if (sum_) *sum_ -= MPI_Wtime();
  }
  ~Clock() {
    if (sum_) *sum_ += MPI_Wtime();
  }
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

 private:
  double* sum_;
};

}  // namespace

Gathers::Gathers(const Lattice& lattice, const Types& types, Way chosen) : way(chosen), lattice_(lattice), types_(types) {
  for (Direction d = 0; d < directions; ++d) {
    const auto from = static_cast<std::size_t>(d);
    for (Parity p = 0; p < 2; ++p) faces_[from][static_cast<std::size_t>(p)] = lattice.face(d, p);
    packed_[from].resize(static_cast<std::size_t>(lattice.face_sites(d)) * sizeof(Matrix));
    requests_[from] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  }
}

const std::byte* Gathers::pack(const std::byte* field, std::size_t bytes, Direction d, Parity parity) {
  const Clock clock(spent, &Spent::packing);
  const auto from = static_cast<std::size_t>(d);
  std::byte* to = packed_[from].data();
  for (const int site : faces_[from][static_cast<std::size_t>(parity)]) {
    std::memcpy(to, field + static_cast<std::size_t>(site) * bytes, bytes);
    to += bytes;
  }
  return packed_[from].data();
}

void Gathers::start(std::byte* field, Element element, Direction d, Parity parity) {
  const std::size_t bytes = element_bytes[static_cast<std::size_t>(element)];
  const MPI_Comm comm = lattice_.comm();
  auto& [receiving, sending] = requests_[static_cast<std::size_t>(d)];
  const std::byte* packed = way == Way::manual ? pack(field, bytes, d, parity) : nullptr;
  const Clock clock(spent, &Spent::starting);
  std::byte* halo = field + static_cast<std::size_t>(lattice_.halo(d, parity)) * bytes;
  MPI_Irecv(halo, 1, types_.halo(element, d), lattice_.rank(d), d, comm, &receiving);
  if (packed) {
    const int doubles = lattice_.face_sites(d) * static_cast<int>(bytes / sizeof(double));
    MPI_Isend(packed, doubles, MPI_DOUBLE, lattice_.rank(opposite(d)), d, comm, &sending);
  } else {
    const std::byte* begin = field + static_cast<std::size_t>(types_.begin(d, parity)) * bytes;
    MPI_Isend(begin, 1, types_.face(element, d, parity), lattice_.rank(opposite(d)), d, comm, &sending);
  }
}

void Gathers::finish(Direction d) {
  const Clock clock(spent, &Spent::waiting);
  MPI_Waitall(2, requests_[static_cast<std::size_t>(d)].data(), MPI_STATUSES_IGNORE);
}

}  // namespace lattice
