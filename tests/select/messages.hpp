// tests/select/messages.hpp: messages and machines for tests of choices.
#pragma once

#include "select/choose_message.hpp"

namespace heddle::select::testing {

/// The statistics of a datatype with `blocks` pieces of `length` bytes each, far apart.
inline Side strided(Count blocks, Bytes length) {
  return {.known = true,
          .blocks = blocks,
          .lines = blocks * ((length + 63) / 64),
          .mean_block = static_cast<double>(length),
          .median_block = length,
          .largest_block = length};
}

/// n × n elements by columns.
inline Side columns(Count n, Bytes element) {
  Side side = strided(n * n, element);
  side.transposed = true;
  side.lines = n * n * element / 64;
  return side;
}

inline Facts message(Bytes bytes, const Side& sender, const Side& receiver) {
  return {.bytes = bytes, .sender = sender, .receiver = receiver};
}

/// `count` blocks of `length` bytes at both ends.
inline Facts vectors(Count count, Bytes length) {
  return message(count * length, strided(count, length), strided(count, length));
}

/// The machine of Wu et al. 2004: slow memory, and a network adapter that gathers and scatters at
/// little cost.
inline Profile cluster_of_2004() {
  Profile profile = builtin();
  profile.call = 2000;
  profile.remote_entry = 150;
  profile.local_entry = 150;
  profile.read = 1.2;   // 840 MB/s
  profile.copy = 1.0;   // one copy at each end of a pack
  profile.fetch = 1.2;  // the wire, for packed bytes
  profile.handover = 2000;
  profile.handshake = 10000;
  profile.pack = profile.unpack = profile.transposed = profile.move = profile.move_transposed = {{8, 4, 2.5, 2, 2, 2, 2, 2}};
  return profile;
}

}  // namespace heddle::select::testing
