/* heddle/exchange.h: the dynamic sparse exchange. Each rank knows its receivers, and no rank knows
 * its senders. C99 and C++; nothing to link: under Heddle the exchange takes the best of three
 * algorithms, without Heddle plain_exchange.h carries out one of them.
 *
 *   #include <heddle/exchange.h>
 *
 *   int to[] = {left, right};                            each rank's own: as many as it likes, also none
 *   MPI_Count counts[] = {2, 3};
 *   double data[] = {1, 2, 3, 4, 5};                     two for the left, three for the right
 *   heddle_arrivals came = HEDDLE_ARRIVALS_INIT;
 *   heddle_exchange(data, 2, to, counts, NULL, MPI_DOUBLE, &came, MPI_DOUBLE, MPI_COMM_WORLD);
 *   for (MPI_Count i = 0; i < came.messages; ++i)
 *     use(came.sources[i], (double *)came.data + came.places[i], came.counts[i]);
 *   heddle_arrivals_free(&came);
 *
 * Collective over an intracommunicator: all its ranks call it, in the same order as its other
 * collectives.
 * - Messages are sorted by their sending rank. Several messages of one rank keep their order. So
 *   the answer does not depend on chance. A message without elements also arrives.
 * - A rank may send to itself, and to one rank several times. MPI_PROC_NULL gets nothing.
 * - Types at both ends may differ, as everywhere in MPI, if they mean the same basic types: send
 *   columns, receive rows.
 * - Counts, places and sizes are 64 bit; a message may be larger than 2 GiB.
 * - Errors are MPI error codes, raised on the communicator's error handler: MPI_ERR_COMM (an
 *   inter-communicator), MPI_ERR_RANK, MPI_ERR_COUNT, MPI_ERR_TYPE (also: a message is no whole
 *   number of elements of the receiver's type), MPI_ERR_ARG, MPI_ERR_NO_MEM, MPI_ERR_TRUNCATE (see
 *   `room`).
 *
 * HEDDLE_EXCHANGE=consensus|crystal|counts forces an algorithm; docs/exchange.md has their costs.
 */
#ifndef HEDDLE_EXCHANGE_H
#define HEDDLE_EXCHANGE_H

#include <heddle/version.h>
#include <heddle/weak.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What has come. */
typedef struct heddle_arrivals {
  /* Yours to set before the call, or NULL and 0: Heddle allocates. With a buffer of your own, too
   * small a `room` is MPI_ERR_TRUNCATE: `total` says what it takes, and the messages that fit
   * (places[i] + counts[i] <= room) are there. */
  void* data;     /* Elements of the receive type. */
  MPI_Count room; /* Elements that your buffer has room for. */

  MPI_Count messages;      /* How many came. */
  const int* sources;      /* From whom, ascending. */
  const MPI_Count* counts; /* How many elements. */
  const MPI_Count* places; /* Where in `data` the first one is, in elements. Messages lie one after the other. */
  MPI_Count total;         /* Elements of all. */

  void *held_lists, *held_data; /* What heddle_arrivals_free frees. */
} heddle_arrivals;

#ifdef __cplusplus
#define HEDDLE_ARRIVALS_INIT \
  {}
#else
#define HEDDLE_ARRIVALS_INIT \
  { 0 }
#endif

/* What an exchange sends: filled in by the functions below. */
typedef struct heddle_departures {
  const void* data;
  int messages;
  const int* to;
  const MPI_Count* counts;
  const MPI_Count* places;   /* NULL: one after the other. In elements; with `types` in bytes. */
  MPI_Datatype type;         /* Of all messages, if `types` is NULL. */
  const MPI_Datatype* types; /* Of each. */
} heddle_departures;

/* Of the interposer; not for programs. */
__attribute__((weak)) int heddle_exchange_carry_out(const heddle_departures* departures, heddle_arrivals* arrivals,
                                                    MPI_Datatype receive_type, MPI_Comm comm);

/* Frees what an exchange has allocated, and makes `arrivals` ready for another one; your own buffer
 * stays in it. */
static inline void heddle_arrivals_free(heddle_arrivals* arrivals) {
  if (arrivals->held_data) {
    free(arrivals->held_data);
    arrivals->data = NULL;
  }
  free(arrivals->held_lists);
  arrivals->held_lists = arrivals->held_data = NULL;
  arrivals->sources = NULL;
  arrivals->counts = arrivals->places = NULL;
  arrivals->messages = arrivals->total = 0;
}

/* How elements of the receive type lie in memory. Not for programs. */
typedef struct heddle_element {
  MPI_Count size;
  MPI_Aint extent, first, span; /* First byte and span: the true lower bound and extent. */
} heddle_element;

/* Room for the lists of `messages` messages; sources and counts (in bytes, at first) are then for
 * the caller to fill in. Not for programs. */
static inline int heddle_arrivals_list(heddle_arrivals* arrivals, MPI_Count messages) {
  const size_t n = (size_t)messages;
  char* lists = (char*)malloc(n * (2 * sizeof(MPI_Count) + sizeof(int)) + 1);
  if (!lists) return MPI_ERR_NO_MEM;
  arrivals->held_lists = lists;
  arrivals->counts = (const MPI_Count*)(void*)lists;
  arrivals->places = arrivals->counts + n;
  arrivals->sources = (const int*)(const void*)(arrivals->places + n);
  arrivals->messages = messages;
  return MPI_SUCCESS;
}

/* Bytes to elements, places, memory. Not for programs. */
static inline int heddle_arrivals_lay_out(heddle_arrivals* arrivals, const heddle_element* element) {
  MPI_Count *counts = (MPI_Count*)(uintptr_t)arrivals->counts, *places = (MPI_Count*)(uintptr_t)arrivals->places, i;
  int whole = 1;
  arrivals->total = 0;
  for (i = 0; i < arrivals->messages; ++i) {
    const MPI_Count bytes = counts[i];
    if (element->size == 0 ? bytes != 0 : bytes % element->size != 0) whole = 0;
    counts[i] = element->size == 0 ? 0 : bytes / element->size;
    places[i] = arrivals->total;
    arrivals->total += counts[i];
  }
  if (!whole) return MPI_ERR_TYPE;
  if (arrivals->data) return arrivals->total <= arrivals->room ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
  if (arrivals->total > 0) {
    const MPI_Count reach = (arrivals->total - 1) * element->extent, back = reach < 0 ? -reach : 0;
    const size_t bytes = (size_t)((reach < 0 ? -reach : reach) + element->span);
    const int holes = element->size != element->extent;
    arrivals->held_data = holes ? calloc(1, bytes ? bytes : 1) : malloc(bytes ? bytes : 1);
    if (!arrivals->held_data) return MPI_ERR_NO_MEM;
    arrivals->data = (void*)((uintptr_t)arrivals->held_data + (uintptr_t)(back - element->first));
  }
  arrivals->room = arrivals->total;
  return MPI_SUCCESS;
}

#ifndef HEDDLE_INTERPOSER
#include <heddle/plain_exchange.h>

/* Not for programs. */
static inline int heddle_carry_out(const heddle_departures* departures, heddle_arrivals* arrivals, MPI_Datatype receive_type,
                                   MPI_Comm comm) {
  int (*const carry_out)(const heddle_departures*, heddle_arrivals*, MPI_Datatype, MPI_Comm) =
      HEDDLE_WEAK(heddle_exchange_carry_out);
  return (carry_out ? carry_out : heddle_plain_exchange)(departures, arrivals, receive_type, comm);
}

/* One type for all that is sent.
 * data      the messages: message i begins places[i] extents of `type` from here.
 *           places NULL: one after the other
 * messages  their number, and so the length of to, counts and places; 0 is fine
 * to        ranks of comm, in any order, also several times
 * counts    elements of each message
 * arrivals  HEDDLE_ARRIVALS_INIT, freed, or with a buffer of yours (data, room)
 * Returns MPI_SUCCESS or an MPI error code. */
static inline int heddle_exchange(const void* data, int messages, const int* to, const MPI_Count* counts,
                                  const MPI_Count* places, MPI_Datatype type, heddle_arrivals* arrivals,
                                  MPI_Datatype receive_type, MPI_Comm comm) {
  const heddle_departures departures = {data, messages, to, counts, places, type, NULL};
  return heddle_carry_out(&departures, arrivals, receive_type, comm);
}

/* A type for each message, as in MPI_Alltoallw: message i begins places[i] bytes from data. */
static inline int heddle_exchange_w(const void* data, int messages, const int* to, const MPI_Count* counts,
                                    const MPI_Count* places, const MPI_Datatype* types, heddle_arrivals* arrivals,
                                    MPI_Datatype receive_type, MPI_Comm comm) {
  static const MPI_Datatype none = MPI_DATATYPE_NULL; /* with no messages `types` may be NULL */
  const heddle_departures departures = {data, messages, to, counts, places, MPI_DATATYPE_NULL, types ? types : &none};
  return heddle_carry_out(&departures, arrivals, receive_type, comm);
}
#endif

#ifdef __cplusplus
}
#endif

#endif
