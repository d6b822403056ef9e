// engine/arrival.cpp
#include "engine/arrival.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "report/reporting.hpp"

namespace heddle::engine {
namespace {

Arrival failed(const char* why) { return {.how = Arrival::How::failed, .why = why}; }

/// Bytes of the sender's node memory up to the end of its control block and of its datatype's wire form.
Bytes first_needed(const Descriptor& descriptor) {
  return static_cast<Bytes>(std::max(descriptor.control + static_cast<std::uint64_t>(Control::bytes(descriptor.segments())),
                                     descriptor.wire + descriptor.wire_bytes));
}

/// Its descriptor is no longer needed where it arrived.
Arrival fetch(Node& node, const Descriptor& descriptor, const Target& target) {
  report::ReportedCall reported("receive");
  Reach reach = node.reach(static_cast<int>(descriptor.sender));
  if (!reach.memory || !reach.open(first_needed(descriptor)) || stale(descriptor, reach))
    return failed(
        "a message's announcement does not fit to its message; the receive fails. Set HEDDLE_SCHEME=native to go without.");
  reach.times = reported.times();
  const Bytes moved = receive(descriptor, reach, target);
  if (moved == damaged)
    return failed("a message's control block is damaged; the receive fails. Set HEDDLE_SCHEME=native to go without.");
  reported.end(*target.layout, select::name(descriptor.scheme), moved, [] { return std::string("its sender has chosen it"); });
  return {.how = moved == descriptor.total ? Arrival::How::whole : Arrival::How::truncated, .moved = moved};
}

/// Whatever comes of it: it is not to be found here again.
bool take(Node& node, void* first, Descriptor& descriptor) {
  const bool sound = read(first, node.nonce(), static_cast<std::uint32_t>(node.size()), node.memory_size(), descriptor);
  std::memset(first, 0, sizeof(Nonce));
  return sound;
}

}  // namespace

Arrival fetch(Node& node, void* first, Bytes room, Bytes arrived, const Target& target) noexcept {
  // An empty message leaves in the buffer what was there: a descriptor is as long as it says.
  if (room < Bytes{sizeof(Descriptor)} || !is_descriptor(first, node.nonce()) || !Lengths::possible(arrived) ||
      arrived != length_of(first))
    return {};
  Descriptor descriptor;
  if (take(node, first, descriptor)) return fetch(node, descriptor, target);
  return failed(
      "the announcement of a message has arrived damaged; the receive fails. Set HEDDLE_SCHEME=native to go without.");
}

Arrival fetch_truncated(Node& node, void* first, Bytes room, const Target& target) noexcept {
  constexpr Bytes least = offsetof(Descriptor, generation);
  if (room < least || !is_descriptor(first, node.nonce())) return {};
  Descriptor descriptor;
  std::byte part[least];
  std::memcpy(part, first, least);
  if (room >= Bytes{sizeof descriptor} && take(node, first, descriptor)) return fetch(node, descriptor, target);
  std::memcpy(static_cast<void*>(&descriptor), part, least);
  std::memset(first, 0, sizeof(Nonce));
  if (descriptor.sender >= static_cast<std::uint32_t>(node.size())) return {};
  const Reach reach = node.reach(static_cast<int>(descriptor.sender));
  if (reach.memory && reach.open(control_end(descriptor.control, reach.memory_size)))
    drain(descriptor.control, reach.memory, reach.memory_size, reach.crowded);
  return {};
}

}  // namespace heddle::engine
