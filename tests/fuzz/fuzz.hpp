// tests/fuzz/fuzz.hpp: what a fuzz target provides. libFuzzer calls the first two; standalone.cpp does without libFuzzer.
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
