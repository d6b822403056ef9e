// select/left_to_host.hpp: which messages with holes within a node an MPI library moves better than Heddle.
// Includes nothing of Heddle.
//
//   if (host_packs_while_it_sends && left_to_host({.own = peer == me, .blocking = false, .line = line})) return
//   PMPI_Isend(...);
//
// A library that packs fragment by fragment while the receiver unpacks (Open MPI) needs two or three fragments, which stay in
// a near cache. Heddle packs all of a non-blocking message before its receiver begins. Between far cores that is what counts:
// the lines go over while both work. To oneself, and between threads of a core, it only makes more memory to go through.
// Measured on Open MPI 5.0.11, four faces by MPI_Irecv, MPI_Isend, MPI_Waitall, µs a message, the library and Heddle: to
// oneself 36 and 50 (128 KiB), 98 and 160 (288 KiB); windows of messages between cores 14 to 34 ns apart 0.34 to 0.9 of the
// library's speed, and 1.5 to 3 where they were 140 ns apart.
// Messages one at a time, MPI_Send to MPI_Recv, are as fast or faster by Heddle between near cores, too (heddle bench vector,
// transpose; the library and Heddle, us): 6.4 and 4.3 (128 KiB), 18.2 and 17.1 (512 KiB), 28 and 26 (1 MiB); a transpose of
// 256^2 x 24 bytes 123 and 71.
#pragma once

namespace heddle::select {

constexpr double near_line = 45;  ///< ns for a cache line; between cores of one package it takes 50 and more.

struct Nearby {
  bool own = false;      ///< To the sender itself.
  bool blocking = true;  ///< The sender's call returns only when its buffer is free.
  bool crowded = false;  ///< More ranks than cores.
  double line = 0;       ///< A cache line between the two ranks, now, ns; 0: not known yet.
};

/// Of a library that packs while it sends, and of a datatype that it packs as well as Heddle.
constexpr bool left_to_host(const Nearby& message) noexcept {
  if (message.own) return true;
  const bool near = message.line > 0 && message.line < near_line;
  return near && !message.crowded && !message.blocking;
}

}  // namespace heddle::select
