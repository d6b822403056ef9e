// mpi/sparse/crystal.cpp: the crystal router (engine/router.hpp) over the host's messages. Long messages are only announced
// through it: each sender decides, receivers learn of it, and their bytes move once.
#include <algorithm>
#include <limits>

#include "engine/router.hpp"
#include "mpi/sparse/ways.hpp"
#include "mpi/start.hpp"

namespace heddle::mpi::sparse {
namespace {

using engine::Piece;

class Messages final : public engine::Carrier {
 public:
  explicit Messages(const Lane& lane) : lane_(lane) {}

  void send(engine::Rank to, std::span<const Piece> pieces) override {
    if (pieces.size() == 1)
      sparse::send(pieces[0].at, pieces[0].bytes, to, Lane::router_tag, lane_.comm(), requests_);
    else
      gather(to, pieces);
  }

  Ticket receive(engine::Rank from, std::byte* at, Bytes room) override {
    sparse::receive(at, room, from, Lane::router_tag, lane_.comm(), requests_);
    return requests_.size() - 1;
  }

  void wait(Ticket ticket) override { check(PMPI_Wait(&requests_[ticket], MPI_STATUS_IGNORE)); }

  void settle() override { wait_all(requests_); }

 private:
  /// The host collects the pieces itself, on their way into its own buffers.
  void gather(int to, std::span<const Piece> pieces) {
    lengths_.clear();
    places_.clear();
    for (const Piece& piece : pieces) {
      lengths_.push_back(static_cast<int>(piece.bytes));  // a message is 1 GiB at most
      places_.push_back(reinterpret_cast<MPI_Aint>(piece.at));
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    check(PMPI_Type_create_hindexed(static_cast<int>(pieces.size()), lengths_.data(), places_.data(), MPI_BYTE, &type));
    check(PMPI_Type_commit(&type));
    requests_.push_back(MPI_REQUEST_NULL);
    check(PMPI_Isend(MPI_BOTTOM, 1, type, to, Lane::router_tag, lane_.comm(), &requests_.back()));
    check(PMPI_Type_free(&type));
  }

  const Lane& lane_;
  Requests requests_;
  std::vector<int> lengths_;
  std::vector<MPI_Aint> places_;
};

class Unpacked final : public engine::Freight {
 public:
  explicit Unpacked(const Job& job) : job_(job) {}
  void pack(std::size_t number, std::byte* to) override {
    check(job_.out.pack(job_.out.messages()[number], to, job_.lane.comm()));
  }

 private:
  const Job& job_;
};

}  // namespace

int by_crystal(Job& job) {
  const Lane& lane = job.lane;
  const Agreed& agreed = lane.agreed();
  const settings::Router& wishes = settings_of_process().router;
  Unpacked freight(job);
  Messages channel(lane);
  engine::Router router({.ranks = lane.ranks(), .radix = agreed.radix, .channels = agreed.channels}, lane.me(),
                        {.segment = agreed.segment, .copies = wishes.copies}, channel, freight);
  const Bytes beside = wishes.copies ? std::numeric_limits<Bytes>::max() : std::max<Bytes>(1, wishes.beside);
  const std::vector<Outgoing::Message>& messages = job.out.messages();
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Outgoing::Message& one = messages[i];
    if (one.bytes >= beside && one.to != lane.me())
      router.announce(one.to, one.bytes);
    else
      router.add(one.to, one.bytes, one.dense, i);
  }
  router.run();
  for (const engine::Router::Parcel& parcel : router.arrived()) job.in.add(parcel.from, parcel.at, parcel.bytes);
  return deliver(job, beside);
}

}  // namespace heddle::mpi::sparse
