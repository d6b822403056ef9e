// report/file_name.hpp: names of files that differ from job to job. No MPI in this room.
//
//   file_name("runs/%j-%h.json", {.host = "node7", .process = 4711, .job = job_of(environ), .rank = 0}) "runs/81234-node7.json"
#pragma once

#include <string>
#include <string_view>

namespace heddle::report {

/// Who writes a file.
struct Writer {
  std::string host;
  long process = 0;
  std::string job;
  int rank = 0;
};

/// `pattern` with %h host, %p process, %j job, %r rank; %% is a %. Any other % stays as it is.
std::string file_name(std::string_view pattern, const Writer& writer);

/// What the batch system calls the job (Slurm, PBS, LSF, Grid Engine, Flux, OAR, Cobalt); "0" outside of one. A '/' becomes
/// '_'.
std::string job_of(const char* const* environment);

}  // namespace heddle::report
