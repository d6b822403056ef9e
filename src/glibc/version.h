// glibc/version.h: binds names to the first version of glibc for this processor, which every later
// glibc still has.
//
//   FIRST_OF(dlopen_first, dlopen)        references to dlopen_first are to dlopen@GLIBC_2.2.5
#pragma once

#if defined(__x86_64__)
#define HEDDLE_FIRST_GLIBC "GLIBC_2.2.5"
#define HEDDLE_GLIBC_OF_DLADDR1 "GLIBC_2.3.3"
#elif defined(__aarch64__)
#define HEDDLE_FIRST_GLIBC "GLIBC_2.17"
#define HEDDLE_GLIBC_OF_DLADDR1 "GLIBC_2.17"
#endif

#define FIRST_OF(ours, theirs) __asm__(".symver " #ours "," #theirs "@" HEDDLE_FIRST_GLIBC)
