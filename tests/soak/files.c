/* ---- files
 * Each rank has an image of the part of a file that the program writes. Byte `o` of the file, last
 * written by a step with `id`, is byte_of(id, o). */
struct shared_file {
  const char* place; /* a folder; empty: that for temporary files */
  int number;
  long low, high; /* the bytes of the file in the image */
  int deletes_itself;
  const char* hints[12];
  char* image;
  MPI_File handle;
  char name[300];
};
/* A part of what a rank sees: `bytes` of its stream from byte `from` on, through a view that begins
 * at byte `at` of the file. A filetype has `period` bytes. */
struct place {
  walker walk;
  long extent, period, at, from, bytes;
};

static void through(struct shared_file* f, const struct place* p, enum work work, unsigned id, unsigned char* stream) {
  const long first = p->from / p->period;
  struct walk w = {work, id, (size_t)(first * p->period), (size_t)(p->from + p->bytes), 0, 0, 0};
  w.from = (size_t)p->from, w.stream = stream, w.zero = f->image - f->low;
  for (long i = first; p->bytes > 0 && w.pos < w.end; i++) p->walk(&w, w.zero + p->at + i * p->extent);
}
/* All ranks' writes of a step come into the image. */
static void store(struct shared_file* f, const struct place* p, int n, unsigned id) {
  for (int i = 0; i < n; i++) through(f, &p[i], STORE, id, NULL);
}
/* Fills or checks memory, `p`, with the bytes at a place of the file. */
static void in_memory(struct shared_file* f, struct area* a, const struct part* p, const struct place* at, enum work work,
                      const char* what) {
  unsigned char* stream = malloc((size_t)at->bytes + 1);
  struct walk w = {work, 0, 0, (size_t)at->bytes, 0, 0, 0};
  through(f, at, COLLECT, 0, stream);
  w.stream = stream;
  for (int n = 0; n < p->count; n++) p->walk(&w, a->base + p->at + n * p->extent);
  if (w.wrong)
    complain("%s: %zu of %zu bytes wrong, the first is byte %zu: %02x instead of %02x (%02x: untouched)", what, w.wrong, w.end,
             w.wrong_at, (unsigned)w.wrong_byte, (unsigned)stream[w.wrong_at], CANARY);
  free(stream);
}
static void hand_over(struct shared_file* f, struct area* a, const struct part* p, const struct place* at) {
  blank(a);
  in_memory(f, a, p, at, FILL, "");
}
static void take_back(struct shared_file* f, struct area* a, const struct part* p, const struct place* at, const char* what) {
  in_memory(f, a, p, at, CHECK, what);
  check(a, p, 0, 0, what);
}

/* The name is the same on all ranks, and of this program alone. The soak removes such files. */
static void open_file(struct shared_file* f, MPI_Comm comm) {
  const char *temporary = getenv("TMPDIR"), *base;
  int mode = MPI_MODE_CREATE | MPI_MODE_RDWR, process = getpid();
  MPI_Info info = MPI_INFO_NULL;
  if (!temporary || !*temporary) temporary = "/tmp";
  base = strrchr(temporary, '/');
  OK(MPI_Bcast(&process, 1, MPI_INT, 0, comm));
  snprintf(f->name, sizeof f->name, "%s/%s-%d-%d", *f->place ? f->place : temporary, base ? base + 1 : temporary, process,
           f->number);
  if (f->hints[0]) OK(MPI_Info_create(&info));
  for (int i = 0; f->hints[i]; i += 2) OK(MPI_Info_set(info, f->hints[i], f->hints[i + 1]));
  if (f->deletes_itself) mode |= MPI_MODE_DELETE_ON_CLOSE;
  OK(MPI_File_open(comm, f->name, mode, info, &f->handle));
  if (info != MPI_INFO_NULL) OK(MPI_Info_free(&info));
  f->image = calloc((size_t)(f->high - f->low) + 1, 1);
}
/* Rank 0 reads the file as the system has it, and deletes it. */
static void look_and_delete(struct shared_file* f) {
  const long room = f->high - f->low;
  char* seen = malloc((size_t)room + 1);
  FILE* file = fopen(f->name, "rb");
  if (!file || fseek(file, f->low, SEEK_SET) || fread(seen, 1, (size_t)room, file) != (size_t)room) {
    complain("file %d cannot be read after it was closed", f->number);
  } else {
    if (fgetc(file) != EOF) complain("file %d is longer than %ld bytes", f->number, f->high);
    for (long i = 0; i < room; i++)
      if (seen[i] != f->image[i]) {
        complain("file %d, closed: byte %ld is %02x instead of %02x", f->number, f->low + i, (unsigned char)seen[i],
                 (unsigned char)f->image[i]);
        break;
      }
  }
  if (file) fclose(file);
  free(seen);
  OK(MPI_File_delete(f->name, MPI_INFO_NULL));
  if (access(f->name, F_OK) == 0) complain("file %d is still there after MPI_File_delete", f->number);
}
static void close_file(struct shared_file* f, MPI_Comm comm) {
  int rank = 0;
  OK(MPI_Comm_rank(comm, &rank));
  OK(MPI_File_close(&f->handle));
  if (f->handle != MPI_FILE_NULL) complain("file %d: MPI_File_close leaves a handle", f->number);
  OK(MPI_Barrier(comm));
  if (rank == 0 && !f->deletes_itself) look_and_delete(f);
  free(f->image);
}
static void expect_moved(const MPI_Status* s, long bytes, MPI_Datatype basic, int elements, const char* what) {
  int got = -1;
  OK(MPI_Get_count(s, MPI_BYTE, &got));
  if (got != bytes) complain("%s: MPI_Get_count says %d instead of %ld bytes", what, got, bytes);
  if (elements < 0) return;
  OK(MPI_Get_elements(s, basic, &got));
  if (got != elements) complain("%s: MPI_Get_elements says %d instead of %d", what, got, elements);
}
static void expect_pointer(struct shared_file* f, long wanted, const char* what) {
  MPI_Offset at = -1;
  OK(MPI_File_get_position(f->handle, &at));
  if (at != wanted) complain("%s: the pointer is at %ld instead of %ld", what, (long)at, wanted);
}
