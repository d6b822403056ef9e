// mpi/sparse/crystal.cpp: the crystal router (engine/router.hpp) over the host's messages. Long messages are only announced
// through it: each sender decides, receivers learn of it, and their bytes move once.
#include <algorithm>
#include <limits>

#include "engine/router.hpp"
#include "mpi/process/process.hpp"
#include "mpi/sparse/ways.hpp"

namespace heddle::mpi::sparse {
namespace {

class Unpacked final : public engine::Freight {
 public:
  explicit Unpacked(const Job& job) : job_(job) {}
  void pack(std::size_t number, std::byte* to) override {
    check(job_.out.pack(job_.out.messages()[number], to, job_.shadow.comm()));
  }

 private:
  const Job& job_;
};

}  // namespace

int by_crystal(Job& job) {
  ShadowComm& shadow = job.shadow;
  const Record& agreed = shadow.record();
  const settings::Router& wishes = settings_of_process().router;
  Unpacked freight(job);
  Channel channel(shadow.comm(), tags::sparse_bundles);
  engine::Router router({.ranks = shadow.ranks(), .radix = way_of(shadow).radix, .channels = agreed.channels}, shadow.me(),
                        {.segment = agreed.segment, .copies = wishes.copies}, channel, freight);
  const Bytes beside = wishes.copies ? std::numeric_limits<Bytes>::max() : std::max<Bytes>(1, wishes.beside);
  const std::vector<Outgoing::Message>& messages = job.out.messages();
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Outgoing::Message& one = messages[i];
    if (one.bytes >= beside && one.to != shadow.me())
      router.announce(one.to, one.bytes);
    else
      router.add(one.to, one.bytes, one.dense, i);
  }
  router.run();
  for (const engine::Router::Packet& packet : router.arrived()) job.in.add(packet.from, packet.at, packet.bytes);
  return deliver(job, beside);
}

}  // namespace heddle::mpi::sparse
