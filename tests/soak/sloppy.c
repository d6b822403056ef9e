/* ---- Each function makes calls that MPI forbids, or few tests make. All libraries support them. */
#include <sys/mman.h>

/* `n` ints, every second one if `holes`. */
static MPI_Datatype ints(int n, int holes) {
  MPI_Datatype type;
  OK(holes ? MPI_Type_vector(n, 1, 2, MPI_INT, &type) : MPI_Type_contiguous(n, MPI_INT, &type));
  OK(MPI_Type_commit(&type));
  return type;
}
static int* ints_filled(int* to, int n, int holes, int first) {
  for (int i = 0; i < n; i++) to[i << holes] = first + i;
  return to;
}
static int ints_wrong(const volatile int* at, int n, int holes, int first) {
  int wrong = 0;
  for (int i = 0; i < n; i++) wrong += at[i << holes] != first + i;
  return wrong;
}
static int* ints_new(int n) {
  int* room = calloc(2 * (size_t)n + 1, sizeof *room);
  if (!room) complain("no memory for %d ints", n);
  return room;
}
static int rank_in(MPI_Comm comm) {
  int rank;
  OK(MPI_Comm_rank(comm, &rank));
  return rank;
}

/* A window of receives into one buffer, as bandwidth benchmarks post it. All messages are equal. */
static void overlapping(MPI_Comm comm, int source, int target, int tag, int messages, int n, int sent_holes, int got_holes,
                        int persistent) {
  const int sends = rank_in(comm) == source;
  const int holes = sends ? sent_holes : got_holes;
  int* room = ints_new(n);
  MPI_Datatype type = ints(n, holes);
  MPI_Request* all = malloc((size_t)messages * sizeof *all);
  if (sends) ints_filled(room, n, holes, tag);
  for (int times = 0; times < 2; times++) {
    for (int i = 0; i < messages; i++) {
      if (sends) OK(MPI_Isend(room, 1, type, target, tag, comm, &all[i]));
      if (sends || (persistent && times > 0)) continue;
      if (persistent) OK(MPI_Recv_init(room, 1, type, source, tag, comm, &all[i]));
      if (!persistent) OK(MPI_Irecv(room, 1, type, source, tag, comm, &all[i]));
    }
    if (!sends && persistent) OK(MPI_Startall(messages, all));
    OK(MPI_Waitall(messages, all, MPI_STATUSES_IGNORE));
    const int wrong = sends ? 0 : ints_wrong(room, n, holes, tag);
    if (wrong) complain("%d receives of %d ints into one buffer: %d wrong", messages, n, wrong);
    if (!sends) memset(room, 0, (size_t)n * sizeof *room);
  }
  for (int i = 0; i < messages && !sends && persistent; i++) OK(MPI_Request_free(&all[i]));
  OK(MPI_Type_free(&type));
  free(all);
  free(room);
}

/* A receive is freed before its message is sent. The data still arrive during later calls. */
static void freed_receive(MPI_Comm comm, int source, int target, int tag, int n, int sent_holes, int got_holes) {
  const int sends = rank_in(comm) == source;
  const int holes = sends ? sent_holes : got_holes;
  static int* kept; /* the library may still write there if the function returns too early */
  int* room = ints_new(n);
  MPI_Datatype type = ints(n, holes);
  MPI_Request request;
  if (sends) {
    OK(MPI_Recv(NULL, 0, MPI_INT, target, tag, comm, MPI_STATUS_IGNORE));
    OK(MPI_Ssend(ints_filled(room, n, holes, tag), 1, type, target, tag, comm));
    free(room);
  } else {
    OK(MPI_Irecv(room, 1, type, source, tag, comm, &request));
    OK(MPI_Request_free(&request));
    OK(MPI_Send(NULL, 0, MPI_INT, source, tag, comm));
    int flag = 0, turns = 0;
    while (ints_wrong(room, n, holes, tag) && turns < 1000000) {
      OK(MPI_Iprobe(source, tag, comm, &flag, MPI_STATUS_IGNORE));
      tired(&turns);
    }
    const int wrong = ints_wrong(room, n, holes, tag);
    if (wrong) complain("a freed receive of %d ints: %d wrong", n, wrong);
    kept = room;
  }
  OK(MPI_Type_free(&type));
}

/* A call with a wrong argument fails, and leaves no pending message and no pending receive. */
static void wrong_half(MPI_Comm comm, int tag, int n) {
  const int self = rank_in(comm);
  int size, flag = 0;
  OK(MPI_Comm_size(comm, &size));
  int *from = ints_new(n), *to = ints_new(n);
  MPI_Datatype type = ints(n, 1), loose;
  OK(MPI_Type_vector(n, 1, 2, MPI_INT, &loose));
  for (int kind = 0; kind < 6; kind++) {
    const int count = kind == 0 ? -1 : 1, rank = kind == 1 ? size + 7 : self, other = kind == 2 ? -5 : tag;
    const int error = kind == 3   ? MPI_Sendrecv(from, 1, type, size + 7, tag, to, 1, type, self, tag, comm, MPI_STATUS_IGNORE)
                      : kind == 4 ? MPI_Sendrecv_replace(from, 1, type, self, tag, size + 7, tag, comm, MPI_STATUS_IGNORE)
                      : kind == 5
                          ? MPI_Sendrecv(from, 1, type, self, tag, to, 1, loose, self, tag, comm, MPI_STATUS_IGNORE)
                          : MPI_Sendrecv(from, 1, type, self, tag, to, count, type, rank, other, comm, MPI_STATUS_IGNORE);
    if (error == MPI_SUCCESS) complain("MPI_Sendrecv with a wrong argument, kind %d, succeeds", kind);
    for (int turns = 0; turns < 20 && !flag; tired(&turns)) OK(MPI_Iprobe(self, tag, comm, &flag, MPI_STATUS_IGNORE));
    if (flag) complain("MPI_Sendrecv with a wrong argument, kind %d, has sent a message", kind);
    if (flag) break;
    int sent = 5, got = 0; /* the next message must arrive */
    OK(MPI_Sendrecv(&sent, 1, MPI_INT, self, tag, &got, 1, MPI_INT, self, tag, comm, MPI_STATUS_IGNORE));
    if (got != 5) complain("after a wrong argument, kind %d, the next message is lost", kind);
  }
  OK(MPI_Type_free(&loose));
  OK(MPI_Type_free(&type));
  free(from);
  free(to);
}

/* Freeing a communicator first deletes its attributes. Their callbacks may still use it. */
struct leaving_ {
  int deleted, talks, n;
};
static void around(MPI_Comm comm, int n, int tag) {
  const int self = rank_in(comm);
  int size;
  OK(MPI_Comm_size(comm, &size));
  int *from = ints_filled(ints_new(n), n, 1, self), *to = ints_new(n);
  MPI_Datatype type = ints(n, 1);
  MPI_Request both[2];
  OK(MPI_Irecv(to, 1, type, (self + size - 1) % size, tag, comm, &both[0]));
  OK(MPI_Isend(from, 1, type, (self + 1) % size, tag, comm, &both[1]));
  OK(MPI_Waitall(2, both, MPI_STATUSES_IGNORE));
  if (ints_wrong(to, n, 1, (self + size - 1) % size)) complain("around a communicator that is freed: wrong data");
  OK(MPI_Type_free(&type));
  free(from);
  free(to);
}
static int on_leaving(MPI_Comm comm, int key, void* value, void* extra) {
  struct leaving_* it = value;
  (void)key, (void)extra;
  it->deleted++;
  if (it->talks) around(comm, it->n, 8);
  return MPI_SUCCESS;
}
static void leave(MPI_Comm comm, int n, int disconnects, int talks) {
  struct leaving_ it = {0, talks, n};
  MPI_Comm own;
  int key;
  OK(MPI_Comm_dup(comm, &own));
  OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_leaving, &key, NULL));
  OK(MPI_Comm_set_attr(own, key, &it));
  around(own, n, 7);
  OK(disconnects ? MPI_Comm_disconnect(&own) : MPI_Comm_free(&own));
  if (it.deleted != 1) complain("an attribute is deleted %d times when its communicator is freed", it.deleted);
  OK(MPI_Comm_free_keyval(&key));
}

/* Other memory is mapped at the addresses of memory from MPI_Alloc_mem. */
static void remapped(MPI_Comm comm, int source, int target, int tag, int n) {
  const int sends = rank_in(comm) == source;
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = 2 * (size_t)n * sizeof(int) + (1 << 20);
  MPI_Datatype type = ints(n, 1);
  char* memory = NULL;
  OK(MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &memory));
  char* const inside = memory + (page - (uintptr_t)memory % page);
  for (int times = 0; times < 3; times++) {
    int* const room = (int*)inside;
    if (times == 1 && mmap(inside, (bytes - page) / page * page, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
      complain("mmap over memory of MPI_Alloc_mem");
    if (sends) OK(MPI_Send(ints_filled(room, n, 1, tag + times), 1, type, target, tag, comm));
    if (!sends) OK(MPI_Recv(room, 1, type, source, tag, comm, MPI_STATUS_IGNORE));
    const int wrong = sends ? 0 : ints_wrong(room, n, 1, tag + times);
    if (wrong) complain("memory of MPI_Alloc_mem, mapped over, message %d: %d of %d ints wrong", times, wrong, n);
  }
  OK(MPI_Type_free(&type));
  OK(MPI_Free_mem(memory));
}

/* An error handler that returns is called once for each failed call. */
static __thread int heard;
static void on_error(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  heard++;
}
static void handled(MPI_Comm comm, int n) {
  MPI_Comm own;
  MPI_Errhandler handler;
  MPI_Request request = MPI_REQUEST_NULL;
  int size;
  int* room = ints_new(n);
  MPI_Datatype type = ints(n, 1);
  OK(MPI_Comm_dup(comm, &own));
  OK(MPI_Comm_size(own, &size));
  OK(MPI_Comm_create_errhandler(on_error, &handler));
  OK(MPI_Comm_set_errhandler(own, handler));
  for (int kind = 0; kind < 5; kind++) {
    heard = 0;
    if (kind == 0) MPI_Send(room, 1, type, size + 3, 0, own);
    if (kind == 1) MPI_Isend(room, 1, type, size + 3, 0, own, &request);
    if (kind == 2) MPI_Recv(room, 1, type, size + 3, 0, own, MPI_STATUS_IGNORE);
    if (kind == 3) MPI_Sendrecv(room, 1, type, size + 3, 0, room, 1, type, size + 3, 0, own, MPI_STATUS_IGNORE);
    if (kind == 4) MPI_Ssend(room, -1, type, 0, 0, own);
    if (heard != 1) complain("a wrong argument, kind %d: the error handler hears of it %d times", kind, heard);
  }
  OK(MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN));
  OK(MPI_Errhandler_free(&handler));
  OK(MPI_Type_free(&type));
  OK(MPI_Comm_free(&own));
  free(room);
}

/* A cancelled message never arrives. A message that was not cancelled arrives completely. */
static void cancelled_send(MPI_Comm comm, int source, int target, int tag, int n, int synchronous) {
  const int sends = rank_in(comm) == source;
  int* room = ints_new(n);
  MPI_Datatype type = ints(n, 1);
  MPI_Request request;
  MPI_Status status;
  int gone = 0;
  if (sends) {
    ints_filled(room, n, 1, tag);
    OK((synchronous ? MPI_Issend : MPI_Isend)(room, 1, type, target, tag, comm, &request));
    OK(MPI_Cancel(&request));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Test_cancelled(&status, &gone));
    if (gone) OK(MPI_Send(room, 1, type, target, tag, comm));
  } else {
    OK(MPI_Recv(room, 1, type, source, tag, comm, MPI_STATUS_IGNORE));
    if (ints_wrong(room, n, 1, tag)) complain("a send that was cancelled, or not: wrong data");
  }
  OK(MPI_Type_free(&type));
  free(room);
}

/* With mlockall, only memory that the process uses becomes resident. */
static long resident_kb(void) {
  long all = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &all, &resident) != 2) resident = 0;
  if (file) fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}
static void locked(MPI_Comm comm, int source, int target, int tag, int n) {
  const int sends = rank_in(comm) == source;
  const long before = resident_kb();
  const int can = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
  int* room = ints_new(n);
  MPI_Datatype type = ints(n, 1);
  if (sends) OK(MPI_Send(ints_filled(room, n, 1, tag), 1, type, target, tag, comm));
  if (!sends) OK(MPI_Recv(room, 1, type, source, tag, comm, MPI_STATUS_IGNORE));
  if (!sends && ints_wrong(room, n, 1, tag)) complain("with locked memory: wrong data");
  if (can && resident_kb() - before > 300 << 10) complain("mlockall makes %ld MiB resident", (resident_kb() - before) >> 10);
  if (can) munlockall();
  OK(MPI_Type_free(&type));
  free(room);
}

/* A receive with room for more than 2^31 bytes gets a short message. */
static void roomy(MPI_Comm comm, int source, int target, int tag, int n) {
  const int sends = rank_in(comm) == source;
  const int rows = 2049, row = 1 << 20;
  const MPI_Aint stride = row + 4096;
  int* room = ints_new(n);
  if (sends) {
    OK(MPI_Send(ints_filled(room, n, 0, tag), n, MPI_INT, target, tag, comm));
  } else {
    const size_t bytes = (size_t)rows * (size_t)stride;
    char* wide = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    MPI_Datatype type;
    MPI_Status status;
    int got = -1;
    OK(MPI_Type_create_hvector(rows, row / (int)sizeof(int), stride, MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Recv(wide, 1, type, source, tag, comm, &status));
    OK(MPI_Get_elements(&status, type, &got));
    if (got != n || ints_wrong((int*)wide, n, 0, tag)) complain("room for 2 GiB: %d of %d ints", got, n);
    OK(MPI_Type_free(&type));
    munmap(wide, bytes);
  }
  free(room);
}
/* ---- the program */
