// report/say.hpp: messages to the user on stderr, one line each. No MPI in this room.
//
//   say("cannot ...: why. What now.");
//   verbose = true;                                                 // HEDDLE_VERBOSE=1
//   say_once_verbose("messages go another way", "no memory");       // "heddle: messages go another way: no memory."
#pragma once

#include <atomic>

namespace heddle::report {

/// "heddle: <message>".
void say(const char* message) noexcept;

/// True with HEDDLE_VERBOSE=1.
inline constinit std::atomic<bool> verbose{false};

/// If `verbose`, says once for each reason: "heddle: <message>: <reason>".
void say_once_verbose(const char* message, const char* reason) noexcept;

/// Says the message and ends the process, for want of an MPI library.
[[noreturn]] void give_up(const char* message) noexcept;

/// Ends the process after the output for `heddle doctor` (HEDDLE_DOCTOR). No destructors or
/// handlers of the program run, because the program's own work has not begun.
[[noreturn]] void end_before_the_program() noexcept;

}  // namespace heddle::report
