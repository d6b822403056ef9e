// bench/seek/seek_host.cpp: the pipelined transpose of `heddle-tool seek`, by the host's datatype
// engine.
//
// MPIX_Type_iov(type, first piece, ...) returns the next pieces. A call searches for the place, and
// looks ahead by 15 blocks. A transport that sends pieces would call it before each segment. Prints
// JSON lines: the rows of heddle-tool with variant "host". The host's cost of packing is the time
// of PMPI_Pack for the whole message.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <nlohmann/json.hpp>
#include <vector>

#include "common/clock.hpp"
#include "common/command_line.hpp"
#include "common/datatype.hpp"
#include "common/host.hpp"

namespace heddle::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr int look_ahead = 15;
constexpr long element = 24;  // three doubles

struct Options {
  std::vector<long> sizes = {64, 128, 256, 512, 1024};
  long segment = 65536;
  int samples = 5;
};

void print(const std::string& name, const char* metric, const std::vector<double>& values, const char* unit) {
  const Spread spread = spread_of(values);
  const Json row = {{"bench", "seek"},           {"case", name},         {"variant", "host"},     {"metric", metric},
                    {"value", spread.median},    {"unit", unit},         {"lower", spread.lower}, {"upper", spread.upper},
                    {"samples", spread.samples}, {"mpi", library_name()}};
  std::cout << row.dump() << std::endl;
}

/// A matrix of n × n elements of three doubles, column after column. The caller frees it.
MPI_Datatype column_major(int n) {
  MPI_Datatype three, column, shifted, matrix;
  MPI_Type_contiguous(3, MPI_DOUBLE, &three);
  MPI_Type_vector(n, 1, n, three, &column);
  MPI_Type_create_resized(column, 0, element, &shifted);
  MPI_Type_contiguous(n, shifted, &matrix);
  MPI_Type_commit(&matrix);
  for (MPI_Datatype* part : {&three, &column, &shifted}) MPI_Type_free(part);
  return matrix;
}

/// Asks for the next pieces from piece `first` on.
MPI_Count look(MPI_Datatype type, MPI_Count first) {
  std::array<MPIX_Iov, look_ahead> pieces;
  MPI_Count found = 0;
  MPIX_Type_iov(type, first, pieces.data(), look_ahead, &found);
  return found;
}

/// Checks the host's answers before they are timed: each piece must have its place in the matrix.
void check(MPI_Datatype type, long n) {
  for (const long first : {0L, n / 2, n * n / 2 + 1, n * n - 1}) {
    MPIX_Iov piece;
    MPI_Count found = 0;
    MPIX_Type_iov(type, first, &piece, 1, &found);
    const long expected = (first / n + first % n * n) * element;
    if (found != 1 || reinterpret_cast<long>(piece.iov_base) != expected || piece.iov_len != element) {
      throw std::runtime_error("MPIX_Type_iov does not find piece " + std::to_string(first));
    }
  }
}

void pipeline(long n, const Options& options) {
  MPI_Datatype type = column_major(static_cast<int>(n));
  check(type, n);
  std::vector<std::byte> memory(static_cast<std::size_t>(n * n * element)), packed(memory.size());
  std::vector<double> search, pack;
  for (int sample = 0; sample <= options.samples; ++sample) {
    for (std::size_t i = 0; i < memory.size(); i += 64) memory[i] ^= std::byte{1};  // live data
    double start = now_ns();
    for (long done = 0; done < n * n * element; done += options.segment) look(type, done / element);
    search.push_back((now_ns() - start) / 1000);
    start = now_ns();
    int position = 0;
    PMPI_Pack(memory.data(), 1, type, packed.data(), static_cast<int>(packed.size()), &position, MPI_COMM_SELF);
    pack.push_back((now_ns() - start) / 1000);
  }
  search.erase(search.begin());  // the first round warms up
  pack.erase(pack.begin());
  const std::string name = "transpose " + std::to_string(n);
  std::vector<double> share;
  for (std::size_t i = 0; i < pack.size(); ++i) share.push_back(search[i] / (search[i] + pack[i]));
  print(name, "search_us", search, "us");
  print(name, "pack_us", pack, "us");
  print(name, "share", share, "1");
  MPI_Type_free(&type);
}

void offsets(long n, const Options& options) {
  MPI_Datatype type = column_major(static_cast<int>(n));
  for (const int percent : {0, 1, 10, 25, 50, 75, 99}) {
    const MPI_Count piece = n * n / 100 * percent;
    std::vector<double> values;
    for (int sample = 0; sample < options.samples; ++sample) {
      constexpr int many = 100;
      const double start = now_ns();
      for (int i = 0; i < many; ++i) look(type, piece + i % 7);
      values.push_back((now_ns() - start) / many);
    }
    print("transpose " + std::to_string(n) + " at " + std::to_string(percent) + " %", "seek_ns", values, "ns");
  }
  MPI_Type_free(&type);
}

}  // namespace
}  // namespace heddle::bench

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): memory, for the options
  using namespace heddle::bench;
  Options options;
  CommandLine line("The host's side of `heddle bench seek`");
  line.option("--sizes", options.sizes, "rows of the matrices").between(8, 8192);
  line.option("--segment", options.segment, "bytes of a segment").between(24, 1 << 30);
  line.option("--samples", options.samples, "repetitions").between(1, 1000);
  if (const auto status = line.parse(argc, argv)) return *status;
  MPI_Init(&argc, &argv);
  int code = 0;
  try {
    for (const long n : options.sizes) pipeline(n, options);
    if (!options.sizes.empty()) offsets(*std::ranges::max_element(options.sizes), options);
  } catch (const std::exception& error) {
    std::cerr << "heddle bench seek: " << error.what() << "\n";
    code = 1;
  }
  MPI_Finalize();
  return code;
}
