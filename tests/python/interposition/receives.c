// receives: rank 0 sends large messages with holes by MPI_Send. Rank 1 receives them in the way
// that the first argument names. A receive that Heddle does not see would take the announcement of
// the message for the message.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { blocks = 4096, tag = 3 };
typedef int Receive(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*);

static MPI_Datatype every_second(int (*commit)(MPI_Datatype*)) {
  MPI_Datatype type;
  MPI_Type_vector(blocks, 1, 2, MPI_INT, &type);
  commit(&type);
  return type;
}

static void* found(const char* library, int mode, const char* name) {
  void* handle = dlopen(library, mode);
  void* procedure = handle ? dlsym(handle, name) : NULL;
  if (!procedure) fprintf(stderr, "%s of %s: %s\n", name, library, dlerror());
  return procedure;
}

static int exchange(Receive* receive, MPI_Datatype out, MPI_Datatype in) {
  static int data[2 * blocks];
  int rank, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int turn = 0; turn < 5; ++turn) {
    for (int i = 0; i < 2 * blocks; ++i) data[i] = rank == 0 ? i + turn : -1;
    if (rank == 0) MPI_Send(data, 1, out, 1, tag, MPI_COMM_WORLD);
    if (rank != 1) continue;
    receive(data, 1, in, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2 * blocks; ++i) wrong += data[i] != (i % 2 ? -1 : i + turn);
  }
  return wrong;
}

#if MPI_VERSION >= 4
static int large(void* data, int n, MPI_Datatype type, int source, int t, MPI_Comm comm, MPI_Status* status) {
  return MPI_Recv_c(data, n, type, source, t, comm, status);
}
#else
#define large MPI_Recv
#endif

static int begun(void* data, int n, MPI_Datatype type, int source, int t, MPI_Comm comm, MPI_Status* status) {
  MPI_Request request;
  PMPI_Irecv(data, n, type, source, t, comm, &request);
  return PMPI_Wait(&request, status);
}

/// A slot that the loader fills. With "pointed_back", the program fills it again.
static Receive* slot = MPI_Recv;

static MPI_Datatype type;

/// MPI_Finalize calls it before everything else, so MPI still works.
static int at_end(MPI_Comm self, int keyval, void* value, void* state) {
  int rank;
  const int wrong = exchange(MPI_Recv, type, type);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) puts(wrong ? "wrong" : "right");
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "name";
  int rank, wrong = 0;
  if (!strcmp(how, "pointed_back")) {
    void* (*host)(const char*) = found(argv[2], RTLD_NOW, "heddle_seen_host");
    if (!host || !(slot = host("MPI_Recv"))) return 2;
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  type = every_second(MPI_Type_commit);
  if (!strcmp(how, "at_end")) {
    int keyval;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
    MPI_Finalize();
    return 0;
  }
  Receive* receive = MPI_Recv;
  if (!strcmp(how, "pointed_back")) receive = slot;
  if (!strcmp(how, "pmpi")) receive = PMPI_Recv;
  if (!strcmp(how, "begun")) receive = begun;
  if (!strcmp(how, "large")) receive = large;
  if (!strcmp(how, "dlsym")) receive = found(argv[2], RTLD_NOW, argv[3]);
  if (!strcmp(how, "plugin")) receive = found(argv[2], RTLD_NOW | RTLD_DEEPBIND, "receive");
  if (!receive) return 2;
  MPI_Datatype in = !strcmp(how, "committed_past_us") ? every_second(PMPI_Type_commit) : type;
  wrong = exchange(receive, type, in);
  if (rank == 1) puts(wrong ? "wrong" : "right");
  MPI_Finalize();
  return wrong != 0;
}
