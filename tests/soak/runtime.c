/* The beginning of every program of the soak: buffers that check themselves, and completions.
 *
 * The data of a message are its packed stream: byte `at` of message `id` is byte_of(id, at). All
 * other bytes of a buffer are canaries. check() finds the message by its type, and wipes it. Then
 * there must be only canaries. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int me, ranks, complaints, finished;
static volatile int at_scenario;
static __thread volatile int at_step; /* step of this thread; signal handlers use that of the last thread */
static volatile int last_step;

#define AT(number) (at_step = last_step = (number))

static void complain(const char* text, ...) {
  va_list rest;
  char line[512];
  if (__sync_add_and_fetch(&complaints, 1) > 20) return;
  va_start(rest, text);
  vsnprintf(line, sizeof line, text, rest);
  va_end(rest);
  fprintf(stderr, "WRONG [rank %d] scenario %d step %d: %s\n", me, at_scenario, at_step, line);
}

static void say_where(const char* what) { /* from signal handlers, too */
  char line[160];
  int n = snprintf(line, sizeof line, "%s [rank %d] scenario %d step %d\n", what, me, at_scenario, last_step);
  if (write(2, line, (size_t)n) < 0) return;
}
static void on_signal(int number) {
  say_where(number == SIGALRM ? "HANGS" : "CRASHED");
  if (number == SIGALRM) return; /* the sender only wants this report */
  signal(number, SIG_DFL);
  raise(number);
}
static void on_exit_early(void) {
  if (!finished) say_where("ENDED");
}

/* Every call returns its error (MPI_ERRORS_RETURN). */
static int ok_(int error, const char* call) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (error == MPI_SUCCESS) return error;
  MPI_Error_string(error, text, &length);
  complain("%s: %.300s", call, text);
  fflush(NULL);
  _exit(3); /* MPI_Abort of Open MPI sometimes never returns */
}
#define OK(call) ok_((call), #call)

/* Takes a function from the host's library, and so bypasses preloaded libraries. */
static void* of_host(const char* name) {
#ifdef OPEN_MPI
  static const char library[] = "libmpi.so.40";
#else
  static const char library[] = "libmpi.so.12";
#endif
  void *handle = dlopen(library, RTLD_NOW | RTLD_NOLOAD), *found = handle ? dlsym(handle, name) : NULL;
  if (!found) complain("dlsym of %s: %s", name, dlerror());
  return found;
}
#define HOSTS(name) ((__typeof__(&name))of_host(#name))

#pragma GCC push_options
#pragma GCC optimize("O2") /* the rest is compiled without optimization, in a third of the time */
#define CANARY 0xC5
#define GUARD 256

static unsigned char byte_of(unsigned id, size_t at) {
  uint32_t x = id * 2654435761u ^ (uint32_t)at * 2246822519u;
  x ^= x >> 15;
  x *= 2654435761u;
  return (unsigned char)(x >> 24);
}

enum work { FILL, CHECK, STORE, COLLECT }; /* the last two: files.c */
struct walk {
  enum work work;
  unsigned id;
  size_t pos, end;        /* place in the packed stream; its length */
  size_t wrong, wrong_at; /* number of wrong bytes; the first of them */
  int wrong_byte;
  unsigned char* stream; /* the data, if they are not byte_of() */
  size_t from;           /* in a file: the place in the stream where the data begin */
  char* zero;            /* in a file: byte 0 */
};

static void in_file(struct walk* w, char* at, size_t bytes) {
  for (size_t i = 0; i < bytes && w->pos < w->end; i++, w->pos++) {
    if (w->pos < w->from) continue;
    if (w->work == STORE) {
      at[i] = (char)byte_of(w->id, (size_t)(at + i - w->zero));
    } else {
      w->stream[w->pos - w->from] = (unsigned char)at[i];
    }
  }
}

/* The next `bytes` of the stream lie at `at`. */
static void run(struct walk* w, char* at, size_t bytes) {
  if (w->work >= STORE) {
    in_file(w, at, bytes);
    return;
  }
  for (size_t i = 0; i < bytes; i++, w->pos++) {
    unsigned char wanted;
    if (w->pos >= w->end) return; /* the message is shorter than its place */
    wanted = w->stream ? w->stream[w->pos] : byte_of(w->id, w->pos);
    if (w->work == FILL) {
      at[i] = (char)wanted;
    } else {
      if ((unsigned char)at[i] != wanted && w->wrong++ == 0) {
        w->wrong_at = w->pos;
        w->wrong_byte = (unsigned char)at[i];
      }
      at[i] = (char)CANARY;
    }
  }
}
typedef void (*walker)(struct walk*, char*);

/* A message in a buffer: `count` elements, `extent` apart, from `at` on. The first `bytes` of the
 * stream are sent. */
struct part {
  walker walk;
  int count;
  long extent, at;
  unsigned id;
  long bytes;
};
struct area {
  long low, high; /* range of bytes that its types may reach, relative to the base */
  int by_mpi;     /* memory from MPI_Alloc_mem */
  char *memory, *base;
};

static char* blank(struct area* a) {
  const size_t room = (size_t)(a->high - a->low) + 2 * GUARD;
  if (a->memory) return a->base;
  if (a->by_mpi) {
    OK(MPI_Alloc_mem((MPI_Aint)room, MPI_INFO_NULL, &a->memory));
  } else {
    a->memory = malloc(room);
  }
  memset(a->memory, CANARY, room);
  a->base = a->memory + GUARD - a->low;
  return a->base;
}
static void each(struct area* a, const struct part* p, int parts, int round, enum work work, const char* what) {
  for (int i = 0; i < parts; i++) {
    struct walk w = {work, p[i].id + (unsigned)round, 0, (size_t)p[i].bytes, 0, 0, 0};
    for (int n = 0; n < p[i].count; n++) p[i].walk(&w, a->base + p[i].at + n * p[i].extent);
    if (w.wrong)
      complain("%s, part %d: %zu of %zu bytes wrong, the first is byte %zu: %02x instead of %02x (%02x: untouched)", what, i,
               w.wrong, w.end, w.wrong_at, (unsigned)w.wrong_byte, (unsigned)byte_of(w.id, w.wrong_at), CANARY);
  }
}
static char* fill(struct area* a, const struct part* p, int parts, int round) {
  blank(a);
  each(a, p, parts, round, FILL, "");
  return a->base;
}
static void drop(struct area* a) {
  if (!a->memory) return;
  if (a->by_mpi) {
    OK(MPI_Free_mem(a->memory));
  } else {
    free(a->memory);
  }
  a->memory = a->base = NULL;
}
/* Checks messages and holes. */
static void check(struct area* a, const struct part* p, int parts, int round, const char* what) {
  const long room = a->high - a->low + 2 * GUARD;
  each(a, p, parts, round, CHECK, what);
  for (long i = 0; i < room; i++)
    if ((unsigned char)a->memory[i] != CANARY) {
      complain("%s: byte %ld (from the buffer's address) has been written, %02x, in %ld ... %ld", what,
               i - (a->base - a->memory), (unsigned char)a->memory[i], a->low, a->high);
      break;
    }
}
/* Checks the holes after a truncated message. First wipes its data, which are undefined. */
static void check_holes(struct area* a, const struct part* p, int parts, const char* what) {
  each(a, p, parts, 0, FILL, what);
  check(a, p, parts, 0, what);
}

#pragma GCC pop_options

/* ---- completions and statuses */
enum how { WAIT, WAITALL, WAITANY, WAITSOME, TEST, TESTALL, TESTANY, TESTSOME, LOOKS };
#define UNTOUCHED 424242

static void expect_untouched(const MPI_Status* s, const char* call) {
  if (s->MPI_ERROR != UNTOUCHED) complain("%s has written MPI_ERROR: %d", call, s->MPI_ERROR);
}
static void tired(int* turns) {
  if (++*turns % 64 == 0) sched_yield();
}
/* Completes requests q[of[0]], q[of[1]] ..., `n` of them, with their statuses in s[of[0]] ... */
static void complete(enum how how, int profiled, int n, const int* of, MPI_Request* q, MPI_Status* s) {
  MPI_Request* r = malloc((size_t)n * sizeof *r);
  MPI_Status* t = malloc((size_t)n * sizeof *t);
  int* which = malloc((size_t)n * sizeof *which);
  int done = 0, turns = 0;
  for (int i = 0; i < n; i++) r[i] = q[of[i]], memset(&t[i], 0, sizeof *t), t[i].MPI_ERROR = UNTOUCHED;
#define BY(name, ...) OK(profiled ? PMPI_##name(__VA_ARGS__) : MPI_##name(__VA_ARGS__))
  switch (how) {
    case WAITALL:
      BY(Waitall, n, r, t);
      break;
    case TESTALL:
      for (int flag = 0; !flag; tired(&turns)) BY(Testall, n, r, &flag, t);
      break;
    case WAITANY:
    case TESTANY:
      for (MPI_Status one; done < n; tired(&turns)) {
        int index = MPI_UNDEFINED, flag = 1;
        one.MPI_ERROR = UNTOUCHED;
        if (how == WAITANY) {
          BY(Waitany, n, r, &index, &one);
        } else {
          BY(Testany, n, r, &index, &flag, &one);
        }
        if (!flag) continue;
        if (index < 0 || index >= n) {
          complain("Waitany or Testany: index %d of %d, %d were completed", index, n, done);
          break;
        }
        expect_untouched(&one, "Waitany or Testany");
        t[index] = one;
        done++;
      }
      break;
    case WAITSOME:
    case TESTSOME: {
      MPI_Status* some = malloc((size_t)n * sizeof *some);
      for (; done < n; tired(&turns)) {
        int count = 0;
        if (how == WAITSOME) {
          BY(Waitsome, n, r, &count, which, some);
        } else {
          BY(Testsome, n, r, &count, which, some);
        }
        if (count == MPI_UNDEFINED || (how == WAITSOME && count < 1)) {
          complain("Waitsome or Testsome: outcount %d of %d, %d were completed", count, n, done);
          break;
        }
        for (int i = 0; i < count; i++) t[which[i]] = some[i];
        done += count;
      }
      free(some);
      break;
    }
    default:
      for (int i = 0; i < n; i++) {
        int flag = 0;
        if (how == LOOKS) { /* MPI_Request_get_status until it is complete, then MPI_Wait */
          MPI_Status seen;
          memset(&seen, 0, sizeof seen);
          while (!flag) BY(Request_get_status, r[i], &flag, &seen), tired(&turns);
        }
        flag = 0;
        if (how != TEST) {
          BY(Wait, &r[i], &t[i]);
        } else {
          for (; !flag; tired(&turns)) BY(Test, &r[i], &flag, &t[i]);
        }
        expect_untouched(&t[i], "Wait or Test");
      }
  }
#undef BY
  for (int i = 0; i < n; i++) {
    q[of[i]] = r[i];
    s[of[i]] = t[i];
  }
  free(r);
  free(t);
  free(which);
}
static void gone(MPI_Request request, const char* what) {
  if (request != MPI_REQUEST_NULL) complain("%s: completed, and not MPI_REQUEST_NULL", what);
}
/* Checks the status of a receive: `elements` of `basic`. Negative: the number is not checked. */
static void expect(const MPI_Status* s, int source, int tag, long bytes, MPI_Datatype basic, int elements, const char* what) {
  int got = -1, cancelled = 1;
  if (s->MPI_SOURCE != source || s->MPI_TAG != tag)
    complain("%s: status says source %d tag %d, not source %d tag %d", what, s->MPI_SOURCE, s->MPI_TAG, source, tag);
  OK(MPI_Test_cancelled(s, &cancelled));
  if (cancelled) complain("%s: status says cancelled", what);
  if (elements >= 0) {
    OK(MPI_Get_count(s, basic, &got));
    if (got != elements) complain("%s: MPI_Get_count says %d instead of %d", what, got, elements);
    OK(MPI_Get_elements(s, basic, &got));
    if (got != elements) complain("%s: MPI_Get_elements says %d instead of %d", what, got, elements);
  }
  OK(MPI_Get_count(s, MPI_BYTE, &got));
  if (got != bytes) complain("%s: MPI_Get_count says %d instead of %ld bytes", what, got, bytes);
}
static void expect_type(const MPI_Status* s, MPI_Datatype type, int count, int elements, const char* what) {
  int got = -1;
  OK(MPI_Get_count(s, type, &got));
  if (got != count) complain("%s: MPI_Get_count by its type says %d instead of %d", what, got, count);
  OK(MPI_Get_elements(s, type, &got));
  if (got != elements) complain("%s: MPI_Get_elements by its type says %d instead of %d", what, got, elements);
}
static void expect_bounds(MPI_Datatype type, long low, long extent, long size, const char* what) {
  MPI_Aint l = 0, e = 0;
  int bytes = 0;
  OK(MPI_Type_get_extent(type, &l, &e));
  OK(MPI_Type_size(type, &bytes));
  if (l != low || e != extent || bytes != size)
    complain("%s: lower bound %ld extent %ld size %d, not %ld %ld %ld", what, (long)l, (long)e, bytes, low, extent, size);
}

static void expect_error(int error, int wanted, const char* what) {
  int class = MPI_SUCCESS;
  OK(MPI_Error_class(error, &class));
  if (class != wanted) complain("%s: error class %d instead of %d", what, class, wanted);
}
/* Receives with wildcards: find which of the sent messages a receive got. */
struct sender {
  int rank, tag;
  unsigned id;
  long bytes;
};
static void check_any(struct area* a, const struct part* p, int round, const MPI_Status* s, const struct sender* sent, int n,
                      int* taken) {
  for (int i = 0; i < n; i++) {
    struct part got = *p;
    if (taken[i] || sent[i].rank != s->MPI_SOURCE) continue;
    taken[i] = 1;
    got.id = sent[i].id, got.bytes = sent[i].bytes;
    expect(s, sent[i].rank, sent[i].tag, sent[i].bytes, MPI_BYTE, (int)sent[i].bytes, "received from anywhere");
    check(a, &got, 1, round, "received from anywhere");
    return;
  }
  complain("received from rank %d, which has sent no more", s->MPI_SOURCE);
}

/* ---- windows */
enum kind { BY_CREATE, BY_ALLOCATE, BY_ALLOCATE_SHARED };
/* Makes a window of the memory of an area, guards included. */
static void expose(struct area* a, enum kind kind, int unit, MPI_Comm comm, MPI_Win* window) {
  const MPI_Aint room = a->high - a->low + 2 * GUARD;
  if (kind == BY_CREATE) {
    blank(a);
    OK(MPI_Win_create(a->memory, room, unit, MPI_INFO_NULL, comm, window));
    return;
  }
  if (kind == BY_ALLOCATE) {
    OK(MPI_Win_allocate(room, unit, MPI_INFO_NULL, comm, &a->memory, window));
  } else {
    OK(MPI_Win_allocate_shared(room, unit, MPI_INFO_NULL, comm, &a->memory, window));
  }
  a->base = a->memory + GUARD - a->low;
  memset(a->memory, CANARY, (size_t)room);
}
/* The memory of a window that is freed. */
static void forget(struct area* a) { a->memory = a->base = NULL; }
static void post_and_start(MPI_Win window) {
  MPI_Group all;
  OK(MPI_Win_get_group(window, &all));
  OK(MPI_Win_post(all, 0, window));
  OK(MPI_Win_start(all, 0, window));
  OK(MPI_Group_free(&all));
}

/* ---- a receive in a delete callback */
struct deleted {
  char* base;
  int count, source, tag;
  MPI_Datatype type;
  MPI_Comm comm;
  MPI_Status status;
};
static int on_delete(MPI_Comm comm, int key, void* value, void* extra) {
  struct deleted* d = value;
  (void)comm, (void)key, (void)extra;
  OK(MPI_Recv(d->base, d->count, d->type, d->source, d->tag, d->comm, &d->status));
  return MPI_SUCCESS;
}
static void receive_while_deleting(struct deleted* d, int source, int tag, MPI_Comm comm) {
  MPI_Comm victim;
  int key;
  d->source = source, d->tag = tag, d->comm = comm;
  OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &key, NULL));
  OK(MPI_Comm_dup(MPI_COMM_SELF, &victim));
  OK(MPI_Comm_set_attr(victim, key, d));
  OK(MPI_Comm_free(&victim));
  OK(MPI_Comm_free_keyval(&key));
}

/* `to` waits until `from` has come here. */
static void signal_to(int rank, int from, int to, MPI_Comm comm) {
  if (rank == from) OK(MPI_Send(NULL, 0, MPI_BYTE, to, 0, comm));
  if (rank == to) OK(MPI_Recv(NULL, 0, MPI_BYTE, from, 0, comm, MPI_STATUS_IGNORE));
}

#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40200000
/* MPICH spins while it waits. With more ranks than cores, ranks wait for each other's time slices.
 * Heddle gives way by itself. */
static int leaving;
static int give_way(MPIX_Async_thing thing) {
  (void)thing;
  return leaving ? MPIX_ASYNC_DONE : (sched_yield(), MPIX_ASYNC_NOPROGRESS);
}
#endif
static void* bsend_room;
static void begin(int wanted_ranks, int threads) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGALRM};
  int provided = 0;
  setenv("HEDDLE_WINDOWS", "on", 0); /* Heddle carries accesses of little data, too */
  if (threads) {
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
  } else {
    MPI_Init(NULL, NULL);
  }
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], on_signal);
  atexit(on_exit_early);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40200000
  const char* preloaded = getenv("LD_PRELOAD");
  if (!preloaded || !strstr(preloaded, "heddle")) MPIX_Async_start(give_way, NULL, MPIX_STREAM_NULL);
#endif
  if (ranks != wanted_ranks || (threads && provided != MPI_THREAD_MULTIPLE)) {
    fprintf(stderr, "needs %d ranks and threads\n", wanted_ranks);
    _exit(4);
  }
  bsend_room = malloc(64 << 20);
  OK(MPI_Buffer_attach(bsend_room, 64 << 20));
}
static int end(void) {
  int worst = 0, room = 0;
  OK(MPI_Buffer_detach(&bsend_room, &room));
  free(bsend_room);
  OK(MPI_Allreduce(&complaints, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40200000
  leaving = 1;
#endif
  at_scenario = -1;
  MPI_Finalize();
  finished = 1;
  if (me == 0 && !worst) printf("SOAKED\n");
  return worst > 0;
}
