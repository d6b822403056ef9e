// bench/pack/ddtbench_particles.cpp: DDTBench's index-list patterns: LAMMPS (full and atomic) and
// SPECFEM3D (oc, cm, mt). As in DDTBench, the lists are distinct random places in random order.
// There are similar cases for sizes of messages that DDTBench's parameters do not give.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "pack/catalogue.hpp"

namespace heddle::bench::pack {
namespace {

/// `count` distinct indices below `limit`, shuffled.
std::vector<int> draw(int count, int limit) {
  std::vector<int> all(limit);
  std::iota(all.begin(), all.end(), 0);
  std::mt19937 random{7};
  std::shuffle(all.begin(), all.end(), random);
  all.resize(count);
  return all;
}

std::vector<int> times(std::vector<int> list, int factor) {
  for (int& place : list) place *= factor;
  return list;
}

MPI_Aint address(const std::byte* place) {
  MPI_Aint at;
  MPI_Get_address(place, &at);
  return at;
}

/// LAMMPS: takes the same particles from an array of positions (three doubles) and from `scalars`
/// arrays of doubles.
Case lammps(const char* style, int scalars, int sent, int local) {
  return {.name = fmt::format("LAMMPS_{}_{}", style, sent),
          .family = "index",
          .pattern = Pattern::irregular,
          .build =
              [=](std::byte* arena) {
                const std::vector<int> list = draw(sent, local);
                const Type positions = indexed_block(3, times(list, 3), MPI_DOUBLE);
                const Type values = indexed_block(1, list, MPI_DOUBLE);
                const Bytes room = sizeof(double) * Bytes(local + sent);
                std::vector<Field> fields{{1, address(arena), positions}};
                for (int i = 0; i < scalars; ++i) fields.push_back({1, address(arena + (3 + i) * room), values});
                return structure(fields);
              },
          .absolute = true};
}

/// SPECFEM3D outer core: single floats at listed points.
Case outer_core(int sent, int points) {
  return {
      .name = fmt::format("SPECFEM3D_oc_{}", sent), .family = "index", .pattern = Pattern::irregular, .build = [=](std::byte*) {
        return indexed_block(1, draw(sent, points), MPI_FLOAT);
      }};
}

/// SPECFEM3D crust-mantle with inner core: three floats at listed points of two arrays.
Case crust_mantle(int sent_cm, int sent_ic, int points_cm, int points_ic) {
  return {.name = fmt::format("SPECFEM3D_cm_{}_{}", sent_cm, sent_ic),
          .family = "index",
          .pattern = Pattern::irregular,
          .build =
              [=](std::byte* arena) {
                const Type cm = indexed_block(3, times(draw(sent_cm, points_cm), 3), MPI_FLOAT);
                const Type ic = indexed_block(3, times(draw(sent_ic, points_ic), 3), MPI_FLOAT);
                return structure({{1, address(arena), cm}, {1, address(arena + 12 * Bytes(points_cm)), ic}});
              },
          .absolute = true};
}

/// SPECFEM3D mesher: three of every six floats.
Case mesher(int points) {
  return {.name = fmt::format("SPECFEM3D_mt_{}", points),
          .family = "vector",
          .pattern = Pattern::regular,
          .build = [=](std::byte*) { return vector(points, 1, 2, contiguous(3, MPI_FLOAT)); }};
}

}  // namespace

void add_ddtbench_particles(Catalogue& to) {
  to.push_back(lammps("full", 5, 3062, 3534));
  to.push_back(lammps("full", 5, 2243, 2597));
  to.push_back(lammps("full", 5, 1662, 1907));
  to.push_back(lammps("full", 5, 240, 277));
  to.push_back(lammps("full", 5, 24'000, 27'700));
  to.push_back(lammps("atomic", 3, 243, 4084));
  to.push_back(lammps("atomic", 3, 145, 2157));
  to.push_back(lammps("atomic", 3, 114, 1217));
  to.push_back(lammps("atomic", 3, 2430, 40'840));
  to.push_back(lammps("atomic", 3, 24'300, 408'400));
  to.push_back(outer_core(3225, 88881));
  to.push_back(outer_core(1897, 38585));
  to.push_back(outer_core(877, 12857));
  to.push_back(outer_core(493, 3697));
  to.push_back(outer_core(32'250, 888'810));
  to.push_back(outer_core(322'500, 8'888'100));
  to.push_back(crust_mantle(11797, 3009, 834917, 51153));
  to.push_back(crust_mantle(7125, 1729, 396849, 22477));
  to.push_back(crust_mantle(3801, 801, 152001, 7209));
  to.push_back(crust_mantle(1957, 245, 39929, 1225));
  to.push_back(crust_mantle(117'970, 30'090, 8'349'170, 511'530));
  for (const int points : {7600, 6400, 5600, 6200, 1200, 120'000}) to.push_back(mesher(points));
}

}  // namespace heddle::bench::pack
