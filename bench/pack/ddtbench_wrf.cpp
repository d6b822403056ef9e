// bench/pack/ddtbench_wrf.cpp: DDTBench's WRF halos: a struct of faces of four 2-D, three 3-D and
// two 4-D float arrays at separate addresses. Types are built from vectors ("vec") and from
// subarrays ("sa").
#include <fmt/format.h>

#include "pack/catalogue.hpp"

namespace heddle::bench::pack {
namespace {

/// Extents of the arrays and of the halo in them, x fastest, then z (k), then y (j).
struct Halo {
  const char* label;
  int nx, nz, ny;  // memory extents
  int x, z, y;     // first index of the halo
  int dx, dz, dy;  // its extents
};

// From DDTBench's em_b_wave runs. Offsets and extents stand for its ranges of memory (ims:ime,
// kms:kme, jms:jme) and halo (is:ie, ks:ke, js:je). Its messages have 40 to 190 KB, so there are
// also a smaller and a larger patch.
constexpr Halo y_halos[] = {{"2x2", 32, 65, 52, 5, 0, 7, 23, 65, 3},    {"3x3", 27, 65, 41, 4, 0, 7, 19, 65, 3},
                            {"4x4", 24, 65, 34, 4, 0, 7, 16, 65, 3},    {"5x5", 22, 65, 30, 4, 0, 7, 14, 65, 3},
                            {"8x8", 19, 65, 24, 4, 0, 7, 11, 65, 3},    {"small", 14, 65, 18, 4, 0, 7, 6, 65, 3},
                            {"large", 288, 65, 52, 5, 0, 7, 280, 65, 3}};
constexpr Halo x_halos[] = {{"2x2", 32, 65, 52, 22, 0, 4, 3, 65, 44},
                            {"4x4", 24, 65, 34, 14, 0, 4, 3, 65, 26},
                            {"8x8", 19, 65, 24, 9, 0, 4, 3, 65, 16},
                            {"small", 14, 65, 14, 4, 0, 4, 3, 65, 6},
                            {"large", 32, 65, 288, 22, 0, 4, 3, 65, 280}};

constexpr int arrays_2d = 4, arrays_3d = 3, arrays_4d = 2, scalars = 2, first_scalar = 1;

/// Gives each array its place in the arena, at the beginning of a cache line.
class Places {
 public:
  explicit Places(std::byte* arena) : next_{arena} {}
  std::byte* take(Bytes floats) {
    std::byte* place = next_;
    next_ += (floats * sizeof(float) + 63) / 64 * 64;
    return place;
  }

 private:
  std::byte* next_;
};

MPI_Aint address(const std::byte* place, Bytes floats = 0) {
  MPI_Aint at;
  MPI_Get_address(place + floats * sizeof(float), &at);
  return at;
}

Type from_vectors(const Halo& h, std::byte* arena) {
  const Bytes plane = Bytes(h.nx) * h.nz, cube = plane * h.ny;
  const Type face_2d = vector(h.dy, h.dx, h.nx, MPI_FLOAT);
  const Type face_3d = hvector(h.dy, 1, MPI_Aint(plane * sizeof(float)), vector(h.dz, h.dx, h.nx, MPI_FLOAT));
  const Type face_4d = hvector(scalars - first_scalar, 1, MPI_Aint(cube * sizeof(float)), face_3d);
  const Bytes corner = Bytes(h.x) + Bytes(h.nx) * h.z + plane * h.y;
  Places places{arena};
  std::vector<Field> fields;
  fields.reserve(arrays_2d + arrays_3d + arrays_4d);
  for (int i = 0; i < arrays_2d; ++i)
    fields.push_back({1, address(places.take(Bytes(h.nx) * h.ny), Bytes(h.x) + Bytes(h.nx) * h.y), face_2d});
  for (int i = 0; i < arrays_3d; ++i) fields.push_back({1, address(places.take(cube), corner), face_3d});
  for (int i = 0; i < arrays_4d; ++i)
    fields.push_back({1, address(places.take(cube * scalars), first_scalar * cube + corner), face_4d});
  return structure(fields);
}

Type from_subarrays(const Halo& h, std::byte* arena) {
  const Bytes cube = Bytes(h.nx) * h.nz * h.ny;
  const Type face_2d = box({h.ny, h.nx}, {h.dy, h.dx}, {h.y, h.x}, MPI_FLOAT);
  const Type face_3d = box({h.ny, h.nz, h.nx}, {h.dy, h.dz, h.dx}, {h.y, h.z, h.x}, MPI_FLOAT);
  const Type face_4d =
      box({scalars, h.ny, h.nz, h.nx}, {scalars - first_scalar, h.dy, h.dz, h.dx}, {first_scalar, h.y, h.z, h.x}, MPI_FLOAT);
  Places places{arena};
  std::vector<Field> fields;
  fields.reserve(arrays_2d + arrays_3d + arrays_4d);
  for (int i = 0; i < arrays_2d; ++i) fields.push_back({1, address(places.take(Bytes(h.nx) * h.ny)), face_2d});
  for (int i = 0; i < arrays_3d; ++i) fields.push_back({1, address(places.take(cube)), face_3d});
  for (int i = 0; i < arrays_4d; ++i) fields.push_back({1, address(places.take(cube * scalars)), face_4d});
  return structure(fields);
}

void add(Catalogue& to, char direction, const Halo& halo) {
  const auto wrf = [&](const char* form, Type (*build)(const Halo&, std::byte*)) {
    to.push_back({.name = fmt::format("WRF_{}_{}_{}", direction, form, halo.label),
                  .family = "struct",
                  .pattern = Pattern::irregular,
                  .build = [=](std::byte* arena) { return build(halo, arena); },
                  .absolute = true});
  };
  wrf("vec", from_vectors);
  wrf("sa", from_subarrays);
}

}  // namespace

void add_ddtbench_wrf(Catalogue& to) {
  for (const Halo& halo : y_halos) add(to, 'y', halo);
  for (const Halo& halo : x_halos) add(to, 'x', halo);
}

}  // namespace heddle::bench::pack
