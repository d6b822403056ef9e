// mpi/process/say.cpp: messages are few; each is written in one piece, so that the lines of several ranks do not mix.
#include "mpi/process/say.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "layout/lasting.hpp"
#include "mpi/process/host.hpp"
#include "mpi/process/process.hpp"

namespace heddle::mpi {

void say(const char* message) noexcept {
  try {
    const std::string line = std::string("heddle: ") + message + "\n";
    std::fputs(line.c_str(), stderr);
  } catch (const std::exception&) {
    std::fputs(message, stderr);
  }
}

void say_once_verbose(const char* message, const char* reason) noexcept {
  if (!verbose()) return;
  try {
    static constinit std::mutex lock;
    static layout::Lasting<std::set<std::string>> said;
    const std::lock_guard guard(lock);
    const std::string text = std::string(message) + ": " + reason + ".";
    if ((*said).insert(text).second) say(text.c_str());
  } catch (const std::exception&) {
    // Out of memory: a missing remark is the least of the program's problems.
  }
}

void end_job(const char* message) noexcept {
  say(message);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // MPICH's launcher drops what it has not passed on by then
  PMPI_Abort(MPI_COMM_WORLD, 1);
}

void give_up(const char* message) noexcept {
  say(message);
  std::fflush(nullptr);
  std::_Exit(EXIT_FAILURE);
}

void end_before_the_program() noexcept {
  std::fflush(nullptr);
  std::_Exit(EXIT_SUCCESS);
}

}  // namespace heddle::mpi
