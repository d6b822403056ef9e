// Shapes, and a watchdog over every test: a rank that is stuck prints its place, and ends the job.
#include "traps/large.hpp"

#include <execinfo.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace heddle::test {
namespace {

constexpr int untouched = 0x7e57da7a;

int value(std::uint32_t message, std::size_t k) {
  return static_cast<int>((message * 2654435761U) ^ (static_cast<std::uint32_t>(k) * 2246822519U + 1));
}

/// Lengths and starts of irregular blocks for n ints.
void scatter_blocks(std::size_t n, std::vector<int>& lengths, std::vector<int>& starts) {
  std::uint32_t state = 12345;
  const auto next = [&state] { return static_cast<int>((state = state * 1664525U + 1013904223U) >> 24) % 7 + 1; };
  for (int at = 0, left = static_cast<int>(n); left > 0;) {
    const int length = std::min(next(), left);
    lengths.push_back(length);
    starts.push_back(at);
    at += length + next();
    left -= length;
  }
}

extern "C" void stuck(int /*signal*/) {
  constexpr char what[] = "watchdog: this rank is stuck:\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, what, sizeof what - 1);
  void* frames[14];
  backtrace_symbols_fd(frames, backtrace(frames, 14), STDERR_FILENO);
  _exit(99);
}

class Watchdog : public testing::EmptyTestEventListener {
 public:
  void OnTestStart(const testing::TestInfo&) override {
    void* frame = nullptr;
    backtrace(&frame, 1);  // loads its library now, not in the handler
    std::signal(SIGALRM, stuck);
    const char* seconds = std::getenv("TEST_SECONDS");
    alarm(seconds ? static_cast<unsigned>(std::atoi(seconds)) : 250);
  }
  void OnTestEnd(const testing::TestInfo&) override { alarm(0); }
};
[[maybe_unused]] const bool watched = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new Watchdog);
  return true;
}();

}  // namespace

Large::Large(Shape shape, std::size_t bytes) {
  const std::size_t n = (bytes + 767) / 768 * 192;
  const int many = static_cast<int>(n);
  places_.resize(n);
  const auto place = [this](auto where) {
    for (std::size_t k = 0; k < places_.size(); ++k) places_[k] = static_cast<std::uint32_t>(where(k));
  };
  switch (shape) {
    case Shape::contiguous:
      type_ = MPI_INT;
      count_ = many;
      place([](std::size_t k) { return k; });
      break;
    case Shape::rows:
      MPI_Type_vector(many / 16, 16, 32, MPI_INT, &type_);
      place([](std::size_t k) { return k / 16 * 32 + k % 16; });
      break;
    case Shape::pairs:
      MPI_Type_vector(many / 2, 2, 5, MPI_INT, &type_);
      place([](std::size_t k) { return k / 2 * 5 + k % 2; });
      break;
    case Shape::columns: {
      MPI_Datatype column = MPI_DATATYPE_NULL;
      MPI_Type_vector(many / 64, 1, 64, MPI_INT, &column);
      MPI_Type_create_resized(column, 0, sizeof(int), &type_);
      MPI_Type_free(&column);
      count_ = 64;
      for (std::size_t k = 0, at = 0; at < 64; ++at)
        for (std::size_t row = 0; row < n / 64; ++row) places_[k++] = static_cast<std::uint32_t>(row * 64 + at);
      break;
    }
    case Shape::scattered: {
      std::vector<int> lengths, starts;
      scatter_blocks(n, lengths, starts);
      MPI_Type_indexed(static_cast<int>(lengths.size()), lengths.data(), starts.data(), MPI_INT, &type_);
      std::size_t k = 0;
      for (std::size_t block = 0; block < lengths.size(); ++block)
        for (int i = 0; i < lengths[block]; ++i) places_[k++] = static_cast<std::uint32_t>(starts[block] + i);
      break;
    }
    case Shape::structs: {
      const int lengths[2] = {1, 5};
      const MPI_Aint starts[2] = {0, 16};
      const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
      MPI_Datatype members = MPI_DATATYPE_NULL;
      MPI_Type_create_struct(2, lengths, starts, types, &members);
      MPI_Type_create_resized(members, 0, 48, &type_);
      MPI_Type_free(&members);
      count_ = many / 6;
      place([](std::size_t k) { return k / 6 * 12 + (k % 6 == 0 ? 0 : 3 + k % 6); });
      break;
    }
  }
  if (type_ != MPI_INT) MPI_Type_commit(&type_);
  memory_.assign(*std::ranges::max_element(places_) + 1 + 2 * guard, untouched);
}

Large::~Large() {
  if (type_ != MPI_INT) MPI_Type_free(&type_);
}

void Large::clear() { std::ranges::fill(memory_, untouched); }

void Large::fill(std::uint32_t message) {
  int* const at = base();
  for (std::size_t k = 0; k < places_.size(); ++k) at[places_[k]] = value(message, k);
}

std::string Large::wrong(std::uint32_t message, std::size_t ints) const {
  std::vector<int> expected(memory_.size(), untouched);
  for (std::size_t k = 0; k < ints; ++k) expected[guard + places_[k]] = value(message, k);
  if (std::memcmp(memory_.data(), expected.data(), memory_.size() * sizeof(int)) == 0) return {};
  const auto [is, should] = std::ranges::mismatch(memory_, expected);
  const auto at = is - memory_.begin();
  const auto found = std::ranges::find(places_, static_cast<std::uint32_t>(at - static_cast<long>(guard)));
  std::size_t others = 0;
  for (std::size_t i = 0; i < memory_.size(); ++i) others += memory_[i] != expected[i];
  const std::string which = found == places_.end() ? "a gap" : "element " + std::to_string(found - places_.begin());
  const std::string how = *is == untouched ? "was never written" : *should == untouched ? "was touched" : "has another value";
  return "message " + std::to_string(message) + ": " + which + " of " + std::to_string(ints) + " " + how + " (and " +
         std::to_string(others - 1) + " more)";
}

}  // namespace heddle::test
