// mpi/window/deferred.hpp: the accesses of one window that wait for its next fence
// (engine/window/deferred_accesses.hpp).
//
//   if (window.deferred()->defer(Move::put, origin, target, access)) return MPI_SUCCESS;
//   ...
//   return fence_with_deferred(PMPI_Win_fence, assertion, win, *window.deferred());
#pragma once

#include <memory>
#include <vector>

#include "engine/window/deferred_accesses.hpp"
#include "mpi/node/mpi_node.hpp"
#include "mpi/process/host.hpp"
#include "mpi/window/one_sided.hpp"

namespace heddle::mpi {

class Deferred final : private engine::DeferredAccesses::Memory {
 public:
  /// @param places  The rank in the node of each rank of the window.
  /// @param mine  Of node.shared(). It releases them.
  /// @param base, size  The memory of this rank in the window.
  Deferred(Node& node, std::vector<int> places, engine::DeferredLists& mine, std::vector<const engine::DeferredLists*> lists,
           int me, std::byte* base, Bytes size)
      : node_(node),
        places_(std::move(places)),
        lists_(&mine),
        base_(base),
        size_(size),
        all_(*this, mine, std::move(lists), me) {}
  ~Deferred();
  Deferred(const Deferred&) = delete;
  Deferred& operator=(const Deferred&) = delete;

  /// False: the host must carry it out.
  /// @param access  The same access. Its number is set here.
  bool defer(Move move, const Buffer& origin, const AtTarget& target, engine::DeferredAccesses::Access access) noexcept;

  /// The program's MPI_Win_fence. All ranks of the window are in it.
  /// @param host  The host's MPI_Win_fence, without its handle: int(int assertion).
  template <class Host>
  int fence(const Host& host, int assertion, MPI_Win win);

 private:
  /// A call of the program, for the host if the target refuses it. The types are copies, because
  /// the program may free its own.
  struct Given {
    Move move;
    Buffer origin;
    AtTarget target;
    bool origin_copied = false, target_copied = false;
    void free_copies() noexcept;
  };
  /// Forgets the calls at the end of a fence, also if an error handler of the program throws.
  struct Forgetting {
    Deferred& all;
    explicit Forgetting(Deferred& deferred) : all(deferred) {}
    Forgetting(const Forgetting&) = delete;
    Forgetting& operator=(const Forgetting&) = delete;
    ~Forgetting() {
      all.all_.take_back([](std::size_t) {});
      all.forget();
    }
  };

  Block allocate(Bytes bytes) noexcept override;
  void release(std::byte* address) noexcept override { node_.shared().release(address); }
  const std::byte* map(int rank, const transport::Place& place, Bytes bytes) noexcept override {
    return node_.map(places_[static_cast<std::size_t>(rank)], place, bytes);
  }
  bool keep(const Given& given, std::size_t& number) noexcept;
  /// Makes a call of the program. The first error of such calls is kept.
  void to_host(const Given& given, MPI_Win win, int& error) const;
  void forget() noexcept;

  Node& node_;
  const std::vector<int> places_;
  engine::DeferredLists* const lists_;
  std::byte* const base_;
  const Bytes size_;
  threads::Lock lock_;  // of the following
  std::vector<Given> given_;
  engine::DeferredAccesses all_;
};

// If the fence ends no epoch, the host need not synchronize the ranks, so they do not see each
// other's accesses. A correct program has none then.
template <class Host>
int Deferred::fence(const Host& host, int assertion, MPI_Win win) {
  const Forgetting after(*this);
  int error = MPI_SUCCESS;
  const auto redo = [&](std::size_t number) { to_host(given_[number], win, error); };
  const bool ends_epoch = (assertion & MPI_MODE_NOPRECEDE) == 0;
  if (ends_epoch)
    all_.show();
  else
    all_.take_back(redo);
  // The memory of this rank changes in this call, so it may not promise more than once that it has
  // not.
  const int later = assertion & ~MPI_MODE_NOSTORE;
  int result = host(assertion);
  if (result == MPI_SUCCESS && ends_epoch && all_.any_shown()) {
    all_.serve(base_, size_);
    result = host(later);
    if (result == MPI_SUCCESS) {
      const bool more = all_.any_more();
      all_.collect(redo);
      if (more) result = host(later);
    }
  }
  if (result == MPI_SUCCESS) all_.next();
  return result == MPI_SUCCESS ? error : result;
}

}  // namespace heddle::mpi
