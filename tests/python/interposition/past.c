// past: rank 0 announces messages, and rank 1 receives them in the way that the first argument
// names. Ways that begin with "past" bypass Heddle. In the others, messages stay unclaimed for a
// while, or forever, although no receive bypasses Heddle. Prints "right" at its end.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { blocks = 4096, tag = 3, other = 4, end = 5 };
typedef int Receive(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*);
typedef int Begin(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
typedef int Wait(MPI_Request*, MPI_Status*);
typedef void* Host(const char*);

static int data[2 * blocks], more[2 * blocks];
static MPI_Datatype type;
static int rank;

static int is(const char* how, const char* name) { return strcmp(how, name) == 0; }

static void clear(void) {
  for (int i = 0; i < 2 * blocks; ++i) data[i] = more[i] = -1;
}

static int wrong(const int* values) {
  int found = 0;
  for (int i = 0; i < 2 * blocks; ++i) found += values[i] != (i % 2 ? -1 : i);
  return found;
}

/// Calls of both ranks in which Heddle checks its messages.
static int other_calls(void) {
  static int values[2 * blocks];
  int found = 0;
  for (int turn = 0; turn < 20; ++turn) {
    for (int i = 0; i < 2 * blocks; ++i) values[i] = rank == 0 ? i : -1;
    if (rank == 0) MPI_Send(values, 1, type, 1, other, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(values, 1, type, 0, other, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(values, 1, type, 0, other, MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(values, 1, type, 1, other, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    found += rank == 1 ? wrong(values) : 0;
  }
  return found;
}

static void handler(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  for (int i = 0; i < 5; ++i) MPI_Send(more, 1, type, 0, end, MPI_COMM_WORLD);
}

static void send(const char* how) {
  MPI_Request request;
  for (int i = 0; i < 2 * blocks; ++i) data[i] = i;
  if (strstr(how, "blocking ssend")) {
    MPI_Ssend(data, 1, type, 1, tag, MPI_COMM_WORLD);
  } else if (strstr(how, "rsend")) {
    MPI_Barrier(MPI_COMM_WORLD);  // the receive is posted
    MPI_Rsend(data, 1, type, 1, tag, MPI_COMM_WORLD);
  } else if (strstr(how, "isend")) {
    MPI_Isend(data, 1, type, 1, tag, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (strstr(how, "sendrecv")) {
    MPI_Sendrecv(data, 1, type, 1, tag, NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (strstr(how, "ssend")) {
    MPI_Issend(data, 1, type, 1, tag, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(data, 1, type, 1, tag, MPI_COMM_WORLD);
  }
}

static int receive(const char* how) {
  int one, found = 0;
  MPI_Request request;
  if (strncmp(how, "past", 4) == 0) {
    Host* const host = (Host*)dlsym(RTLD_DEFAULT, "heddle_seen_host");
    Receive* const past = host ? (Receive*)host("PMPI_Recv") : MPI_Recv;
    if (host && strstr(how, "rsend")) {
      ((Begin*)host("PMPI_Irecv"))(data, 1, type, 0, tag, MPI_COMM_WORLD, &request);
      MPI_Barrier(MPI_COMM_WORLD);
      return ((Wait*)host("PMPI_Wait"))(&request, MPI_STATUS_IGNORE);
    }
    past(data, 1, type, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return 0;
  }
  if (is(how, "later")) {
    MPI_Irecv(data, 1, type, 0, tag, MPI_COMM_WORLD, &request);
    found = other_calls();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return found + wrong(data);
  }
  if (is(how, "persistent")) {
    MPI_Recv_init(data, 1, type, 0, tag, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    found = other_calls();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    return found + wrong(data);
  }
  if (is(how, "matched")) {
    MPI_Message message;
    MPI_Mprobe(0, tag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    found = other_calls();
    MPI_Mrecv(data, 1, type, &message, MPI_STATUS_IGNORE);
    return found + wrong(data);
  }
  if (is(how, "short") || is(how, "begun short")) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (is(how, "short")) return MPI_Recv(&one, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS;
    MPI_Irecv(&one, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &request);
    return MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS;
  }
  if (is(how, "handler")) {
    MPI_Errhandler errors;
    MPI_Comm_create_errhandler(handler, &errors);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, errors);
    MPI_Errhandler_free(&errors);
    MPI_Recv(data, 1000, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return 0;
  }
  if (is(how, "freed") || is(how, "unfinished")) MPI_Irecv(data, 1, type, 0, tag, MPI_COMM_WORLD, &request);
  if (is(how, "freed")) MPI_Request_free(&request);
  return 0;  // some ways do not get here
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "later";
  int bad = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_vector(blocks, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  clear();
  if (rank == 0) send(how);
  const int waits = is(how, "later") || is(how, "persistent") || is(how, "matched");
  if (rank == 0 && waits) bad = other_calls();
  if (rank == 0 && is(how, "handler"))
    for (int i = 0; i < 5; ++i) MPI_Recv(more, 1, type, 1, end, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) bad = receive(how);
  MPI_Barrier(MPI_COMM_WORLD);
  if (!is(how, "past end")) bad += other_calls();
  if (rank == 1 && strncmp(how, "past", 4) == 0 && !is(how, "past end")) {
    printf("too late\n");
    fflush(stdout);
  }
  MPI_Type_free(&type);
  MPI_Finalize();
  if (bad) printf("wrong: %d\n", bad);
  if (!bad && rank == 1) printf("right\n");
  return bad != 0;
}
