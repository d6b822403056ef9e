// select/profile.cpp: the built-in profile, and a check for impossible numbers.
#include "select/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace heddle::select {

double Curve::at(double block) const noexcept {
  // log2 as the exponent plus the fraction: exact at powers of two, and linear enough in between.
  const auto bits = std::bit_cast<std::uint64_t>(block);
  const double log2 = static_cast<double>(static_cast<std::int64_t>(bits >> 52 & 0x7ff) - 1023) +
                      static_cast<double>(bits & 0xf'ffff'ffff'ffff) * 0x1p-52;
  const double place = std::clamp((log2 - 2) / 2, 0.0, static_cast<double>(points - 1));
  const auto below = std::min(static_cast<std::size_t>(place), points - 2);
  return ns[below] + (place - static_cast<double>(below)) * (ns[below + 1] - ns[below]);
}

bool BetweenNodes::set_name(std::string_view text) noexcept {
  if (text.size() >= provider.size()) return false;
  provider.fill(0);
  std::ranges::copy(text, provider.begin());
  return true;
}

const Profile& builtin() noexcept {
  static constexpr Profile profile{
      .call = 550,
      .remote_entry = 400,
      .local_entry = 15,
      .read = 0.09,
      .line = 2.5,
      .own_line = 0.3,
      .fetch = 0.025,
      .copy = 0.0075,
      .handover = 170,
      .handshake = 290,
      .pack = {{0.037, 0.037, 0.036, 0.034, 0.036, 0.041, 0.030, 0.023}},
      .unpack = {{0.058, 0.050, 0.027, 0.027, 0.028, 0.038, 0.025, 0.025}},
      .transposed = {{0.044, 0.039, 0.053, 0.037, 0.037, 0.041, 0.029, 0.023}},
      .move = {{0.055, 0.050, 0.034, 0.045, 0.041, 0.037, 0.036, 0.028}},
      .move_transposed = {{0.076, 0.045, 0.041, 0.032, 0.034, 0.037, 0.030, 0.026}},
      .kernels = {},
  };
  return profile;
}

std::string absurd(const Profile& profile) {
  std::string wrong;
  const auto check = [&wrong](const char* what, double value, double least, double most) {
    if (wrong.empty() && !(value >= least && value <= most))
      wrong = fmt::format("{} is {} ns; between {} and {} would be believed", what, value, least, most);
  };
  for (const layout::kernel::ThresholdEntry& one : layout::kernel::threshold_table)
    if (const layout::Bytes value = profile.kernels.*one.value; wrong.empty() && !(value >= one.least && value <= one.most))
      wrong = fmt::format("{} is {}; between {} and {} would be believed", one.name, value, one.least, one.most);
  check("a call", profile.call, 10, 1e6);
  check("a remote entry", profile.remote_entry, 0, 1e5);
  check("a local entry", profile.local_entry, 0, 1e5);
  check("a byte read", profile.read, 1e-4, 100);
  check("a line", profile.line, 0, 1e5);
  check("a line of our own", profile.own_line, 0, 1e5);
  check("a byte fetched", profile.fetch, 1e-4, 100);
  check("a byte copied", profile.copy, 1e-4, 100);
  check("a hand-over", profile.handover, 1, 1e6);
  check("a handshake", profile.handshake, 1, 1e7);
  for (const auto& [host, links] : {std::pair{"MPICH", &profile.mpich}, {"Open MPI", &profile.openmpi}}) {
    const auto of = [&check, host = host](const char* what, double value, double least, double most) {
      check(fmt::format("{} ({})", what, host).c_str(), value, least, most);
    };
    for (const Link* link : {&links->node, &links->network}) {
      of("a message", link->latency, 1, 1e9);
      of("a further message", link->message, 0.1, 1e9);
      of("a byte of a message", link->byte, 1e-4, 1e4);
    }
    of("a turn of a shared core", links->turn, 0, 1e9);
    of("a message on shared cores", links->shared, 0.1, 1e9);
    of("a round of bundles on shared cores", links->regroup, 0, 1e9);
  }
  for (const auto& [host, nodes] : {std::pair{"MPICH", &profile.mpich_nodes}, {"Open MPI", &profile.openmpi_nodes}}) {
    if (!nodes->measured()) continue;
    const auto of = [&check, host = host](const char* what, double value, double least, double most) {
      check(fmt::format("{} between nodes ({})", what, host).c_str(), value, least, most);
    };
    of("a message", nodes->message, 1, 1e9);
    of("a byte of a message", nodes->byte, 1e-4, 1e4);
    of("a greeting over the fabric", nodes->greeting, 1, 1e9);
    of("a segment over the fabric", nodes->segment, 0, 1e9);
    of("an operation of the fabric", nodes->operation, 0, 1e9);
    of("a byte over the fabric", nodes->fabric_byte, 1e-4, 1e4);
  }
  for (const auto& [what, curve] : {std::pair{"pack", &profile.pack},
                                    {"unpack", &profile.unpack},
                                    {"transposed", &profile.transposed},
                                    {"move", &profile.move},
                                    {"move transposed", &profile.move_transposed}})
    for (std::size_t i = 0; i < Curve::points; ++i)
      check(fmt::format("a byte in blocks of {} B ({})", Curve::lengths[i], what).c_str(), curve->ns[i], 1e-4, 1000);
  for (const auto& [host, curve] : {std::pair{"MPICH", &profile.mpich_holes}, {"Open MPI", &profile.openmpi_holes}})
    for (std::size_t i = 0; i < Curve::points; ++i)
      check(fmt::format("a byte of a message in blocks of {} B ({})", Curve::lengths[i], host).c_str(), curve->ns[i], 0, 1e4);
  return wrong;
}

}  // namespace heddle::select
