// layout/kernel/avx512.cpp: the kernels as compiled for AVX-512 with byte permutes (flags in
// CMakeLists.txt).
#define HEDDLE_KERNEL for_avx512
#define HEDDLE_TABLE avx512_table
#include "layout/kernel/all.hpp"
