// report/say.hpp: what Heddle tells the user, on stderr, one line a message. No MPI in this room.
//
//   say("cannot ...: why. What now.");
//   verbose = true;                                                 // HEDDLE_VERBOSE=1
//   say_once_verbose("messages go another way", "no memory");       // "heddle: messages go another way: no memory."
#pragma once

#include <atomic>

namespace heddle::report {

/// "heddle: <message>".
void say(const char* message) noexcept;

/// With HEDDLE_VERBOSE=1.
inline constinit std::atomic<bool> verbose{false};

/// Where `verbose`, once for each reason: "heddle: <message>: <reason>".
void say_once_verbose(const char* message, const char* reason) noexcept;

/// Says why and ends the process: there is no MPI to go on with.
[[noreturn]] void give_up(const char* message) noexcept;

/// After what `heddle doctor` wants to know (HEDDLE_DOCTOR). Neither destructors nor handlers of the program run: they would be
/// the first of its own work.
[[noreturn]] void end_before_the_program() noexcept;

}  // namespace heddle::report
