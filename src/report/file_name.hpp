// report/file_name.hpp: expands file names that differ from job to job. No MPI in this room.
//
//   file_name("runs/%j-%h.json", {.host = "node7", .process = 4711, .job = job_of(environ), .rank = 0}) "runs/81234-node7.json"
#pragma once

#include <string>
#include <string_view>

namespace heddle::report {

/// The process that writes a file.
struct Writer {
  std::string host;
  long process = 0;
  std::string job;
  int rank = 0;
};

/// `pattern` with %h host, %p process, %j job, %r rank. %% gives a %. Any other % stays.
std::string file_name(std::string_view pattern, const Writer& writer);

/// The batch system's name of the job (Slurm, PBS, LSF, Grid Engine, Flux, OAR, Cobalt); "0"
/// outside of a job. A '/' becomes '_'.
std::string job_of(const char* const* environment);

}  // namespace heddle::report
