/* ---- Each function makes calls that MPI forbids, or few tests make. All libraries support
 * them. */
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

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

/* Calls with a wrong argument in one half. `nobody` is no rank. */
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5) /* they have MPI_Isendrecv */
enum { MISTAKES = 10 };
#else
enum { MISTAKES = 6 };
#endif
static int mistaken(int kind, int* from, int* to, MPI_Datatype type, MPI_Datatype loose, int target, int source, int nobody,
                    int tag, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status* const no = MPI_STATUS_IGNORE;
  switch (kind) {
    case 0:
      return MPI_Sendrecv(from, 1, type, target, tag, to, -1, type, source, tag, comm, no);
    case 1:
      return MPI_Sendrecv(from, 1, type, target, tag, to, 1, type, nobody, tag, comm, no);
    case 2:
      return MPI_Sendrecv(from, 1, type, target, tag, to, 1, type, source, -5, comm, no);
    case 3:
      return MPI_Sendrecv(from, 1, type, nobody, tag, to, 1, type, source, tag, comm, no);
    case 4:
      return MPI_Sendrecv_replace(from, 1, type, target, tag, nobody, tag, comm, no);
    case 5:
      return MPI_Sendrecv(from, 1, type, target, tag, to, 1, loose, source, tag, comm, no);
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
    case 6:
      return MPI_Isendrecv(from, 1, type, target, tag, to, 1, type, nobody, tag, comm, &request);
    case 7:
      return MPI_Isendrecv(from, 1, type, nobody, tag, to, 1, type, source, tag, comm, &request);
    case 8:
      return MPI_Isendrecv(from, 1, type, target, tag, to, 1, loose, source, tag, comm, &request);
    case 9:
      return MPI_Isendrecv_replace(from, 1, type, target, tag, nobody, tag, comm, &request);
#endif
  }
  return MPI_SUCCESS;
}

/* Such a call fails, and leaves no pending message and no pending receive. The right half names the
 * rank itself, or its neighbours. */
static void wrong_half(MPI_Comm comm, int tag, int n) {
  const int self = rank_in(comm);
  int size;
  OK(MPI_Comm_size(comm, &size));
  int *from = ints_filled(ints_new(n), n, 1, -n), *to = ints_new(n);
  MPI_Datatype type = ints(n, 1), loose;
  OK(MPI_Type_vector(n, 1, 2, MPI_INT, &loose));
  for (int kind = 0; kind < MISTAKES; kind++)
    for (int far = 0; far < (size > 1 ? 2 : 1); far++) {
      const int target = (self + far) % size, source = (self + size - far) % size;
      int flag = 0, sent = 5, count = 0;
      MPI_Request request;
      MPI_Status status;
      if (mistaken(kind, from, to, type, loose, target, source, size + 7, tag, comm) == MPI_SUCCESS)
        complain("a call with a wrong argument, kind %d, succeeds", kind);
      for (int turns = 0; turns < 20 && !flag && !far; tired(&turns)) OK(MPI_Iprobe(self, tag, comm, &flag, MPI_STATUS_IGNORE));
      if (flag) complain("a call with a wrong argument, kind %d, has sent a message", kind);
      /* The next message must arrive, and no other before it. */
      OK(MPI_Isend(&sent, 1, MPI_INT, target, tag, comm, &request));
      OK(MPI_Recv(to, 2 * n + 1, MPI_INT, source, tag, comm, &status));
      OK(MPI_Get_count(&status, MPI_INT, &count));
      if (count != 1 || to[0] != 5)
        complain("after a wrong argument, kind %d, rank %d away: %d ints, the first is %d", kind, far, count, to[0]);
      if (count != 1 || to[0] != 5) OK(MPI_Recv(to, 2 * n + 1, MPI_INT, source, tag, comm, &status));
      OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
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
static void from_first(MPI_Comm comm, int n) {
  const int root = rank_in(comm) == 0;
  int* room = ints_new(n);
  MPI_Datatype type = ints(n, !root);
  if (root) ints_filled(room, n, 0, 3);
  OK(MPI_Bcast(room, 1, type, 0, comm));
  if (ints_wrong(room, n, !root, 3)) complain("MPI_Bcast on a communicator that is freed: wrong data");
  OK(MPI_Type_free(&type));
  free(room);
}
static void from_all(MPI_Comm comm, int n) {
  const int self = rank_in(comm);
  int size;
  OK(MPI_Comm_size(comm, &size));
  int *from = ints_new(n * size), *to = ints_new(n * size), *counts = ints_new(size), *at = ints_new(size);
  MPI_Datatype type = ints(n, 1);
  for (int i = 0; i < size; i++) counts[i] = 1, at[i] = i, ints_filled(from + i * (2 * n - 1), n, 1, 100 * self + i);
  OK(MPI_Alltoallv(from, counts, at, type, to, counts, at, type, comm));
  for (int i = 0; i < size; i++)
    if (ints_wrong(to + i * (2 * n - 1), n, 1, 100 * i + self))
      complain("MPI_Alltoallv on a communicator that is freed: wrong data of rank %d", i);
  OK(MPI_Type_free(&type));
  free(from);
  free(to);
  free(counts);
  free(at);
}
static int on_leaving(MPI_Comm comm, int key, void* value, void* extra) {
  struct leaving_* it = value;
  (void)key, (void)extra;
  it->deleted++;
  if (it->talks == 1) around(comm, it->n, 8);
  if (it->talks == 2) from_first(comm, it->n);
  if (it->talks == 3) from_all(comm, it->n);
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

/* A child writes into its copy of the memory. pthread_atfork's handlers do not see it. */
static void child_writes(int raw, void* at, size_t bytes) {
  int status = -1;
#if __GLIBC_PREREQ(2, 34)
  const pid_t child = raw ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : _Fork();
#else
  const pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#endif
  if (child == 0) {
    memset(at, 0x77, bytes);
    syscall(SYS_exit_group, 0);
  }
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) complain("a child ends with status %d", status);
}

/* The memory is of MPI_Alloc_mem. Other memory is mapped at its addresses, or a child writes
 * there. */
enum event { MAPPED, MOVED, MOVED_PAGE, CHILD, RAW_CHILD };
static void other_memory(enum event event, char* at, size_t bytes) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), moved = event == MOVED ? bytes : page;
  const int access = PROT_READ | PROT_WRITE, fresh = MAP_PRIVATE | MAP_ANONYMOUS;
  if (event == MAPPED) {
    if (mmap(at, bytes, access, fresh | MAP_FIXED, -1, 0) != at) complain("mmap over memory of MPI_Alloc_mem");
  } else {
    char* const to = event == MOVED ? at : at + bytes / page / 2 * page;
    char* const more = mmap(NULL, moved, access, fresh, -1, 0);
    if (more == MAP_FAILED || mremap(more, moved, moved, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to)
      complain("mremap over memory of MPI_Alloc_mem");
  }
}
static void remapped(MPI_Comm comm, int source, int target, int tag, int n, int event) {
  const int sends = rank_in(comm) == source, child = event >= CHILD;
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = 2 * (size_t)n * sizeof(int) + (1 << 20);
  const size_t pages = (bytes - page) / page * page;
  MPI_Datatype type = ints(n, 1);
  MPI_Request request;
  char* memory = NULL;
  OK(MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &memory));
  char* const inside = memory + (page - (uintptr_t)memory % page);
  int* const room = (int*)inside;
  for (int times = 0; times < 3; times++) {
    if (times == 1 && !child) other_memory(event, inside, pages);
    if (sends) ints_filled(room, n, 1, tag + times);
    if (child) child_writes(event == RAW_CHILD, inside, pages);
    if (sends) OK(MPI_Isend(room, 1, type, target, tag, comm, &request));
    if (!sends) OK(MPI_Irecv(room, 1, type, source, tag, comm, &request));
    if (child) child_writes(event == RAW_CHILD, inside, pages);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (child) child_writes(event == RAW_CHILD, inside, pages);
    const int wrong = ints_wrong(room, n, 1, tag + times);
    if (wrong) complain("memory of MPI_Alloc_mem, event %d, message %d: %d of %d ints wrong", event, times, wrong, n);
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
/* One receive of MPI_Waitall is too short. MPICH 5.0.2 calls the handler of MPI_COMM_SELF then, and
 * other libraries call that of the communicator. */
static void truncated(MPI_Comm comm, int n, MPI_Errhandler handler) {
  const int self = rank_in(comm);
  int size, class = MPI_SUCCESS;
  OK(MPI_Comm_size(comm, &size));
  const int right = (self + 1) % size, left = (self + size - 1) % size;
  int *from = ints_filled(ints_new(2 * n), 2 * n, 1, self), *to = ints_new(n), *whole = ints_new(2 * n);
  MPI_Datatype type = ints(n, 1), longer = ints(2 * n, 1);
  MPI_Request all[4];
  MPI_Status seen[4];
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  heard = 0;
  MPI_Irecv(to, 1, type, left, 1, comm, &all[0]);
  MPI_Irecv(whole, 1, longer, left, 2, comm, &all[1]);
  MPI_Isend(from, 1, longer, right, 1, comm, &all[2]);
  MPI_Isend(from, 1, longer, right, 2, comm, &all[3]);
  MPI_Waitall(4, all, seen);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  if (heard != 1) complain("a truncation in MPI_Waitall: the error handler hears of it %d times", heard);
  OK(MPI_Error_class(seen[0].MPI_ERROR, &class));
  if (class != MPI_ERR_TRUNCATE) complain("a truncation in MPI_Waitall: error class %d in its status", class);
  for (int i = 0; i < 4; i++)
    if (all[i] != MPI_REQUEST_NULL) OK(MPI_Wait(&all[i], MPI_STATUS_IGNORE));
  if (ints_wrong(whole, 2 * n, 1, left)) complain("MPI_Waitall with a truncation: wrong data of another receive");
  OK(MPI_Type_free(&type));
  OK(MPI_Type_free(&longer));
  free(from);
  free(to);
  free(whole);
}
static void handled(MPI_Comm comm, int n, int truncates) {
  MPI_Comm own;
  MPI_Errhandler handler;
  MPI_Request request = MPI_REQUEST_NULL;
  int size;
  int* room = ints_new(n);
  MPI_Datatype type = ints(n, 1);
  OK(MPI_Comm_dup(comm, &own));
  OK(MPI_Comm_size(own, &size));
  int *negative = ints_new(size), *ones = ints_new(size), *at = ints_new(size);
  MPI_Datatype* types = malloc((size_t)size * sizeof *types);
  for (int i = 0; i < size; i++) negative[i] = -1, ones[i] = 1, types[i] = type;
  OK(MPI_Comm_create_errhandler(on_error, &handler));
  OK(MPI_Comm_set_errhandler(own, handler));
  for (int kind = 0; kind < 9; kind++) {
    heard = 0;
    if (kind == 0) MPI_Send(room, 1, type, size + 3, 0, own);
    if (kind == 1) MPI_Isend(room, 1, type, size + 3, 0, own, &request);
    if (kind == 2) MPI_Recv(room, 1, type, size + 3, 0, own, MPI_STATUS_IGNORE);
    if (kind == 3) MPI_Sendrecv(room, 1, type, size + 3, 0, room, 1, type, size + 3, 0, own, MPI_STATUS_IGNORE);
    if (kind == 4) MPI_Ssend(room, -1, type, 0, 0, own);
    if (kind == 5) MPI_Alltoallv(room, negative, at, type, room, negative, at, type, own);
    if (kind == 6) MPI_Alltoallw(room, negative, at, types, room, ones, at, types, own);
    if (kind == 7) MPI_Allgatherv(room, -1, type, room, ones, at, type, own);
    if (kind == 8) MPI_Bcast(room, 1, type, size + 3, own);
    if (heard != 1) complain("a wrong argument, kind %d: the error handler hears of it %d times", kind, heard);
  }
  if (truncates) truncated(own, n, handler);
  OK(MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN));
  OK(MPI_Errhandler_free(&handler));
  OK(MPI_Type_free(&type));
  OK(MPI_Comm_free(&own));
  free(negative);
  free(ones);
  free(at);
  free(types);
  free(room);
}

static int under_heddle(void) {
  const char* preloaded = getenv("LD_PRELOAD");
  return preloaded && strstr(preloaded, "heddle");
}

/* A cancelled message never arrives. A message that was not cancelled arrives completely. */
typedef int (*starting)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
static void cancelled_send(MPI_Comm comm, int source, int target, int tag, int n, int mode, int late) {
  const starting modes[] = {MPI_Isend,     MPI_Issend,     MPI_Ibsend,     MPI_Irsend,
                            MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init, MPI_Rsend_init};
  const int sends = rank_in(comm) == source, persistent = mode >= 4, ready = mode % 4 == 3;
  int* room = ints_new(n);
  MPI_Datatype type = ints(n, 1);
  MPI_Request request;
  MPI_Status status;
#ifdef OPEN_MPI
  const int cancels = 1;
#else
  const int cancels = mode != 6 || under_heddle(); /* MPICH 5.0.2 alone crashes if MPI_Bsend_init is cancelled */
#endif
  for (int times = 0; times < 1 + persistent; times++) { /* a persistent request starts again, and is not cancelled */
    if (sends) {
      int gone = 0;
      ints_filled(room, n, 1, tag + times);
      if (ready) OK(MPI_Recv(NULL, 0, MPI_INT, target, tag + 100, comm, MPI_STATUS_IGNORE));
      if (times == 0) OK(modes[mode](room, 1, type, target, tag, comm, &request));
      if (persistent) OK(MPI_Start(&request));
      if (times == 0 && cancels) OK(MPI_Cancel(&request));
      if (late) OK(MPI_Send(NULL, 0, MPI_INT, target, tag + 200, comm));
      OK(MPI_Wait(&request, &status));
      OK(MPI_Test_cancelled(&status, &gone));
      if (gone) OK(MPI_Send(room, 1, type, target, tag, comm));
      if (gone && times) complain("a persistent send, mode %d, stays cancelled", mode);
    } else {
      if (ready) OK(MPI_Irecv(room, 1, type, source, tag, comm, &request));
      if (ready) OK(MPI_Send(NULL, 0, MPI_INT, source, tag + 100, comm));
      if (late) OK(MPI_Recv(NULL, 0, MPI_INT, source, tag + 200, comm, MPI_STATUS_IGNORE)); /* behind MPI_Cancel */
      if (ready) OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
      if (!ready) OK(MPI_Recv(room, 1, type, source, tag, comm, MPI_STATUS_IGNORE));
      if (ints_wrong(room, n, 1, tag + times)) complain("a send, mode %d, that was cancelled, or not: wrong data", mode);
      memset(room, 0, (2 * (size_t)n + 1) * sizeof *room);
    }
  }
  if (sends && persistent) OK(MPI_Request_free(&request));
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

/* A receive with room for more bytes than an int can count gets a short message. */
static void roomy(MPI_Comm comm, int source, int target, int tag, int n, int rows, int holes, int call) {
  const int sends = rank_in(comm) == source, row = 1 << 20;
  const MPI_Aint stride = row + 4096;
  int* room = ints_new(n);
  MPI_Datatype type;
  if (sends) {
    const int bytes = (int)sizeof(int);
    OK(MPI_Type_vector(n, bytes, bytes << holes, MPI_BYTE, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Send(ints_filled(room, n, holes, tag), 1, type, target, tag, comm));
  } else {
    const size_t bytes = (size_t)rows * (size_t)stride;
    char* wide = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (wide == MAP_FAILED) complain("no address space for %zu bytes", bytes);
    MPI_Status status;
    MPI_Request request;
    MPI_Message message;
    int got = -1;
    OK(MPI_Type_create_hvector(rows, row, stride, MPI_BYTE, &type));
    OK(MPI_Type_commit(&type));
    if (call == 0) OK(MPI_Recv(wide, 1, type, source, tag, comm, &status));
    if (call == 1) OK(MPI_Irecv(wide, 1, type, source, tag, comm, &request));
    if (call == 2) OK(MPI_Recv_init(wide, 1, type, source, tag, comm, &request));
    if (call == 2) OK(MPI_Start(&request));
    if (call == 1 || call == 2) OK(MPI_Wait(&request, &status));
    if (call == 2) OK(MPI_Request_free(&request));
    if (call == 3) OK(MPI_Sendrecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, wide, 1, type, source, tag, comm, &status));
    if (call == 4) OK(MPI_Mprobe(source, tag, comm, &message, MPI_STATUS_IGNORE));
    if (call == 4) OK(MPI_Mrecv(wide, 1, type, &message, &status));
    OK(MPI_Get_elements(&status, type, &got));
    if (got != n * (int)sizeof(int) || ints_wrong((int*)wide, n, 0, tag))
      complain("room for %zu bytes, call %d: %d bytes of %d ints", bytes, call, got, n);
    munmap(wide, bytes);
  }
  OK(MPI_Type_free(&type));
  free(room);
}
/* ---- the program */
