#!/bin/sh
# lasting.sh NM OBJECT...: fails if an object file registers a destructor for the end of the process
# or of a thread. A program may call MPI in a destructor of its own, which runs after those of a
# preloaded library (src/layout/immortal.hpp).
nm=$1
shift
test $# -gt 0 || exit 2
undefined=$("$nm" -A -u "$@") || exit 2
if echo "$undefined" | grep -E ' (__cxa_atexit|__cxa_thread_atexit|atexit)$'; then
  echo "These are destroyed while the program still runs: make them layout::Immortal (src/layout/immortal.hpp)."
  exit 1
fi
echo "$# objects, nothing is ever destroyed"
