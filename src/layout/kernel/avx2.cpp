// layout/kernel/avx2.cpp: the kernels as compiled for AVX2 (flags in CMakeLists.txt).
#define HEDDLE_KERNEL for_avx2
#define HEDDLE_TABLE avx2_table
#include "layout/kernel/all.hpp"
