// mpi/exchange/routed.cpp
#include "mpi/exchange/routed.hpp"

#include <exception>
#include <limits>
#include <new>

#include "engine/router.hpp"
#include "mpi/process/process.hpp"
#include "mpi/types/element.hpp"

namespace heddle::mpi {

Bytes straight_from() noexcept {
  const settings::Router& router = settings_of_process().router;
  return router.copies ? std::numeric_limits<Bytes>::max() : std::max<Bytes>(1, router.beside);
}

namespace {

void check(int code) {
  if (code != MPI_SUCCESS) throw engine::Failed{code};
}

}  // namespace

/// Into bundles.
class Routed::Packing final : public engine::Freight {
 public:
  explicit Packing(const Routed& routed) : routed_(routed) {}
  void pack(std::size_t number, std::byte* to) override {
    const Buffer& data = routed_.out_[number].data;
    check(element_.look(data.type));
    check(element_.pack(data.address, data.count, to, routed_.shadow_.comm()));
  }

 private:
  const Routed& routed_;
  Element element_;
};

Routed::Routed(ShadowComm& shadow, const select::Way& way)
    : shadow_(shadow),
      way_(way),
      straight_from_(straight_from()),
      straight_(shadow, shadow.ranks(), shadow.ranks()),
      in_(static_cast<std::size_t>(shadow.ranks())) {
  if (!straight_) throw std::bad_alloc();
  out_.reserve(in_.size());
}

void Routed::send(const Edge& to, const Buffer& data, Bytes bytes) noexcept {
  if (bytes == 0) return;
  if (bundled(shadow_.me(), to.rank, bytes))
    out_.push_back({to.rank, data, bytes});
  else
    straight_.send(to, data, bytes);
}

void Routed::receive(const Edge& from, const Buffer& data, Bytes bytes) noexcept {
  if (bytes == 0) return;
  if (bundled(from.rank, shadow_.me(), bytes))
    in_[static_cast<std::size_t>(from.rank)] = {from.rank, data, bytes};
  else
    straight_.receive(from, data, bytes);
}

int Routed::route() {
  const settings::Router& wishes = settings_of_process().router;
  const schedule::Place place{.ranks = shadow_.ranks(),
                              .radix = wishes.radix > 0 ? wishes.radix : way_.radix,
                              .reach = way_.reach,
                              .stride = way_.stride,
                              .channels = wishes.channels,
                              .nodes = &shadow_.topology().nodes};
  Channel channel(shadow_.comm(), tags::bundles);
  Packing packing(*this);
  engine::Router router(place, shadow_.me(), {.segment = wishes.segment, .copies = wishes.copies, .algorithm = way_.algorithm},
                        channel, packing);
  Element element;
  for (std::size_t i = 0; i < out_.size(); ++i) {
    const Block& block = out_[i];
    check(element.look(block.data.type));
    router.add(block.rank, block.bytes, element.dense(block.data.address, block.data.count), i);
  }
  router.run();
  int result = MPI_SUCCESS;
  for (const engine::Router::Packet& packet : router.arrived()) {
    const Block& block = in_[static_cast<std::size_t>(packet.from)];
    if (packet.bytes > block.bytes) {
      result = MPI_ERR_TRUNCATE;
      continue;
    }
    check(element.look(block.data.type));
    // Less than is expected is a mistake, too, which hosts let pass.
    check(element.unpack(packet.at, const_cast<void*>(block.data.address), block.data.count * packet.bytes / block.bytes,
                         shadow_.comm()));
  }
  return result;
}

int Routed::run(MPI_Comm comm) {
  int error = MPI_SUCCESS;
  try {
    shadow_.topology();  // before anything is under way: it talks
    straight_.start(Ends::in_collective);
    error = route();
  } catch (const engine::Failed& failed) {
    error = failed.code;
  } catch (const std::bad_alloc&) {
    error = MPI_ERR_NO_MEM;
  } catch (const std::exception&) {
    error = MPI_ERR_INTERN;
  }
  straight_.advance(true);
  if (error == MPI_SUCCESS) error = straight_.error();
  if (error != MPI_SUCCESS) communicators::raise(comm, error);
  return error;
}

}  // namespace heddle::mpi
