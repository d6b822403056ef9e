// bench/links/messages.hpp: messages between two ranks on two nodes: the MPI library's own in one piece, and those over a
// provider of libfabric (transport/fabric/), announced through the library as Heddle does. By PMPI_ names.
//
//   Messages messages(me, "auto");                 // throws why there is no fabric between the two
//   messages.by_library(1 << 20, 20);              // to and fro, so often
//   messages.by_fabric(layout, {.segment = 64 << 10}, 20);
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "layout/layout.hpp"
#include "transport/fabric/fabric.hpp"
#include "transport/fabric/outgoing.hpp"

namespace heddle::bench::links {

namespace fabric = transport::fabric;

class Messages {
 public:
  /// Collective. `provider`: as HEDDLE_FABRIC has it; auto: also one that works by sockets, where there is no faster one.
  Messages(int me, const std::string& provider);

  [[nodiscard]] const fabric::Abilities& abilities() const { return fabric_->abilities(); }

  /// From rank 0 to the other and back. Collective.
  void by_library(int bytes, int times);
  void by_fabric(const layout::Layout& type, const fabric::Plan& plan, int times);
  /// Live data.
  void write(int number);
  /// The fabric goes on meanwhile: the last message has come when its sender does not know it yet. Collective.
  void until_both_are_here();

 private:
  void send(const layout::Layout& type, const fabric::Plan& plan);
  void receive(const layout::Layout& type);
  void listen();

  int me_, other_;
  std::unique_ptr<fabric::Fabric> fabric_;
  std::vector<std::byte> out_, in_;
  std::int64_t heard_ = 0;
};

}  // namespace heddle::bench::links
