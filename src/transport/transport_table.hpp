// transport/transport_table.hpp: the transports and their abilities, in words, for `heddle
// algorithms`.
//
//   for (const Transport& transport : table()) print(transport.name, transport.description);
#pragma once

#include <span>
#include <string_view>

namespace heddle::transport {

struct Transport {
  std::string_view name;         ///< Its name in HEDDLE_TRANSPORTS.
  std::string_view description;  ///< How it works, in words.
  int copies;                    ///< Passes over the data. One pass reads at the sender and writes at the receiver.
  bool gather;                   ///< Reads a layout with holes in place, at the sender.
  bool scatter;                  ///< Writes a layout with holes in place, at the receiver.
  bool one_sided;                ///< Moves bytes without any action of the other process.
  bool needs_registration;       ///< The sender's memory must be prepared (allocated by Heddle, or registered).
  std::string_view cost;         ///< In words, with figures, measured on two cores with cold caches.
};

/// The transports, the preferred one first. The last one always works.
std::span<const Transport> table() noexcept;

/// The row of that name, or null.
const Transport* find(std::string_view name) noexcept;

}  // namespace heddle::transport
