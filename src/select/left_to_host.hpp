// select/left_to_host.hpp: the messages with holes within a node that an MPI library moves better
// than Heddle.
//
//   if (host_packs_while_it_sends && left_to_host({.own = peer == me, .blocking = false, .line = line}))
//     return PMPI_Isend(...);
//
// A library that packs fragment by fragment while the receiver unpacks (Open MPI) needs two or
// three fragments, which stay in a near cache. Heddle packs a whole non-blocking message before its
// receiver begins. Between far cores this is faster, because lines travel while both cores work.
// Within a rank, and between threads of a core, it only takes more memory.
//
// Measured on Open MPI 5.0.11 with four faces by MPI_Irecv, MPI_Isend, MPI_Waitall. A message of a
// rank to itself takes 36 µs by the library and 50 by Heddle (128 KiB), or 98 and 160 (288 KiB).
// Windows of messages have 0.34 to 0.9 of the library's speed between cores 14 to 34 ns apart, and
// 1.5 to 3 times its speed at 140 ns (an EPYC). Faces of 8 to 256 KiB have 0.86 to 1.05 of its
// speed at 58 to 90 ns (a Xeon).
//
// Single messages by MPI_Send and MPI_Recv are as fast or faster by Heddle between near cores, too
// (heddle bench vector and transpose). The library and Heddle take 6.4 and 4.3 µs (128 KiB), 18.2
// and 17.1 (512 KiB), 28 and 26 (1 MiB). A transpose of 256^2 x 24 bytes takes 123 and 71.
#pragma once

#include "select/far_line.hpp"

namespace heddle::select {

struct Nearby {
  bool own = false;      ///< The sender sends to itself.
  bool blocking = true;  ///< The sender's call returns only when its buffer is free.
  bool crowded = false;  ///< More ranks than cores.
  double line = 0;       ///< A cache line between the two ranks, now, ns; 0: not known yet.
};

/// True if the library should move the message. The library packs while it sends, and packs the
/// datatype as well as Heddle.
constexpr bool left_to_host(const Nearby& message) noexcept {
  if (message.own) return true;
  const bool near = message.line > 0 && message.line < far_line;
  return near && !message.crowded && !message.blocking;
}

}  // namespace heddle::select
