// Particles as structs: each rank holds the particles of its slab of a periodic box, and passes on
// particles that leave.
//
//   mpicc -O2 particles.c -o particles -lm && mpiexec -n 2 ./particles [PARTICLES [STEPS]]      PARTICLES of a rank at first
//
// The type names the fields that are sent: 61 of 88 bytes, right out of the array of structs and
// into it. The force is not sent, because the receiver computes it anew. Neither is the padding.
#include <math.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  double position[3], velocity[3];
  double force[3];
  double mass;
  int id;
  char species;
} Particle;

static MPI_Datatype particle_type(void) {
  const int lengths[] = {3, 3, 1, 1, 1};
  const MPI_Aint places[] = {offsetof(Particle, position), offsetof(Particle, velocity), offsetof(Particle, mass),
                             offsetof(Particle, id), offsetof(Particle, species)};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_DOUBLE, MPI_DOUBLE, MPI_INT, MPI_CHAR};
  MPI_Datatype fields, particle;
  MPI_Type_create_struct(5, lengths, places, types, &fields);
  MPI_Type_create_resized(fields, 0, sizeof(Particle), &particle);  // one after another in an array
  MPI_Type_commit(&particle);
  MPI_Type_free(&fields);
  return particle;
}

// Particle `id` after so many steps. In a step it moves by up to half a slab, to the left or right,
// depending on its id.
static Particle particle(int id, int steps, int ranks) {
  const double speed = fmod(id * 0.7548776662466927, 1) - 0.5;
  Particle p = {.velocity = {speed / ranks, 0, 0}, .mass = 1 + id % 7, .id = id, .species = (char)('a' + id % 26)};
  p.position[0] = fmod(fmod(id * 0.6180339887498949, 1) + steps * p.velocity[0], 1);
  if (p.position[0] < 0) p.position[0] += 1;
  p.position[1] = id, p.position[2] = -id;
  return p;
}

static int slab(const Particle* p, int ranks) { return (int)(p->position[0] * ranks) % ranks; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = argc > 1 ? atoi(argv[1]) : 100000, steps = argc > 2 ? atoi(argv[2]) : 100;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks, room = 3 * n + 1000;
  MPI_Datatype type = particle_type();
  Particle* p = malloc(sizeof *p * room);

  int count = 0;
  for (int id = 0; id < n * ranks; ++id) {
    p[count] = particle(id, 0, ranks);
    count += slab(&p[count], ranks) == rank;
  }

  double seconds = 0;
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < count; ++i) {
      p[i].position[0] += p[i].velocity[0];
      p[i].position[0] -= floor(p[i].position[0]);
    }
    for (int way = 0; way < 2 && ranks > 1; ++way) {  // 0: to the left, 1: to the right
      int stay = 0;                                   // particles that leave this way are swapped behind the others
      for (int i = 0, last = count; i < last; stay = i)
        if (slab(&p[i], ranks) != rank && (p[i].velocity[0] > 0) == way) {
          const Particle leaves = p[i];
          p[i] = p[--last];
          p[last] = leaves;
        } else
          ++i;
      MPI_Status status;
      int came;
      const double begin = MPI_Wtime();
      MPI_Sendrecv(p + stay, count - stay, type, way ? right : left, way, p + count, room - count, type, way ? left : right,
                   way, MPI_COMM_WORLD, &status);
      seconds += MPI_Wtime() - begin;
      MPI_Get_count(&status, type, &came);
      memmove(p + stay, p + count, came * sizeof *p);
      count = stay + came;
    }
  }

  // Each particle must be in its place, and otherwise unchanged.
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    const Particle expected = particle(p[i].id, steps, ranks);
    const double off = fabs(p[i].position[0] - expected.position[0]);
    wrong |= slab(&p[i], ranks) != rank || fmin(off, 1 - off) > 1e-9 || p[i].position[1] != expected.position[1] ||
             p[i].position[2] != expected.position[2] || memcmp(p[i].velocity, expected.velocity, sizeof p->velocity) ||
             p[i].mass != expected.mass || p[i].species != expected.species;
  }
  long long mine = count, total;
  double slowest;
  MPI_Allreduce(&mine, &total, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  wrong |= total != (long long)n * ranks;
  if (rank == 0)
    printf("particles: %d ranks, %d particles each, %d steps: %s, %.3f seconds\n", ranks, n, steps, wrong ? "wrong" : "right",
           slowest);
  MPI_Type_free(&type);
  MPI_Finalize();
  return wrong;
}
