// bench/pack/structs.cpp: arrays of C structs with padding, and the struct of growing blocks of Wu,
// Wyckoff and Panda 2004, figure 8.
#include <fmt/format.h>

#include "pack/catalogue.hpp"

namespace heddle::bench::pack {
namespace {

Case struct_case(std::string name, int count, std::function<Type(std::byte*)> build) {
  return {
      .name = std::move(name), .family = "struct", .pattern = Pattern::irregular, .build = std::move(build), .count = count};
}

/// Three doubles at 0 and two at 32, in a struct of 64 bytes.
Type position_and_charge(std::byte*) { return resized(structure({{3, 0, MPI_DOUBLE}, {2, 32, MPI_DOUBLE}}), 0, 64); }

/// 44 of the 64 bytes of a particle: an identifier, a position, a velocity of floats, a flag.
Type particle(std::byte*) {
  return resized(structure({{1, 0, MPI_INT}, {3, 8, MPI_DOUBLE}, {3, 32, MPI_FLOAT}, {1, 48, MPI_INT}}), 0, 64);
}

/// A char, an int and a double, aligned as by a compiler: 13 of 16 bytes.
Type aligned_members(std::byte*) { return resized(structure({{1, 0, MPI_CHAR}, {1, 4, MPI_INT}, {1, 8, MPI_DOUBLE}}), 0, 16); }

/// Blocks of 1, 2, 4, … `last` integers, with gaps of one integer between them.
Type growing_blocks(int last) {
  std::vector<Field> fields;
  MPI_Aint at = 0;
  static const Type integer{MPI_INT};
  for (int block = 1; block <= last; block *= 2) {
    fields.push_back({block, at, integer});
    at += (block + 1) * MPI_Aint{sizeof(int)};
  }
  return structure(fields);
}

}  // namespace

void add_structs(Catalogue& to) {
  for (const int count : {100, 10'000, 1'000'000}) {
    to.push_back(struct_case(fmt::format("struct_24_16_of_64_x{}", count), count, position_and_charge));
    to.push_back(struct_case(fmt::format("struct_44_of_64_x{}", count), count, particle));
    to.push_back(struct_case(fmt::format("struct_13_of_16_x{}", count), count, aligned_members));
  }
  for (int last = 2048; last <= 524288; last *= 4)
    to.push_back(
        struct_case(fmt::format("struct_doubling_to_{}_ints", last), 1, [=](std::byte*) { return growing_blocks(last); }));
}

}  // namespace heddle::bench::pack
