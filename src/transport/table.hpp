// transport/table.hpp: the ways to move bytes, with what each can do, for select/, `heddle
// algorithms` and `heddle explain`.
//
//   for (const Transport& transport : table()) print(transport.name, transport.description);
#pragma once

#include <span>
#include <string_view>

namespace heddle::transport {

struct Transport {
  std::string_view name;         ///< As HEDDLE_TRANSPORTS has it.
  std::string_view description;  ///< How.
  int copies;                    ///< Passes over the data: 1 reads it at the sender and writes it at the receiver.
  bool gather;                   ///< Takes a layout with holes as it lies at the sender,
  bool scatter;                  ///< and puts one in its place at the receiver.
  bool one_sided;                ///< Moves without the other process, wherever that is.
  bool needs_registration;       ///< Only memory that was prepared (allocated by Heddle, or registered) at the sender.
  std::string_view cost;         ///< In words, with figures: seen on two cores, both caches cold.
};

/// The transports, the one that one would choose first, first; the last one always works.
std::span<const Transport> table() noexcept;

/// That row, or null.
const Transport* find(std::string_view name) noexcept;

}  // namespace heddle::transport
