// Checks messages between nodes: two ranks, each on its own node (HEDDLE_NODES=2). The arguments
// name the checks. Prints "right" if all of them pass.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { rows = 128, ints = 4096, columns = 517 };  // odd blocks: 2068 bytes
static MPI_Datatype type;
static int rank, wrong;
static int *from, *into;

static void expect(int fine, const char* what) {
  if (fine) return;
  fprintf(stderr, "rank %d: %s\n", rank, what);
  ++wrong;
}

static void fill(int number) {
  for (int i = 0; i < rows * ints; ++i) from[i] = 31 * i + number;
  memset(into, -1, sizeof(int) * rows * ints);
}

static void check(int number, const char* what) {
  int fine = 1;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < ints; ++j) fine &= into[i * ints + j] == (j < columns ? 31 * (i * ints + j) + number : -1);
  expect(fine, what);
}

static void receive(const char* what, int number) {
  MPI_Status status;
  int count = 0;
  MPI_Recv(into, 1, type, 0, number, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, type, &count);
  expect(count == 1 && status.MPI_SOURCE == 0 && status.MPI_TAG == number, "status");
  check(number, what);
}

/// Every procedure that sends, with every procedure that receives.
static void spellings(void) {
  static const char* sends[] = {"MPI_Send", "MPI_Ssend", "MPI_Isend", "MPI_Issend", "MPI_Send_init", "MPI_Sendrecv"};
  static const char* receives[] = {"MPI_Recv", "MPI_Irecv", "MPI_Recv_init", "MPI_Mrecv", "MPI_Imrecv", "MPI_Sendrecv"};
  for (int s = 0; s < 6; ++s)
    for (int r = 0; r < 6; ++r) {
      const int number = 6 * s + r;
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Message message;
      fill(number);
      if (rank == 0) {
        if (s == 0) MPI_Send(from, 1, type, 1, number, MPI_COMM_WORLD);
        if (s == 1) MPI_Ssend(from, 1, type, 1, number, MPI_COMM_WORLD);
        if (s == 2) MPI_Isend(from, 1, type, 1, number, MPI_COMM_WORLD, &request);
        if (s == 3) MPI_Issend(from, 1, type, 1, number, MPI_COMM_WORLD, &request);
        if (s == 4) MPI_Send_init(from, 1, type, 1, number, MPI_COMM_WORLD, &request);
        if (s == 4) MPI_Start(&request);
        if (s == 5)
          MPI_Sendrecv(from, 1, type, 1, number, NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      } else {
        if (r == 0) MPI_Recv(into, 1, type, MPI_ANY_SOURCE, number, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (r == 1) MPI_Irecv(into, 1, type, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        if (r == 2) MPI_Recv_init(into, 1, type, 0, number, MPI_COMM_WORLD, &request);
        if (r == 2) MPI_Start(&request);
        if (r == 3 || r == 4) MPI_Mprobe(0, number, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        if (r == 3) MPI_Mrecv(into, 1, type, &message, MPI_STATUS_IGNORE);
        if (r == 4) MPI_Imrecv(into, 1, type, &message, &request);
        if (r == 5)
          MPI_Sendrecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, into, 1, type, 0, number, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        char what[64];
        snprintf(what, sizeof what, "%s to %s", sends[s], receives[r]);
        check(number, what);
      }
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
      MPI_Barrier(MPI_COMM_WORLD);
    }
}

/// A send whose receive is posted ends, even while its receiver waits in a barrier (MPI-5.0 §3.5).
static void barrier(void) {
  for (int s = 0; s < 5; ++s) {
    MPI_Request request = MPI_REQUEST_NULL;
    fill(s);
    if (rank == 1) MPI_Irecv(into, 1, type, 0, s, MPI_COMM_WORLD, &request);
    if (rank == 0) {
      if (s == 0) MPI_Send(from, 1, type, 1, s, MPI_COMM_WORLD);
      if (s == 1) MPI_Ssend(from, 1, type, 1, s, MPI_COMM_WORLD);
      if (s == 2 || s == 4) MPI_Isend(from, 1, type, 1, s, MPI_COMM_WORLD, &request);
      if (s == 3) MPI_Issend(from, 1, type, 1, s, MPI_COMM_WORLD, &request);
      for (int done = s != 4; !done;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      memset(from, 0, sizeof(int) * rows * ints);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1) check(s, "a message whose sender has gone on");
  }
}

/// A probe reports the size of the message's data.
static void probed(void) {
  for (int number = 0; number < 4; ++number) {
    fill(number);
    MPI_Status status;
    int bytes = 0;
    int found = 0;
    if (rank == 0) MPI_Send(from, 1, type, 1, number, MPI_COMM_WORLD);
    if (rank == 0) continue;
    if (number % 2)
      MPI_Probe(MPI_ANY_SOURCE, number, MPI_COMM_WORLD, &status);
    else
      while (!found) MPI_Iprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    expect(bytes == rows * columns * 4 && status.MPI_SOURCE == 0 && status.MPI_TAG == number, "what a probe says");
    receive("a message that was probed", number);
  }
}

/// Messages of the program that are as long as a descriptor arrive unchanged.
static void alike(void) {
  char out[176], in[176];
  for (int i = 0; i < 176; ++i) out[i] = (char)i;
  for (int number = 0; number < 6; ++number) {
    memset(in, 0, sizeof in);
    if (rank == 0) MPI_Send(out, 176, MPI_CHAR, 1, number, MPI_COMM_WORLD);
    MPI_Status status;
    int bytes = 0;
    if (rank == 1 && number % 2) MPI_Probe(0, number, MPI_COMM_WORLD, &status);
    if (rank == 1) MPI_Recv(in, 176, MPI_CHAR, 0, number, MPI_COMM_WORLD, &status);
    if (rank == 1) MPI_Get_count(&status, MPI_CHAR, &bytes);
    expect(rank == 0 || (bytes == 176 && memcmp(in, out, 176) == 0), "176 bytes of the program's");
  }
}

/// A message longer than its receive is an error of this receive only.
static void truncated(void) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int rooms[] = {60000, 10000, 300, 64, 40, 4};  // ints: from more than half of the message to less than a descriptor
  for (int number = 0; number < 6; ++number) {
    fill(number);
    if (rank == 0) MPI_Send(from, 1, type, 1, number, MPI_COMM_WORLD);
    if (rank == 1) {
      const int result = MPI_Recv(into, rooms[number], MPI_INT, 0, number, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      int kind = MPI_SUCCESS;
      MPI_Error_class(result, &kind);
      expect(kind == MPI_ERR_TRUNCATE, "a message longer than its receive is truncated");
      expect(into[rooms[number]] == -1, "nothing is written behind a receive");
    }
    fill(10 + number);
    if (rank == 0) MPI_Send(from, 1, type, 1, 10 + number, MPI_COMM_WORLD);
    if (rank == 1) receive("a message after one that was truncated", 10 + number);
  }
}

/// Memory at the same address may be freed and mapped again between messages.
static void again(void) {
  const size_t bytes = sizeof(int) * rows * ints;
  for (int number = 0; number < 12; ++number) {
    int* const fresh = malloc(bytes);
    for (int i = 0; i < rows * ints; ++i) fresh[i] = rank == 0 ? 31 * i + number : -1;
    if (rank == 0) MPI_Send(fresh, 1, type, 1, number, MPI_COMM_WORLD);
    if (rank == 1) {
      MPI_Recv(fresh, 1, type, 0, number, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      memcpy(into, fresh, bytes);
      check(number, "a message into memory that was another's before");
    }
    free(fresh);
  }
}

/// Many messages at once, in both directions. Frees one request before it is complete.
static void many(void) {
  enum { most = 40 };
  MPI_Request requests[2 * most];
  MPI_Datatype small;
  MPI_Type_vector(64, 64, 128, MPI_INT, &small);
  MPI_Type_commit(&small);
  int* const all = malloc(sizeof(int) * 2 * most * 64 * 128);
  for (int i = 0; i < 2 * most * 64 * 128; ++i) all[i] = i < most * 64 * 128 ? i + 7 * rank : -1;
  for (int m = 0; m < most; ++m) MPI_Irecv(all + (most + m) * 64 * 128, 1, small, 1 - rank, m, MPI_COMM_WORLD, &requests[m]);
  for (int m = most - 1; m >= 0; --m) MPI_Isend(all + m * 64 * 128, 1, small, 1 - rank, m, MPI_COMM_WORLD, &requests[most + m]);
  MPI_Request_free(&requests[most]);
  MPI_Waitall(2 * most, requests, MPI_STATUSES_IGNORE);
  int fine = 1;
  for (int i = 0; i < most * 64 * 128; ++i) fine &= all[most * 64 * 128 + i] == (i % 128 < 64 ? i + 7 * (1 - rank) : -1);
  expect(fine, "many messages at once");
  MPI_Type_free(&small);
}

/// A rank dies while messages are under way.
static void killed(void) {
  for (int number = 0; number < 1000; ++number) {
    if (number == 20 && rank == 1) _exit(7);
    if (rank == 0) MPI_Send(from, 1, type, 1, number, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(into, 1, type, 0, number, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

enum { files = 1024 };
static char marked[files];  // connections of the MPI library
static volatile int silent;
static volatile long said;  // bytes sent over other connections

static int is_of_fabric(int file) {
  struct sockaddr_storage peer;
  socklen_t length = sizeof peer;
  return file >= 0 && file < files && !marked[file] && getpeername(file, (struct sockaddr*)&peer, &length) == 0 &&
         (peer.ss_family == AF_INET || peer.ss_family == AF_INET6);
}

/// Replaces libc's function for libfabric (the program is linked with -rdynamic). A silent fabric
/// sends nothing, and gets no error.
ssize_t sendmsg(int file, const struct msghdr* message, int flags) {
  const int ours = is_of_fabric(file);
  if (ours && silent) return errno = EAGAIN, -1;
  const ssize_t sent = syscall(SYS_sendmsg, file, message, flags);
  if (ours && sent > 0) said += sent;
  return sent;
}

ssize_t send(int file, const void* bytes, size_t length, int flags) {
  struct iovec piece = {(void*)bytes, length};
  const struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
  return sendmsg(file, &message, flags);
}

/// Marks the TCP connections of this process, or cuts the unmarked ones.
static void connections(int cuts) {
  for (int file = 0; file < files; ++file) {
    struct sockaddr_storage peer;
    socklen_t length = sizeof peer;
    if (getpeername(file, (struct sockaddr*)&peer, &length) || (peer.ss_family != AF_INET && peer.ss_family != AF_INET6))
      continue;
    if (cuts && !marked[file] && shutdown(file, SHUT_RDWR) == 0) puts("cut");
    marked[file] = 1;
  }
}

/// Sends messages until the fabric delivers them. Connections of the MPI library are older than
/// those of the fabric.
static void warm(void) {
  connections(0);
  for (int brings = 0, number = 0; !brings && number < 5000; ++number) {
    fill(number);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) MPI_Send(from, 1, type, 1, number, MPI_COMM_WORLD);
    if (rank == 1) receive("a message before the fabric is known to work", number);
    brings = rank == 0 && said > (long)sizeof(int) * rows * columns;
    MPI_Allreduce(MPI_IN_PLACE, &brings, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
}

/// Connections of the fabric break between messages and during a message.
static void cut(void) {
  warm();
  for (int number = 0; number < 30; ++number) {
    MPI_Request request = MPI_REQUEST_NULL;
    fill(number);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) MPI_Isend(from, 1, type, 1, number, MPI_COMM_WORLD, &request);
    if (rank == 1) MPI_Irecv(into, 1, type, 0, number, MPI_COMM_WORLD, &request);
    if (number % 10 == 6 || (number % 10 == 7 && rank == 1)) connections(1);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1) check(number, "a message over a connection that breaks");
  }
}

/// The fabric falls silent at the receiver, without an error. Messages still arrive, also if their
/// senders wait in a barrier, or have freed the request.
static void unanswered(void) {
  warm();
  silent = rank == 1;
  for (int number = 0; number < 9; ++number) {
    MPI_Request request = MPI_REQUEST_NULL;
    fill(number);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && number % 3 == 0) MPI_Send(from, 1, type, 1, number, MPI_COMM_WORLD);
    if (rank == 0 && number % 3 > 0) MPI_Isend(from, 1, type, 1, number, MPI_COMM_WORLD, &request);
    if (rank == 0 && number % 3 == 2) MPI_Request_free(&request);
    if (rank == 1) receive("a message that the fabric does not answer", number);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

enum { descriptor = 176 };
static int damages = -1;  // the bit to flip in the next descriptor; -1: none

/// Replaces the library's function for Heddle.
int PMPI_Isend(const void* data, int count, MPI_Datatype of, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  static int (*host)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  static char damaged[descriptor];
  if (!host) {
    void* (*seen)(const char*) = NULL;
    *(void**)&seen = dlsym(RTLD_DEFAULT, "heddle_seen_host");
    *(void**)&host = seen ? seen("PMPI_Isend") : dlsym(RTLD_NEXT, "PMPI_Isend");
  }
  if (damages >= 0 && count == descriptor && of == MPI_BYTE) {
    memcpy(damaged, data, descriptor);
    damaged[damages / 8] ^= (char)(1 << damages % 8);
    damages = -1;
    data = damaged;
    puts("damaged");
  }
  return host(data, count, of, to, tag, comm, request);
}

/// A flipped bit in a descriptor is an error of the receive. If the bit is in the mark of
/// descriptors, the message counts as the program's bytes. Nothing else is written, and later
/// messages arrive.
static void damaged(void) {
  enum { nonce = 16 * 8, bits = 8 * descriptor, step = 37 };
  warm();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int bit = 0; bit < bits; bit += step) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    int kind = MPI_SUCCESS;
    int bytes = 0;
    fill(bit);
    MPI_Barrier(MPI_COMM_WORLD);
    damages = rank == 0 ? bit : -1;
    if (rank == 0) MPI_Isend(from, 1, type, 1, bit, MPI_COMM_WORLD, &request);
    if (rank == 1) {
      const int result = MPI_Recv(into, 1, type, 0, bit, MPI_COMM_WORLD, &status);
      MPI_Error_class(result, &kind);
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      if (bit < nonce)
        expect(kind == MPI_SUCCESS && bytes == descriptor, "176 bytes that are no descriptor are the program's");
      else
        expect(kind == MPI_ERR_INTERN, "a damaged descriptor is an error");
      for (int i = 0; i < rows; ++i)
        for (int j = columns; j < ints; ++j) expect(into[i * ints + j] == -1, "a hole is written to");
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    fill(bits + bit);
    if (rank == 0) MPI_Send(from, 1, type, 1, bits + bit, MPI_COMM_WORLD);
    if (rank == 1) receive("a message after one that was damaged", bits + bit);
  }
}

/// Starts a request repeatedly, with the same memory. Also frees it while a message is under way.
static void persistent(void) {
  MPI_Request request;
  warm();
  for (int round = 0; round < 3; ++round) {
    if (rank == 0) MPI_Send_init(from, 1, type, 1, round, MPI_COMM_WORLD, &request);
    if (rank == 1) MPI_Recv_init(into, 1, type, 0, round, MPI_COMM_WORLD, &request);
    for (int number = 0; number < 8; ++number) {
      fill(100 * round + number);
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Start(&request);
      if (number == 7 && rank == 0) MPI_Request_free(&request);
      if (number < 7 || rank == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
      if (rank == 1) check(100 * round + number, "a message of a persistent request");
      MPI_Barrier(MPI_COMM_WORLD);  // the sender may reuse its memory
    }
    if (rank == 1) MPI_Request_free(&request);
  }
}

/// A collective with blocks between nodes.
static void persistent_collective(void) {
#if MPI_VERSION >= 4
  int counts[2] = {rank == 1, rank == 0}, places[2] = {0, 0};
  MPI_Datatype types[2] = {type, type};
  MPI_Request request;
  warm();
  MPI_Alltoallw_init(from, counts, places, types, into, counts, places, types, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int number = 0; number < 8; ++number) {
    fill(number);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(number, "a block of a persistent collective");
  }
  MPI_Request_free(&request);
#endif
}

/// One rank sends contiguous data (ints, or a contiguous datatype). The other scatters them. Both
/// take turns.
static void piece(void) {
  MPI_Datatype row;
  MPI_Type_contiguous(columns, MPI_INT, &row);
  MPI_Type_commit(&row);
  for (int n = 0; n < 200; ++n) {  // only after some messages, the ranks know that they reach each other
    MPI_Request request = MPI_REQUEST_NULL;
    fill(n);
    if (rank == n % 2) {
      if (n % 5 == 0) MPI_Send(from, rows * columns, MPI_INT, 1 - rank, n, MPI_COMM_WORLD);
      if (n % 5 == 1) MPI_Send(from, rows, row, 1 - rank, n, MPI_COMM_WORLD);
      if (n % 5 == 2) MPI_Isend(from, rows * columns, MPI_INT, 1 - rank, n, MPI_COMM_WORLD, &request);
      if (n % 5 == 3) MPI_Ssend(from, rows, row, 1 - rank, n, MPI_COMM_WORLD);
      if (n % 5 == 4) MPI_Send_init(from, rows * columns, MPI_INT, 1 - rank, n, MPI_COMM_WORLD, &request);
      if (n % 5 == 4) MPI_Start(&request);
    } else {
      MPI_Irecv(into, 1, type, MPI_ANY_SOURCE, n, MPI_COMM_WORLD, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    int fine = 1;
    for (int i = 0; i < rows && rank != n % 2; ++i)
      for (int j = 0; j < ints; ++j) fine &= into[i * ints + j] == (j < columns ? 31 * (i * columns + j) + n : -1);
    expect(fine, "one piece, scattered");
  }
  MPI_Type_free(&row);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*does)(void);
  } all[] = {{"spellings", spellings},
             {"barrier", barrier},
             {"probed", probed},
             {"alike", alike},
             {"truncated", truncated},
             {"again", again},
             {"many", many},
             {"killed", killed},
             {"cut", cut},
             {"unanswered", unanswered},
             {"damaged", damaged},
             {"persistent", persistent},
             {"piece", piece},
             {"persistent_collective", persistent_collective}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_vector(rows, columns, ints, MPI_INT, &type);
  MPI_Type_commit(&type);
  from = malloc(sizeof(int) * rows * ints);
  into = malloc(sizeof(int) * rows * ints);
  for (int i = 1; i < argc; ++i)
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
      if (strcmp(argv[i], all[k].name) == 0) all[k].does();
  int sum = 0;
  MPI_Reduce(&wrong, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0 && sum == 0) puts("right");
  MPI_Type_free(&type);
  MPI_Finalize();
  return 0;
}
