// transport/transport_table.cpp: one row for each transport.
#include "transport/transport_table.hpp"

#include <algorithm>
#include <iterator>

namespace heddle::transport {
namespace {

constexpr Transport rows[] = {
    {.name = "self",
     .description = "a process to itself: one pass from layout to layout",
     .copies = 1,
     .gather = true,
     .scatter = true,
     .one_sided = true,
     .needs_registration = false,
     .cost = "that of a copy"},
    {.name = "mapped",
     .description =
         "the receiver copies from layout to layout out of the sender's memory, which it has mapped: what MPI_Alloc_mem "
         "or heddle_alloc gave out",
     .copies = 1,
     .gather = true,
     .scatter = true,
     .one_sided = true,
     .needs_registration = true,
     .cost = "about 60 ns for each remote cache line that stands alone; as a copy where they are many in a row"},
    {.name = "cma",
     .description = "the receiver reads the sender's memory by process_vm_readv, pieces on both sides",
     .copies = 1,
     .gather = true,
     .scatter = true,
     .one_sided = true,
     .needs_registration = false,
     .cost = "0.44 us a call, 107 to 150 ns for each remote piece, 17 to 25 ns for each local one"},
    {.name = "ring",
     .description = "the sender packs segments into shared memory while the receiver unpacks those before",
     .copies = 2,
     .gather = true,
     .scatter = true,
     .one_sided = false,
     .needs_registration = false,
     .cost = "two copies that overlap: both sides must be in a call"},
    {.name = "mpi",
     .description = "packed, sent by the MPI library, unpacked",
     .copies = 2,
     .gather = true,
     .scatter = true,
     .one_sided = false,
     .needs_registration = false,
     .cost = "two copies one after the other, and the library's own message"},
};

}  // namespace

std::span<const Transport> table() noexcept { return rows; }

const Transport* find(std::string_view name) noexcept {
  const auto* const row = std::ranges::find(rows, name, &Transport::name);
  return row == std::end(rows) ? nullptr : row;
}

}  // namespace heddle::transport
