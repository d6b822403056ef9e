// engine/start/digest.hpp: finds out whether all ranks have said the same.
//
//   Digest all = digest_of("crystal");
//   ...                                     // the bitwise and over all ranks
//   if (same(all)) ...
#pragma once

#include <array>
#include <string_view>

namespace heddle::engine {

/// A number and its complement. After a bitwise and over all ranks, both still have all their bits
/// only if all ranks had the same number.
using Digest = std::array<unsigned, 2>;

/// FNV-1a.
inline Digest digest_of(std::string_view text) noexcept {
  unsigned number = 2166136261;
  for (const char letter : text) number = (number ^ static_cast<unsigned char>(letter)) * 16777619;
  return {number, ~number};
}

inline bool same(const Digest& of_all) noexcept { return (of_all[0] | of_all[1]) == ~0U; }

}  // namespace heddle::engine
