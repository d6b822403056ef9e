// heddle-bench-kernel: measures every kernel with every instruction set of this processor, packing
// and unpacking. Bytes are packed bytes.
//
//   heddle-bench-kernel --benchmark_filter='transpose_16' --benchmark_enable_random_interleaving=true --benchmark_repetitions=9
//
// Names are case/direction/instruction set. With random interleaving, a noisy machine disturbs all
// cases alike. Compare the medians.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "layout/kernel/kernels.hpp"

namespace {

using namespace heddle::layout;
using kernel::Dim;

constexpr std::size_t room = std::size_t{512} << 20;

std::byte* memory() {
  static std::byte* const at = [] {
    auto* fresh = static_cast<std::byte*>(std::aligned_alloc(4096, room));
    std::memset(fresh, 1, room);
    return fresh;
  }();
  return at;
}
std::byte* packed() {
  static std::byte* const at = [] {
    auto* fresh = static_cast<std::byte*>(std::aligned_alloc(4096, room / 2));
    std::memset(fresh, 2, room / 2);
    return fresh;
  }();
  return at;
}

void add(const std::string& name, Bytes bytes, const std::function<void()>& run) {
  for (const auto isa : {kernel::Isa::portable, kernel::Isa::avx2, kernel::Isa::avx512}) {
    if (!kernel::use(isa)) continue;
    benchmark::RegisterBenchmark((name + "/" + kernel::name(isa)).c_str(), [=](benchmark::State& state) {
      kernel::use(isa);
      for (auto _ : state) {
        run();
        benchmark::ClobberMemory();
      }
      state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * bytes);
    });
  }
}

/// Adds both directions of a nest. `dims` are those for packing.
void add_nest(const std::string& name, std::vector<Dim> dims, Bytes block) {
  Bytes bytes = block;
  for (const Dim& dim : dims) bytes *= dim.count;
  add(name + "/pack", bytes, [=] { kernel::nest(packed(), memory(), dims, block); });
  for (Dim& dim : dims) std::swap(dim.to, dim.from);
  add(name + "/unpack", bytes, [=] { kernel::nest(memory(), packed(), dims, block); });
}

void vectors() {
  for (const Bytes total : {8 << 10, 128 << 10, 4 << 20})
    for (const Bytes factor : {2, 8})
      for (const Bytes block : {1, 2, 3, 4, 8, 12, 16, 24, 40, 64, 100, 256, 1024})
        add_nest("vector_" + std::to_string(block) + "_of_" + std::to_string(block * factor) + "/" + std::to_string(total),
                 {{total / block, block, block * factor}}, block);
  add_nest("column_24/1024", {{1024, 24, Bytes{24} * 1024}}, 24);
  for (const Bytes block : {96, 192, 512}) add_nest("colliding_" + std::to_string(block), {{128, block, 4096}}, block);
  add_nest("far_8_of_2048", {{1 << 18, 8, 2048}}, 8);
  add_nest("far_40_of_640", {{1 << 18, 40, 640}}, 40);
}

void transposes() {
  for (const Count n : {64, 100, 256, 1000, 1024, 2048})
    for (const Bytes block : {1, 2, 4, 8, 12, 16, 24, 40})
      add_nest("transpose_" + std::to_string(block) + "/" + std::to_string(n), {{n, n * block, block}, {n, block, n * block}},
               block);
}

void faces() {
  const Bytes line = Bytes{128} * 8, plane = line * 128;
  add_nest("face_128_last", {{128, 1024, plane}, {128, 8, line}}, 8);
  add_nest("halo2_128_last", {{126, Bytes{126} * 16, plane}, {126, 16, line}}, 16);
  add_nest("halo3_66_last", {{60, Bytes{60} * 24, Bytes{66} * 66 * 8}, {60, 24, Bytes{66} * 8}}, 24);
  add_nest("lattice24_16_last", {{4096, 24, 384}}, 24);
  add_nest("xyz_to_planes", {{3, 8000, 8}, {1000, 8, 24}}, 8);
}

void lists() {
  for (const Count n : {500, 100000}) {
    std::mt19937 random(1);
    std::vector<std::int32_t> at, places, lengths;
    std::int32_t p = 0, q = 0;
    Bytes bytes = 0;
    for (Count i = 0; i < n; ++i) {
      at.push_back(8 * p);
      p += 1 + static_cast<std::int32_t>(random() % 6);
      lengths.push_back(8 * (1 + static_cast<std::int32_t>(random() % 4)));
      places.push_back(8 * q);
      q += lengths.back() / 8 + static_cast<std::int32_t>(random() % 6);
      bytes += lengths.back();
    }
    for (const char* order : {"sorted", "shuffled"}) {
      const std::string name = std::string("blocks_8_") + order + "/" + std::to_string(n);
      add(name + "/pack", 8 * n, [=] { kernel::gather(packed(), memory(), at.data(), n, 8); });
      add(name + "/unpack", 8 * n, [=] { kernel::scatter(memory(), packed(), at.data(), n, 8); });
      std::shuffle(at.begin(), at.end(), random);
    }
    const std::string name = "pieces_8_to_32/" + std::to_string(n);
    add(name + "/pack", bytes, [=] { kernel::gather_pieces(packed(), memory(), places.data(), lengths.data(), n); });
    add(name + "/unpack", bytes, [=] { kernel::scatter_pieces(memory(), packed(), places.data(), lengths.data(), n); });
  }
}

void records() {
  const auto both = [](const std::string& name, std::vector<kernel::Piece> pieces, Count n, Bytes stride) {
    const kernel::Record record(std::move(pieces));
    add(name + "/pack", record.size() * n, [=] { kernel::gather_records(packed(), memory(), record, n, stride); });
    add(name + "/unpack", record.size() * n, [=] { kernel::scatter_records(memory(), packed(), record, n, stride); });
  };
  for (const Count n : {100, 10000, 1000000}) {
    const std::string count = "/" + std::to_string(n);
    both("record_24_16_of_64" + count, {{0, 0, 24}, {32, 24, 16}}, n, 64);
    both("record_44_odd_of_64" + count, {{0, 0, 4}, {8, 4, 24}, {40, 28, 16}}, n, 64);
    both("record_12_of_16" + count, {{0, 0, 8}, {12, 8, 4}}, n, 16);
    both("record_3_of_4" + count, {{0, 0, 2}, {3, 2, 1}}, n, 4);
    both("record_reversed_of_64" + count, {{48, 0, 8}, {32, 8, 8}, {16, 16, 8}, {0, 24, 8}}, n, 64);
    if (n <= 10000) {
      std::vector<kernel::Piece> box;
      box.reserve(16);
      for (int i = 0; i < 16; ++i) box.push_back({512 * (i / 4) + 64 * (i % 4), 32 * i, 32});
      both("record_box_of_page" + count, box, n, 4096);
    }
    std::vector<kernel::Piece> nested;
    nested.reserve(13);
    for (int i = 0; i < 12; ++i) nested.push_back({20 * i, 12 * i, 12});
    nested.push_back({256, 144, 100});
    both("record_nested_of_400" + count, nested, n, 400);
  }
}

}  // namespace

int main(int argc, char** argv) {
  vectors();
  transposes();
  faces();
  lists();
  records();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
