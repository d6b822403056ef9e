// bench/links/messages.hpp: sends messages between two ranks on two nodes: contiguous ones by the
// MPI library, and others over a provider of libfabric (transport/fabric/). Like Heddle, it
// announces the latter through the library. It uses PMPI_ names.
//
//   Messages messages(me, "auto");                 // throws if there is no fabric between the two
//   messages.by_library(1 << 20, 20);              // 20 times to and fro
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
  /// Collective. @param provider is a value of HEDDLE_FABRIC. "auto" takes a provider over sockets
  /// if there is no faster one.
  Messages(int me, const std::string& provider);

  [[nodiscard]] const fabric::Abilities& abilities() const { return fabric_->abilities(); }

  /// Sends from rank 0 to rank 1 and back, `times` times. Collective.
  void by_library(int bytes, int times);
  void by_fabric(const layout::Layout& type, const fabric::Plan& plan, int times);
  /// Writes live data.
  void write(int number);
  /// A barrier during which the fabric progresses: a message may have arrived before its sender
  /// knows. Collective.
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
