// engine/node/arrival.cpp: finds the descriptor, claims its message and fetches it. Searches for a
// descriptor that is lost.
#include "engine/node/arrival.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>

#include "engine/node/lost.hpp"
#include "report/reporting.hpp"

namespace heddle::engine {
namespace {

Arrival failed(const char* why) { return {.outcome = Arrival::Outcome::failed, .why = why}; }

/// Bytes of the sender's node memory up to the end of its control block and of its datatype's wire
/// form.
Bytes first_needed(const Descriptor& descriptor) {
  return static_cast<Bytes>(std::max(descriptor.control + static_cast<std::uint64_t>(Control::bytes(descriptor.segments())),
                                     descriptor.wire + descriptor.wire_bytes));
}

/// The caller has claimed the message.
Arrival bring(const Descriptor& descriptor, Reach& reach, const Target& target) {
  report::ReportedCall reported("receive");
  reach.times = reported.times();
  const Bytes moved = receive(descriptor, reach, target);
  if (moved == damaged)
    return failed("a message's control block is damaged; the receive fails. Set HEDDLE_SCHEME=native to go without.");
  reported.end(*target.layout, select::name(descriptor.scheme), moved, [] { return std::string("its sender has chosen it"); });
  return {.outcome = moved == descriptor.total ? Arrival::Outcome::whole : Arrival::Outcome::truncated, .moved = moved};
}

/// Fetches a message. Its descriptor is no longer needed where it arrived. Nothing: another receive
/// has the message, or had it.
std::optional<Arrival> fetch(Node& node, const Descriptor& descriptor, const Target& target) {
  Reach reach = node.reach(static_cast<int>(descriptor.sender));
  if (!reach.memory || !reach.open(first_needed(descriptor)) || stale(descriptor, reach)) return {};
  const auto& control = *reinterpret_cast<const Control*>(reach.memory + descriptor.control);
  const Claims::Claim claim(node.claims(), descriptor.sender, descriptor.generation, control);
  if (!claim) return {};
  return bring(descriptor, reach, target);
}

/// Fetches the message of a lost descriptor: the receive has brought as many bytes as a descriptor
/// has, but none is in its buffer. Nothing: the bytes were no descriptor.
std::optional<Arrival> fetch_lost(Node& node, const Receipt& receipt, const Target& target) noexcept {
  if (!receipt.standing || receipt.peer < 0 || !Lengths::possible(receipt.bytes)) return {};
  while (const std::optional<Descriptor> lost = Lost(node, receipt).find()) {
    node.note_overlap();
    if (const std::optional<Arrival> brought = fetch(node, *lost, target)) return brought;
  }
  return {};
}

bool read_at(const Node& node, const void* first, Descriptor& descriptor) {
  return read(first, node.nonce(), static_cast<std::uint32_t>(node.size()), node.memory_size(), descriptor);
}

/// True: this receive may have brought the descriptor.
bool fits(Node& node, const Descriptor& descriptor, const Receipt& receipt) {
  if (receipt.peer == Receipt::elsewhere) return false;
  const Control* const control = node.control_of({descriptor.sender, descriptor.control, descriptor.generation});
  return control && control->tag == receipt.tag &&
         (receipt.peer == Receipt::unknown || receipt.peer == static_cast<int>(descriptor.sender));
}

/// Removes the nonce, so that no receive finds the descriptor here again.
void wipe(void* first) { std::memset(first, 0, sizeof(Nonce)); }

constexpr const char* does_not_fit =
    "a message's announcement does not fit to its message; the receive fails. Set HEDDLE_SCHEME=native to go without.";

}  // namespace

Arrival fetch(Node& node, void* first, Bytes room, const Receipt& receipt, const Target& target) noexcept {
  std::atomic_thread_fence(std::memory_order_acquire);  // the host's message may order nothing on some processors
  // An empty message may leave an old descriptor in the buffer. So the message must be as long as
  // the descriptor says.
  const bool begins = room >= Bytes{sizeof(Descriptor)} && is_descriptor(first, node.nonce()) &&
                      Lengths::possible(receipt.bytes) && receipt.bytes == length_of(first);
  Descriptor descriptor;
  const bool sound = begins && read_at(node, first, descriptor);
  if (sound && fits(node, descriptor, receipt)) {
    wipe(first);
    if (const std::optional<Arrival> brought = fetch(node, descriptor, target)) return *brought;
  }
  if (const std::optional<Arrival> brought = fetch_lost(node, receipt, target)) return *brought;
  if (!begins) return {};
  wipe(first);
  if (!sound)
    return failed(
        "the announcement of a message has arrived damaged; the receive fails. Set HEDDLE_SCHEME=native to go without.");
  return fetch(node, descriptor, target).value_or(failed(does_not_fit));
}

Arrival fetch_truncated(Node& node, void* first, Bytes room, const Target& target) noexcept {
  std::atomic_thread_fence(std::memory_order_acquire);  // as above
  constexpr Bytes least = offsetof(Descriptor, generation);
  if (room < least || !is_descriptor(first, node.nonce())) return {};
  Descriptor descriptor;
  std::byte part[least];
  std::memcpy(part, first, least);
  const bool sound = room >= Bytes{sizeof descriptor} && read_at(node, first, descriptor);
  wipe(first);
  if (sound) return fetch(node, descriptor, target).value_or(failed(does_not_fit));
  std::memcpy(static_cast<void*>(&descriptor), part, least);
  if (descriptor.sender >= static_cast<std::uint32_t>(node.size())) return {};
  const Reach reach = node.reach(static_cast<int>(descriptor.sender));
  if (reach.memory && reach.open(control_end(descriptor.control, reach.memory_size)))
    drain(descriptor.control, reach.memory, reach.memory_size, reach.crowded);
  return {};
}

}  // namespace heddle::engine
