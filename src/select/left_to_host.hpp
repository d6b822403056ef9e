// select/left_to_host.hpp: which messages with holes within a node an MPI library moves better than Heddle. May include
// layout/bytes.hpp.
//
//   if (host_packs_while_it_sends && left_to_host({.bytes = bytes, .own = peer == me, .line = line})) return PMPI_Isend(...);
//
// A library that packs fragment by fragment while the receiver unpacks (Open MPI) needs two or three fragments, which stay in
// a near cache. Heddle packs all of a non-blocking message before its receiver begins. Between far cores that is what counts:
// the lines go over while both work. To oneself, and between threads of a core, it only makes more memory to go through.
// Measured on Open MPI 5.0.11, four faces by MPI_Irecv, MPI_Isend, MPI_Waitall, µs a message, the library and Heddle: to
// oneself 36 and 50 (128 KiB), 98 and 160 (288 KiB); windows of messages between cores 14 to 34 ns apart 0.34 to 0.9 of the
// library's speed, and 1.5 to 3 where they were 140 ns apart.
#pragma once

#include "layout/bytes.hpp"

namespace heddle::select {

constexpr double near_line = 45;  ///< ns for a cache line; between cores of one package it takes 50 and more.

struct Nearby {
  layout::Bytes bytes = 0;  ///< Of the packed stream.
  bool own = false;         ///< To the sender itself.
  bool blocking = true;     ///< The sender's call returns only when its buffer is free.
  bool crowded = false;     ///< More ranks than cores.
  double line = 0;          ///< A cache line between the two ranks, now, ns; 0: not known yet.
};

/// Of a library that packs while it sends, and of a datatype that it packs as well as Heddle.
constexpr bool left_to_host(const Nearby& message) noexcept {
  constexpr layout::Bytes blocking_from = 128 * 1024;  // shorter ones, one at a time, are as fast or faster by Heddle
  if (message.own) return true;
  const bool near = message.line > 0 && message.line < near_line;
  return near && !message.crowded && (!message.blocking || message.bytes >= blocking_from);
}

}  // namespace heddle::select
