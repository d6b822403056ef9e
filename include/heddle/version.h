/* heddle/version.h: the version of these headers. heddle.h and exchange.h include it.
 *
 *   #include <heddle/heddle.h>
 *
 *   #if HEDDLE_VERSION_AT_LEAST(0, 2, 0)
 *   ...
 *   #endif
 *
 * A program may run with the libraries of another version, or without Heddle: ask for a function by
 * its address, as heddle/weak.h does, not by these numbers. */
#ifndef HEDDLE_VERSION_H
#define HEDDLE_VERSION_H

/* CMakeLists.txt compares these with the project's version. */
#define HEDDLE_VERSION "0.1.0"
#define HEDDLE_VERSION_MAJOR 0
#define HEDDLE_VERSION_MINOR 1
#define HEDDLE_VERSION_PATCH 0

#define HEDDLE_VERSION_AT_LEAST(major, minor, patch) \
  (HEDDLE_VERSION_MAJOR > (major) ||                 \
   (HEDDLE_VERSION_MAJOR == (major) &&               \
    (HEDDLE_VERSION_MINOR > (minor) || (HEDDLE_VERSION_MINOR == (minor) && HEDDLE_VERSION_PATCH >= (patch)))))

#endif
