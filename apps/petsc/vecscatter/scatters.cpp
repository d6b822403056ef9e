// vecscatter/scatters.cpp: see scatters.hpp.
#include "scatters.hpp"

#include <stdexcept>

#include "petsc/petsc.hpp"

namespace vecscatter {
namespace {

using apps::check;

class ByPetsc final : public Scatter {
 public:
  ByPetsc(apps::Way way, const Pattern& pattern, Vec x, Vec y) : x_(x), y_(y) {
    apps::take_way(way);
    PetscInt first = 0, past = 0;
    check(VecGetOwnershipRange(x, &first, &past));
    std::vector<PetscInt> places;
    for (PetscInt g = first; g < past; ++g) places.push_back(static_cast<PetscInt>(pattern.place(g)));
    IS from = nullptr, to = nullptr;
    check(ISCreateStride(PETSC_COMM_WORLD, past - first, first, 1, &from));
    check(ISCreateGeneral(PETSC_COMM_WORLD, past - first, places.data(), PETSC_COPY_VALUES, &to));
    check(VecScatterCreate(x, from, y, to, &scatter_));
    check(ISDestroy(&from));
    check(ISDestroy(&to));
  }
  ~ByPetsc() override { check(VecScatterDestroy(&scatter_)); }
  void run() override {
    check(VecScatterBegin(scatter_, x_, y_, INSERT_VALUES, SCATTER_FORWARD));
    check(VecScatterEnd(scatter_, x_, y_, INSERT_VALUES, SCATTER_FORWARD));
  }

 private:
  Vec x_, y_;
  VecScatter scatter_ = nullptr;
};

/// Has the arrays of both vectors, and a datatype for each peer with which it exchanges elements.
class Typed : public Scatter {
 public:
  Typed(const Pattern& pattern, Vec x, Vec y) : x_(x), y_(y) {
    MPI_Comm_rank(PETSC_COMM_WORLD, &me_);
    MPI_Comm_size(PETSC_COMM_WORLD, &ranks_);
    make(pattern.sent(me_), send_types_, send_counts_);
    make(pattern.received(me_), receive_types_, receive_counts_);
    nowhere_.assign(static_cast<std::size_t>(ranks_), 0);
  }
  ~Typed() override {
    for (auto* types : {&send_types_, &receive_types_})
      for (MPI_Datatype& type : *types)
        if (type != MPI_DOUBLE) MPI_Type_free(&type);
  }
  void run() override {
    const PetscScalar* from = nullptr;
    PetscScalar* to = nullptr;
    check(VecGetArrayRead(x_, &from));
    check(VecGetArray(y_, &to));
    exchange(from, to);
    check(VecRestoreArray(y_, &to));
    check(VecRestoreArrayRead(x_, &from));
  }

 protected:
  virtual void exchange(const PetscScalar* from, PetscScalar* to) = 0;

  int me_ = 0, ranks_ = 0;
  std::vector<MPI_Datatype> send_types_, receive_types_;
  std::vector<int> send_counts_, receive_counts_, nowhere_;

 private:
  static void make(const Pattern::Lists& lists, std::vector<MPI_Datatype>& types, std::vector<int>& counts) {
    for (const std::vector<int>& list : lists) {
      MPI_Datatype type = MPI_DOUBLE;
      if (!list.empty()) {
        MPI_Type_create_indexed_block(static_cast<int>(list.size()), 1, list.data(), MPI_DOUBLE, &type);
        MPI_Type_commit(&type);
      }
      types.push_back(type);
      counts.push_back(list.empty() ? 0 : 1);
    }
  }

  Vec x_, y_;
};

class InOneCall final : public Typed {
 public:
  using Typed::Typed;

 protected:
  void exchange(const PetscScalar* from, PetscScalar* to) override {
    MPI_Alltoallw(from, send_counts_.data(), nowhere_.data(), send_types_.data(), to, receive_counts_.data(), nowhere_.data(),
                  receive_types_.data(), PETSC_COMM_WORLD);
  }
};

/// In step k, sends to the rank k ahead, and receives from the rank k behind, even if there is
/// nothing to send.
class RoundRobin final : public Typed {
 public:
  using Typed::Typed;

 protected:
  void exchange(const PetscScalar* from, PetscScalar* to) override {
    for (int step = 0; step < ranks_; ++step) {
      const int ahead = (me_ + step) % ranks_, behind = (me_ - step + ranks_) % ranks_;
      const auto a = static_cast<std::size_t>(ahead), b = static_cast<std::size_t>(behind);
      MPI_Sendrecv(from, send_counts_[a], send_types_[a], ahead, 0, to, receive_counts_[b], receive_types_[b], behind, 0,
                   PETSC_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
};

}  // namespace

std::unique_ptr<Scatter> make_scatter(const std::string& way, const Pattern& pattern, Vec x, Vec y) {
  if (way == ways[0]) return std::make_unique<ByPetsc>(apps::Way::basic, pattern, x, y);
  if (way == ways[1]) return std::make_unique<ByPetsc>(apps::Way::neighbour, pattern, x, y);
  if (way == ways[2]) return std::make_unique<InOneCall>(pattern, x, y);
  if (way == ways[3]) return std::make_unique<RoundRobin>(pattern, x, y);
  throw std::invalid_argument("there is no way called " + way);
}

}  // namespace vecscatter
