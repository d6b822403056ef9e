// layout/kernel/portable.cpp: the kernels as any processor runs them.
#define HEDDLE_KERNEL for_portable
#define HEDDLE_TABLE portable_table
#include "layout/kernel/all.hpp"
