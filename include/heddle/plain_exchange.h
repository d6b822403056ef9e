/* heddle/plain_exchange.h: heddle_exchange where there is no Heddle: non-blocking consensus
 * (Hoefler, Siebert, Lumsdaine 2010) by what every MPI-3 has. For exchange.h only; the functions
 * are weak, so that all files of a program share them.
 *
 *   synchronous sends to all;  take in whatever comes;  my sends are received: enter a barrier;  it is through: all is there
 *
 * On a communicator of its own, kept as an attribute of the program's; exchanges that follow each
 * other have different tags, since a quick rank may begin the next one before a slow one has seen
 * the end of the last.
 */
#ifndef HEDDLE_PLAIN_EXCHANGE_H
#define HEDDLE_PLAIN_EXCHANGE_H

#include <limits.h>

typedef struct heddle_plain_lane {
  MPI_Comm comm;
  int turn;
} heddle_plain_lane;

typedef struct heddle_plain_message {
  int source;
  MPI_Count number, bytes;
  char* packed;
} heddle_plain_message;

static inline int heddle_plain_forget(MPI_Comm comm, int keyval, void* value, void* extra) {
  heddle_plain_lane* lane = (heddle_plain_lane*)value;
  (void)comm, (void)keyval, (void)extra;
  MPI_Comm_free(&lane->comm);
  free(lane);
  return MPI_SUCCESS;
}

__attribute__((weak)) heddle_plain_lane* heddle_plain_lane_of(MPI_Comm comm) {
  static int keyval = MPI_KEYVAL_INVALID;
  heddle_plain_lane* lane = NULL;
  int known = 0, rank = 0;
  if (keyval == MPI_KEYVAL_INVALID) MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, heddle_plain_forget, &keyval, NULL);
  MPI_Comm_get_attr(comm, keyval, &lane, &known);
  if (known) return lane;
  lane = (heddle_plain_lane*)malloc(sizeof *lane);
  if (!lane) return NULL;
  lane->turn = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_split(comm, 0, rank, &lane->comm);
  MPI_Comm_set_attr(comm, keyval, lane);
  return lane;
}

/* `bytes` bytes as a count and a type that MPI takes: pieces of 1 GiB and a rest, if they are
 * many. */
static inline void heddle_plain_bytes(MPI_Count bytes, int* count, MPI_Datatype* type) {
  enum { piece = 1 << 30 };
  *count = (int)(bytes <= piece ? bytes : 1);
  *type = MPI_BYTE;
  if (bytes > piece) {
    int lengths[2] = {(int)(bytes / piece), (int)(bytes % piece)};
    MPI_Aint places[2] = {0, (MPI_Aint)(bytes - bytes % piece)};
    MPI_Datatype types[2] = {MPI_DATATYPE_NULL, MPI_BYTE};
    MPI_Type_contiguous(piece, MPI_BYTE, &types[0]);
    MPI_Type_create_struct(2, lengths, places, types, type);
    MPI_Type_commit(type);
    MPI_Type_free(&types[0]);
  }
}

static inline void heddle_plain_bytes_done(MPI_Count bytes, MPI_Datatype* type) {
  if (bytes > (1 << 30)) MPI_Type_free(type);
}

static inline void heddle_plain_element(MPI_Datatype type, heddle_element* element) {
  MPI_Aint low = 0;
  MPI_Type_size_x(type, &element->size);
  MPI_Type_get_extent(type, &low, &element->extent);
  MPI_Type_get_true_extent(type, &element->first, &element->span);
}

/* Elements to packed bytes (`unpack` 0) or back; in steps that fit into int. */
static inline int heddle_plain_copy(char* data, MPI_Count count, MPI_Datatype type, const heddle_element* element, char* packed,
                                    int unpack, MPI_Comm comm) {
  const MPI_Count most = (1 << 30) / (element->size ? element->size : 1), step = most ? most : 1;
  MPI_Count done;
  int error = MPI_SUCCESS;
  for (done = 0; done < count && error == MPI_SUCCESS; done += step) {
    const int now = (int)(count - done < step ? count - done : step);
    char* at = (char*)((uintptr_t)data + (uintptr_t)(done * element->extent));
    int position = 0;
    if (unpack)
      error = MPI_Unpack(packed + done * element->size, (int)(now * element->size), &position, at, now, type, comm);
    else
      error = MPI_Pack(at, now, type, packed + done * element->size, (int)(now * element->size), &position, comm);
  }
  return error;
}

static inline int heddle_plain_order(const void* a, const void* b) {
  const heddle_plain_message *one = (const heddle_plain_message*)a, *other = (const heddle_plain_message*)b;
  if (one->source != other->source) return one->source < other->source ? -1 : 1;
  return one->number < other->number ? -1 : one->number > other->number;
}

/* What is wrong with the arguments: an MPI error class. */
static inline int heddle_plain_wrong(const heddle_departures* out, const heddle_arrivals* in, MPI_Datatype receive_type,
                                     MPI_Comm comm) {
  int i, ranks = 0, inter = 0;
  MPI_Comm_test_inter(comm, &inter);
  if (inter) return MPI_ERR_COMM;
  if (!in || out->messages < 0 || (out->messages > 0 && (!out->to || !out->counts))) return MPI_ERR_ARG;
  if (in->data && in->room < 0) return MPI_ERR_ARG;
  if (receive_type == MPI_DATATYPE_NULL) return MPI_ERR_TYPE;
  if (out->types && !out->places && out->messages > 0) return MPI_ERR_ARG;
  MPI_Comm_size(comm, &ranks);
  for (i = 0; i < out->messages; ++i) {
    if (out->to[i] != MPI_PROC_NULL && (out->to[i] < 0 || out->to[i] >= ranks)) return MPI_ERR_RANK;
    if (out->counts[i] < 0) return MPI_ERR_COUNT;
    if ((out->types ? out->types[i] : out->type) == MPI_DATATYPE_NULL) return MPI_ERR_TYPE;
  }
  return MPI_SUCCESS;
}

/* Sends message i; what must live until it is received is put into `packed`. */
static inline int heddle_plain_send(const heddle_departures* out, int i, MPI_Count place, const heddle_element* element,
                                    int tag, MPI_Comm comm, char** packed, MPI_Request* request) {
  const MPI_Datatype type = out->types ? out->types[i] : out->type;
  const MPI_Count bytes = out->counts[i] * element->size;
  MPI_Datatype wire = MPI_BYTE;
  int count = 0, error;
  *packed = (char*)malloc((size_t)bytes + 1);
  if (!*packed) return MPI_ERR_NO_MEM;
  error = heddle_plain_copy((char*)((uintptr_t)out->data + (uintptr_t)place), out->counts[i], type, element, *packed, 0, comm);
  if (error != MPI_SUCCESS) return error;
  heddle_plain_bytes(bytes, &count, &wire);
  error = MPI_Issend(*packed, count, wire, out->to[i], tag, comm, request);
  heddle_plain_bytes_done(bytes, &wire);
  return error;
}

/* Whether all have been received. One by one: MPICH 4.0 declares MPI_Testall so that GCC takes
 * MPI_STATUSES_IGNORE for a short array, and warns. */
static inline int heddle_plain_sent(int n, MPI_Request* requests, int* received) {
  int i, error = MPI_SUCCESS;
  *received = 1;
  for (i = 0; i < n && *received && error == MPI_SUCCESS; ++i) error = MPI_Test(&requests[i], received, MPI_STATUS_IGNORE);
  return error;
}

/* Takes in a message, if one is there. */
static inline int heddle_plain_receive(int tag, MPI_Comm comm, heddle_plain_message** came, MPI_Count* n, MPI_Count* room) {
  int there = 0, count = 0, error;
  MPI_Message held = MPI_MESSAGE_NULL;
  MPI_Status status;
  MPI_Datatype wire = MPI_BYTE;
  heddle_plain_message* one;
  error = MPI_Improbe(MPI_ANY_SOURCE, tag, comm, &there, &held, &status);
  if (error != MPI_SUCCESS || !there) return error;
  if (*n == *room) {
    const MPI_Count more = *room ? 2 * *room : 16;
    heddle_plain_message* grown = (heddle_plain_message*)realloc(*came, (size_t)more * sizeof **came);
    if (!grown) return MPI_ERR_NO_MEM;
    *came = grown, *room = more;
  }
  one = *came + *n;
  one->source = status.MPI_SOURCE;
  one->number = *n;
  MPI_Get_elements_x(&status, MPI_BYTE, &one->bytes);
  one->packed = (char*)malloc((size_t)one->bytes + 1);
  if (!one->packed) return MPI_ERR_NO_MEM;
  ++*n;
  heddle_plain_bytes(one->bytes, &count, &wire);
  error = MPI_Mrecv(one->packed, count, wire, &held, MPI_STATUS_IGNORE);
  heddle_plain_bytes_done(one->bytes, &wire);
  return error;
}

/* Sorts, makes room, unpacks. */
static inline int heddle_plain_place(heddle_plain_message* came, MPI_Count n, heddle_arrivals* in, MPI_Datatype type,
                                     MPI_Comm comm) {
  heddle_element element;
  MPI_Count i;
  int result, error = heddle_arrivals_list(in, n);
  if (error != MPI_SUCCESS) return error;
  if (n > 0) qsort(came, (size_t)n, sizeof *came, heddle_plain_order);
  for (i = 0; i < n; ++i) {
    ((int*)(uintptr_t)in->sources)[i] = came[i].source;
    ((MPI_Count*)(uintptr_t)in->counts)[i] = came[i].bytes;
  }
  heddle_plain_element(type, &element);
  result = heddle_arrivals_lay_out(in, &element);
  if (result != MPI_SUCCESS && result != MPI_ERR_TRUNCATE) return result;
  for (i = 0; i < n; ++i)
    if (in->counts[i] > 0 && in->places[i] + in->counts[i] <= in->room) {
      char* at = (char*)((uintptr_t)in->data + (uintptr_t)(in->places[i] * element.extent));
      error = heddle_plain_copy(at, in->counts[i], type, &element, came[i].packed, 1, comm);
      if (error != MPI_SUCCESS) return error;
    }
  return result;
}

__attribute__((weak)) int heddle_plain_exchange(const heddle_departures* out, heddle_arrivals* in, MPI_Datatype receive_type,
                                                MPI_Comm comm) {
  const int first_tag = 32764;
  int i, tag, sent = 0, over = 0, error = heddle_plain_wrong(out, in, receive_type, comm);
  const size_t n = error == MPI_SUCCESS ? (size_t)out->messages : 0;
  MPI_Count came_n = 0, came_room = 0, place = 0;
  heddle_plain_message* came = NULL;
  heddle_plain_lane* lane = error == MPI_SUCCESS ? heddle_plain_lane_of(comm) : NULL;
  char** packed = (char**)calloc(n + 1, sizeof *packed);
  MPI_Request *requests = (MPI_Request*)malloc((n + 1) * sizeof *requests), barrier = MPI_REQUEST_NULL;
  if (error == MPI_SUCCESS && (!lane || !packed || !requests)) error = MPI_ERR_NO_MEM;
  if (error == MPI_SUCCESS) {
    tag = first_tag + (lane->turn++ & 1);
    for (i = 0; i < out->messages && error == MPI_SUCCESS; ++i) {
      heddle_element element;
      heddle_plain_element(out->types ? out->types[i] : out->type, &element);
      if (out->places) place = out->types ? out->places[i] : out->places[i] * element.extent;
      if (out->to[i] != MPI_PROC_NULL)
        error = heddle_plain_send(out, i, place, &element, tag, lane->comm, &packed[sent], &requests[sent]), ++sent;
      if (!out->places) place += out->counts[i] * element.extent;
    }
    while (!over && error == MPI_SUCCESS) {
      error = heddle_plain_receive(tag, lane->comm, &came, &came_n, &came_room);
      if (error != MPI_SUCCESS) break;
      if (barrier != MPI_REQUEST_NULL) {
        error = MPI_Test(&barrier, &over, MPI_STATUS_IGNORE);
      } else {
        int received = 0;
        error = heddle_plain_sent(sent, requests, &received);
        if (error == MPI_SUCCESS && received) error = MPI_Ibarrier(lane->comm, &barrier);
      }
    }
    if (error == MPI_SUCCESS) error = heddle_plain_place(came, came_n, in, receive_type, lane->comm);
  }
  for (i = 0; packed && i < sent; ++i) free(packed[i]);
  while (came_n > 0) free(came[--came_n].packed);
  free(came);
  free(packed);
  free(requests);
  if (error != MPI_SUCCESS) MPI_Comm_call_errhandler(comm, error);
  return error;
}

#endif
