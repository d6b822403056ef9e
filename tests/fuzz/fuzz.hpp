// tests/fuzz/fuzz.hpp: the functions of a fuzz target. libFuzzer calls only the first;
// standalone.cpp calls all three.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// Feeds one input. Returns 0; anything wrong ends the process (abort, sanitizer).
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

/// Good inputs to start from.
std::vector<std::string> fuzz_seeds();

/// Words that a mutation may insert.
std::vector<std::string> fuzz_words();
