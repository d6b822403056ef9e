// types [threads]: short-lived and deeply nested datatypes, as programs make them. 2 ranks. Ends
// with 0 if every element arrived, and if Heddle, when it is on, has decoded each of the contents
// once. Several threads make and free such types at once if `threads` is given.
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <functional>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "support/host.hpp"
#include "support/pmpi_spy.hpp"

namespace {

std::atomic<int> wrong{0};
int rank = 0;
std::atomic<long> decodings{0};
thread_local int tag = 3;  // each thread talks to the same thread of the other rank

void expect(bool right, const std::string& complaint) {
  if (right) return;
  std::printf("wrong: rank %d: %s\n", rank, complaint.c_str());
  ++wrong;
}

using Doubles = std::vector<double>;

Doubles counted(std::size_t n, double first) {
  Doubles all(n);
  std::iota(all.begin(), all.end(), first);
  return all;
}

/// Compares the elements as the host's own MPI_Pack picks them out of the sent data.
void compare(const Doubles& sent, const Doubles& received, MPI_Datatype type, const std::string& what) {
  int bytes = 0, at = 0, there = 0;
  MPI_Type_size(type, &bytes);
  Doubles wanted(static_cast<std::size_t>(bytes) / 8 + 1), got(wanted.size());
  PMPI_Pack(sent.data(), 1, type, wanted.data(), bytes, &at, MPI_COMM_SELF);
  PMPI_Pack(received.data(), 1, type, got.data(), bytes, &there, MPI_COMM_SELF);
  expect(wanted == got, what + ": other elements");
}

void exchange(MPI_Datatype type, std::size_t doubles, const std::string& what) {
  const Doubles mine = counted(doubles, rank * 1e6), theirs = counted(doubles, (1 - rank) * 1e6);
  Doubles in(doubles, -1);
  MPI_Sendrecv(mine.data(), 1, type, 1 - rank, tag, in.data(), 1, type, 1 - rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  compare(theirs, in, type, what);
}

/// One of a few types: a column, a box, a struct of a column and a number. The host gives each type
/// the handle of the last.
MPI_Datatype made(int number) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (number % 3 == 0) MPI_Type_vector(20 + number, 1, 2 + number % 2, MPI_DOUBLE, &type);
  if (number % 3 == 1) {
    const int sizes[] = {8, 9, 10}, box[] = {3, 4, 2}, start[] = {number % 5, 2, 3};
    MPI_Type_create_subarray(3, sizes, box, start, MPI_ORDER_FORTRAN, MPI_DOUBLE, &type);
  }
  if (number % 3 == 2) {
    MPI_Datatype column = MPI_DATATYPE_NULL;
    MPI_Type_vector(7, 2, 3 + number, MPI_DOUBLE, &column);
    const int lengths[] = {1, 2};
    const MPI_Aint places[] = {8, 4000 + 8 * number};
    const MPI_Datatype members[] = {column, MPI_DOUBLE};
    MPI_Type_create_struct(2, lengths, places, members, &type);
    MPI_Type_free(&column);
  }
  MPI_Type_commit(&type);
  return type;
}

constexpr int kinds = 12;

void made_again_and_again(int times) {
  for (int i = 0; i < times * kinds; ++i) {
    const int number = i / kinds % 2 ? i % kinds : kinds - 1 - i % kinds;
    MPI_Datatype type = made(number);
    exchange(type, 2000, "type " + std::to_string(number) + ", made again");
    if (i % 4 == 1) {  // another type of its kind, by the handle of a freed type
      MPI_Datatype copy = MPI_DATATYPE_NULL;
      MPI_Type_dup(type, &copy);
      MPI_Type_free(&type);
      exchange(copy, 2000, "a duplicate of type " + std::to_string(number));
      type = copy;
    }
    MPI_Type_free(&type);
  }
}

void by_several_threads(void (*body)()) {
  std::vector<std::thread> all;
  for (const int own : {20, 21, 22})
    all.emplace_back([own, body] {
      tag = own;
      body();
    });
  for (std::thread& each : all) each.join();
}

void known_types(bool several) {
  made_again_and_again(2);
  const long decoded = decodings;
  made_again_and_again(8);
  if (several) by_several_threads([] { made_again_and_again(4); });
  expect(decodings == decoded, std::to_string(decodings - decoded) + " decodings of types that were known");
}

/// A type of many pieces. All its uses give the same bytes.
void large() {
  constexpr int pieces = 6000;
  std::vector<int> lengths(pieces);
  std::vector<MPI_Aint> places(pieces);
  for (int i = 0; i < pieces; ++i) {
    lengths[static_cast<std::size_t>(i)] = 1 + i % 3;
    places[static_cast<std::size_t>(i)] = 8 * (i * 5 + i % 2 + rank);
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed(pieces, lengths.data(), places.data(), MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  constexpr std::size_t doubles = 5 * pieces + 10;
  const Doubles mine = counted(doubles, 7);
  int bytes = 0;
  MPI_Type_size(type, &bytes);
  std::vector<char> first(static_cast<std::size_t>(bytes)), next(first.size());
  for (int use = 0; use < 4; ++use) {
    int at = 0;
    MPI_Pack(mine.data(), 1, type, use ? next.data() : first.data(), bytes, &at, MPI_COMM_WORLD);
    expect(at == bytes && (use == 0 || first == next), "use " + std::to_string(use) + " of a large type packs other bytes");
  }
  MPI_Type_free(&type);
  for (int use = 0; use < 4; ++use) {
    MPI_Type_create_hindexed(pieces, lengths.data(), places.data(), MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    Doubles in(doubles, -1);
    if (rank == 0) {
      MPI_Send(mine.data(), 1, type, 1, 4, MPI_COMM_WORLD);
    } else {
      MPI_Recv(in.data(), bytes / 8, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      std::size_t k = 0;
      bool right = true;
      for (int i = 0; i < pieces; ++i)
        for (int j = 0; j < 1 + i % 3; ++j) right &= in[k++] == mine[static_cast<std::size_t>(i * 5 + i % 2 + j)];
      expect(right, "message " + std::to_string(use) + " of a large type");
    }
    MPI_Type_free(&type);
  }
}

/// Rows of 4096 bytes and more. The library sends messages larger than 64 MiB, and the receive
/// needs no second buffer.
void long_rows(int rows, bool by_host) {
  constexpr int row = 520, step = 530;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(rows, row, step, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  const std::string what = std::to_string(rows) + " long rows";
  const auto doubles = static_cast<std::size_t>(rows) * step;
  const Doubles sent = counted(doubles, 3);
  for (int way = 0; way < 3; ++way) {
    const long before = heddle::test::pmpi_spy::derived("Send") + heddle::test::pmpi_spy::derived("Isend");
    if (rank == 0) {
      MPI_Request request = MPI_REQUEST_NULL;
      if (way == 2) MPI_Isend(sent.data(), 1, type, 1, 5, MPI_COMM_WORLD, &request);
      if (way == 2) MPI_Wait(&request, MPI_STATUS_IGNORE);
      if (way != 2) MPI_Send(sent.data(), 1, type, 1, 5, MPI_COMM_WORLD);
      const bool host = heddle::test::pmpi_spy::derived("Send") + heddle::test::pmpi_spy::derived("Isend") > before;
      if (heddle::test::expected() == heddle::test::Expected::on && by_host)
        expect(host, what + " are not the library's to send");
      continue;
    }
    Doubles in(doubles, -1);
    MPI_Status status;
    MPI_Request request = MPI_REQUEST_NULL;
    if (way == 0) MPI_Recv(in.data(), 1, type, 0, 5, MPI_COMM_WORLD, &status);
    if (way != 0) MPI_Irecv(in.data(), 1, type, 0, 5, MPI_COMM_WORLD, &request);
    if (way != 0) MPI_Wait(&request, &status);
    int count = 0;
    MPI_Get_count(&status, type, &count);
    expect(count == 1, what + ": count " + std::to_string(count));
    bool right = true;
    for (std::size_t i = 0; i < doubles; ++i) right &= in[i] == (i % step < row ? sent[i] : -1);
    expect(right, what + ", way " + std::to_string(way));
  }
  MPI_Type_free(&type);
}

/// Types to free on the normal stack: Open MPI frees level by level.
std::vector<MPI_Datatype> left;
std::mutex adding;

/// Doubles at every second place, in so many more levels.
void deep(int levels, int kind) {
  MPI_Datatype type = MPI_DATATYPE_NULL, outer = MPI_DATATYPE_NULL;
  MPI_Type_vector(50, 1, 2, MPI_DOUBLE, &type);
  for (int i = 0; i < levels; ++i) {
    const int one = 1, lengths[] = {1, 0};
    const MPI_Aint zero = 0, places[] = {i % 2 ? 8 : -8, 0};
    MPI_Aint lower = 0, extent = 0;
    MPI_Type_get_extent(type, &lower, &extent);
    if (kind == 0) MPI_Type_contiguous(1, type, &outer);
    if (kind == 1) MPI_Type_create_struct(1, &one, &zero, &type, &outer);
    if (kind == 2) MPI_Type_create_resized(type, 0, extent + 8, &outer);
    if (kind == 3) MPI_Type_dup(type, &outer);
    if (kind == 4) MPI_Type_create_hindexed(2, lengths, places, type, &outer);
    MPI_Type_free(&type);
    type = outer;
  }
  MPI_Type_commit(&type);
  {
    const std::lock_guard guard(adding);
    left.push_back(type);
  }
  const std::string what = std::to_string(levels) + " levels of kind " + std::to_string(kind);
  const Doubles mine = counted(300, rank * 1e6), theirs = counted(300, (1 - rank) * 1e6);
  Doubles in(300, -1);
  MPI_Sendrecv(&mine[100], 1, type, 1 - rank, tag, &in[100], 1, type, 1 - rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const std::size_t first = kind == 4 && levels % 2 ? 99 : 100;  // an odd number of levels begins a double earlier
  for (std::size_t i = 0; i < 300; ++i) {
    const bool meant = i >= first && i < first + 99 && (i - first) % 2 == 0;
    if (in[i] != (meant ? theirs[i] : -1)) return expect(false, what + ": element " + std::to_string(i));
  }
}

/// Received on the small stack, on which the host has no room to compare the data.
Doubles arrived;
MPI_Datatype doubled = MPI_DATATYPE_NULL;

/// A type of many levels. Each level repeats the level below twice.
void levels_that_repeat() {
  MPI_Datatype outer = MPI_DATATYPE_NULL;
  MPI_Aint lower = 0, extent = 0;
  MPI_Type_contiguous(1, MPI_DOUBLE, &doubled);
  for (int i = 0; i < 10; ++i) {
    MPI_Type_get_extent(doubled, &lower, &extent);
    MPI_Type_create_hvector(2, 1, 2 * extent + 8 * (i % 2), doubled, &outer);
    MPI_Type_free(&doubled);
    doubled = outer;
  }
  MPI_Type_commit(&doubled);
  MPI_Type_get_extent(doubled, &lower, &extent);
  const Doubles mine = counted(static_cast<std::size_t>(extent) / 8, rank * 1e6);
  arrived.assign(mine.size(), -1);
  MPI_Sendrecv(mine.data(), 1, doubled, 1 - rank, 3, arrived.data(), 1, doubled, 1 - rank, 3, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

void of_any_depth() {
  for (int kind = 0; kind < 5; ++kind)
    for (const int levels : {1, 60, 333, 1000}) deep(levels, kind);
}

void on_small_stack() {
  of_any_depth();
  levels_that_repeat();
}

ucontext_t fibre, back;

void run_on_small_stack() {
  constexpr std::size_t stack_bytes = 64 << 10;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* const memory = static_cast<char*>(
      mmap(nullptr, page + stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0));
  mprotect(memory, page, PROT_NONE);
  getcontext(&fibre);
  fibre.uc_stack.ss_sp = memory + page;
  fibre.uc_stack.ss_size = stack_bytes;
  fibre.uc_link = &back;
  makecontext(&fibre, on_small_stack, 0);
  swapcontext(&back, &fibre);
}

}  // namespace

extern "C" int PMPI_Type_get_true_extent(MPI_Datatype type, MPI_Aint* lower, MPI_Aint* extent) {
  ++decodings;  // Heddle compares its decoded type with the host's type
  static auto* const host =
      reinterpret_cast<decltype(&PMPI_Type_get_true_extent)>(dlsym(RTLD_NEXT, "PMPI_Type_get_true_extent"));
  return host(type, lower, extent);
}

int main(int argc, char** argv) {
  alarm(200);
  int level = 0;
  const bool several = argc > 1;
  MPI_Init_thread(&argc, &argv, several ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  if (several && level != MPI_THREAD_MULTIPLE) return MPI_Finalize(), 77;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  known_types(several);
  large();
  long_rows(1, false);
  long_rows(200, false);
  long_rows(17000, true);
  for (int kind = 0; kind < 5; ++kind) deep(10000, kind);
  if (several) by_several_threads(of_any_depth);
  if (heddle::test::expected() == heddle::test::Expected::on) {  // the hosts alone need more stack
    run_on_small_stack();
    compare(counted(arrived.size(), (1 - rank) * 1e6), arrived, doubled, "ten levels that each repeat the last");
    MPI_Type_free(&doubled);
  }
  for (MPI_Datatype& type : left) MPI_Type_free(&type);
  MPI_Finalize();
  std::printf("%s\n", wrong ? "wrong" : "right");
  return wrong;
}
