// A small fuzzer for compilers without libFuzzer: mutates the seeds, deterministically.
//
//   heddle-fuzz-wire [--runs N] [--seed N] [--seconds N]
//   heddle-fuzz-wire FILE ...                  feeds just these, to look at a failure again
//   heddle-fuzz-wire --write-seeds FOLDER      writes the seeds, a corpus for libFuzzer
//
// The input that ends the process is left in heddle-fuzz-failure (current folder); feed it again to
// look at it.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>

#include "fuzz.hpp"

// A sanitizer ends the process without a signal, but first calls the function that is set here.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*)());

namespace {

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t n) { return n == 0 ? 0 : random() % n; }

/// Makes a few random edits: sets, flips, inserts, drops or doubles bytes, inserts words, or takes
/// another seed's tail.
void mutate(std::string& input, Random& random, const std::vector<std::string>& seeds, const std::vector<std::string>& words) {
  constexpr std::size_t longest = 2048;
  for (std::size_t edits = 1 + below(random, 4); edits > 0; --edits) {
    const std::size_t at = below(random, input.size() + 1);
    const std::size_t length = below(random, std::min<std::size_t>(input.size() - at, 24) + 1);
    switch (random() % 7) {
      case 0:
        if (at < input.size()) input[at] = static_cast<char>(random());
        break;
      case 1:
        if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << random() % 8));
        break;
      case 2:
        input.insert(at, 1, static_cast<char>(random()));
        break;
      case 3:
        input.erase(at, length);
        break;
      case 4:
        input.insert(at, input.substr(at, length));
        break;
      case 5:
        input.insert(at, words[below(random, words.size())]);
        break;
      default: {
        const std::string& other = seeds[below(random, seeds.size())];
        input.resize(at);
        input += other.substr(below(random, other.size() + 1));
        break;
      }
    }
    if (input.size() > longest) input.resize(longest);
  }
}

std::string current;  // the input that runs now, for save()

/// Called on the way out of a crash.
void save() {
  std::ofstream("heddle-fuzz-failure", std::ios::binary | std::ios::trunc) << current;
  std::cerr << "the input is in heddle-fuzz-failure\n";
}

void save_and_die(int signal) {
  save();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void feed(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t runs = 100000, seed = 1;
  double seconds = 0;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    const bool more = i + 1 < argc;
    if (more && std::strcmp(argv[i], "--runs") == 0) {
      runs = std::strtoull(argv[++i], nullptr, 10);
    } else if (more && std::strcmp(argv[i], "--seed") == 0) {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (more && std::strcmp(argv[i], "--seconds") == 0) {
      seconds = std::strtod(argv[++i], nullptr);
    } else if (more && std::strcmp(argv[i], "--write-seeds") == 0) {
      const std::string folder = argv[++i];
      std::size_t n = 0;
      for (const std::string& input : fuzz_seeds())
        std::ofstream(folder + "/seed" + std::to_string(n++), std::ios::binary) << input;
      return 0;
    } else if (argv[i][0] == '-') {
      std::cerr << "usage: " << argv[0] << " [--runs N] [--seed N] [--seconds N] [--write-seeds FOLDER] [FILE ...]\n";
      return 2;
    } else {
      files.emplace_back(argv[i]);
    }
  }
  for (const std::string& file : files) {
    std::ifstream in(file, std::ios::binary);
    feed({std::istreambuf_iterator<char>(in), {}});
  }
  if (!files.empty()) return 0;

  if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(save);
  std::signal(SIGABRT, save_and_die);
  const std::vector<std::string> seeds = fuzz_seeds(), words = fuzz_words();
  for (const std::string& input : seeds) feed(input);

  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  std::string slowest;
  double longest_ms = 0;
  Random random(seed);
  std::string input;
  std::uint64_t run = 0;
  for (; seconds > 0 || run < runs; ++run) {
    // Most inputs grow out of the one before, so that some wander far.
    if (input.empty() || random() % 4 == 0) input = seeds[below(random, seeds.size())];
    mutate(input, random, seeds, words);
    current = input;
    const auto before = Clock::now();
    feed(input);
    const auto after = Clock::now();
    const double ms = std::chrono::duration<double, std::milli>(after - before).count();
    if (ms > longest_ms) {
      longest_ms = ms;
      slowest = input;
    }
    if (seconds > 0 && std::chrono::duration<double>(after - start).count() > seconds) break;
  }
  std::cout << run << " runs from seed " << seed << ", slowest " << longest_ms << " ms:";
  for (const char c : slowest.substr(0, 400)) {
    std::cout << (c >= 0x20 && c < 0x7f ? c : '.');
  }
  std::cout << "\n";
  return 0;
}
