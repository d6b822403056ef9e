// mpi/exchange/tag_space.hpp: tags for the messages of one shadow communicator. Shadow
// communicators of the same ranks share a communicator of the host's, and each has tags of its own
// there. Hosts have few communicators: MPICH 5.0.2 has some 2000 context ids, and a program may
// need them all.
//
//   const TagSpace::Offer offer = TagSpace::offer(comm);           // by each rank; agreed on: offer.number, offer.room
//   TagSpace space = TagSpace::made(comm, agreed, me);             // collective; empty on all ranks alike
//   PMPI_Isend(..., space.tag(tags::schedule), space.comm(), ...);
//
// A process with several threads in MPI shares nothing: two threads may make shadow communicators
// of the same ranks at once, on each rank in another order.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "mpi/process/host.hpp"

namespace heddle::mpi {

class TagSpace {
 public:
  struct Offer {
    std::int64_t number = 0;  ///< The number of a communicator that can be shared; 0: none.
    bool room = false;        ///< Another one may be made.
  };
  static Offer offer(MPI_Comm comm);

  /// The offers of all ranks together.
  struct Agreed {
    std::int64_t shared;  ///< The number that all have offered, or 0.
    bool room;            ///< All ranks have room.
    std::int64_t number;  ///< For a communicator that is made now. All ranks have the same, and each has it once.
  };
  /// Collective over `comm`, whose errors the caller has made quiet. Empty: the host has no
  /// communicator left.
  static TagSpace made(MPI_Comm comm, const Agreed& agreed, int me);

  TagSpace() = default;
  TagSpace(TagSpace&& other) noexcept
      : host_(std::move(other.host_)), part_(other.part_), spoiled_(std::exchange(other.spoiled_, false)) {}
  TagSpace& operator=(TagSpace&& other) noexcept {
    std::swap(host_, other.host_);
    std::swap(part_, other.part_);
    std::swap(spoiled_, other.spoiled_);
    return *this;
  }
  TagSpace(const TagSpace&) = delete;
  TagSpace& operator=(const TagSpace&) = delete;
  ~TagSpace();

  explicit operator bool() const noexcept { return host_ != nullptr; }
  /// It has MPI_ERRORS_RETURN. The last TagSpace that uses it frees it.
  [[nodiscard]] MPI_Comm comm() const noexcept;
  /// The host's tag, for one of engine/exchange/tags.hpp.
  [[nodiscard]] int tag(int own) const noexcept;
  /// The highest that tag() takes.
  [[nodiscard]] int highest() const noexcept;
  /// An error may leave messages that nobody receives. These tags are then not given out again.
  void spoil() noexcept { spoiled_ = true; }

 private:
  struct Host;
  TagSpace(std::shared_ptr<Host> host, int part) noexcept : host_(std::move(host)), part_(part) {}
  static TagSpace shared(MPI_Comm comm, std::int64_t number);

  std::shared_ptr<Host> host_;
  int part_ = 0;
  bool spoiled_ = false;
};

}  // namespace heddle::mpi
