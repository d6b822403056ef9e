// select/packing.hpp: decides which point-to-point messages Heddle packs itself. It is a pure
// function of the layout and the host. The two ends of a message may decide differently, because
// the bytes that travel are the same.
//
//   packs_from(layout, {.several = count > 1, .largest_number = 8, .host_packs_while_it_sends = open_mpi}) <= bytes
//
// Packing into a buffer costs a pass over the data, which the host may save: Open MPI packs segment
// by segment, straight into shared memory, while the receiver unpacks. So packing pays if the
// host's own packing is slow. Figures of two ranks on one node (AMD EPYC, live data, host's time
// over Heddle's):
//
//                                    MPICH 5.0.2        Open MPI 5.0.11
//   vectors, blocks of 4-256 B       1.2 ... 36         0.4 ... 0.6 (16 B: 1.1)
//   index lists, blocks of 4-16 B    2.7 ... 14         0.9 ... 8
//   index lists, blocks of 32-256 B  1.0 ... 15         0.4 ... 1.0
//   structs of 4-24 B fields         3.3 ... 5.0        1.6 ... 3.0
//   transposes of 8 B                1.3 ... 6.3        0.7 at 32 KiB, 2.3 ... 4.0 from 128 KiB on
//   transposes of 24 B               2.1 ... 6.5        0.5 ... 0.9 up to 1.5 MiB, 3.1 at 6 MiB
//   blocks of 4 KiB and more         about 1            about 1
//
// Below 8 KiB MPICH packs a vector straight into the message. Four faces, two of them columns of
// doubles, sent and received at once, take MPICH 5.0 us (2 KiB each), 8.0 us (4 KiB) and 9.1 us (6
// KiB). Packed by Heddle, they took 5.4, 9.5 and 11.5 us (two cores of a Xeon). Single messages of
// 64 to 4000 bytes took Heddle 0.8 to 1.3 times as long. So MPICH keeps such messages if the
// program has made the type as a vector. For a list of indices with equal distances, MPICH takes
// longer. From 8 KiB on MPICH takes 6 (blocks of 64 bytes) to 40 times (8 bytes) as long as Heddle.
//
// Packing also helps where the host's own packing is wrong. Without Heddle, Open MPI 5.0.11 garbles
// numbers that the end of a fragment (4 KiB) cuts in two. Two kinds of types have such numbers. In
// the first, a number's offset is not a multiple of its size: 600 of struct([1]*4, [0, 8, 20, 28],
// double) give 16 wrong bytes. In the second, the distance between complex numbers is an odd
// multiple of half their size: hvector(2, 1, 24, double_complex).
#pragma once

#include <limits>

#include "layout/layout.hpp"
#include "settings/settings.hpp"

namespace heddle::select {

using layout::Bytes;

constexpr Bytes never_packed = std::numeric_limits<Bytes>::max();

struct Message {
  bool several = false;      ///< The message has several elements, so the layout's extent is a stride, too.
  Bytes largest_number = 1;  ///< Bytes of the largest basic type in the message.
  bool is_vector = false;    ///< The program has made the datatype as one vector of numbers.
  bool host_packs_while_it_sends = false;
  settings::Messages wanted = settings::Messages::automatic;
};

/// Heddle packs messages of `layout` from this size on, in bytes. 0: always. never_packed: data
/// without holes, and data that the host moves as well.
Bytes packs_from(const layout::Layout& layout, const Message& message);

}  // namespace heddle::select
