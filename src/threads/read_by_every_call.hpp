// threads/read_by_every_call.hpp: variables that most interposed calls read. A program computes
// between its calls, and finds nothing of Heddle in its caches. So these variables lie side by side
// in a section of their own: a call reads few cache lines of them, and one page.
//
//   HEDDLE_READ_BY_EVERY_CALL extern constinit std::atomic<bool> concurrent;      // header
//   HEDDLE_READ_BY_EVERY_CALL constinit std::atomic<bool> concurrent{true};       // one source
//
// They are no inline variables: GCC would define those once for each source that includes them.
#pragma once

#define HEDDLE_READ_BY_EVERY_CALL [[gnu::section("heddle_every_call"), gnu::visibility("hidden")]]
