// report/file_name.cpp: puts values for %h, %p, %r and %j. The job's name comes from variables of
// batch systems.
#include "report/file_name.hpp"

#include <algorithm>

namespace heddle::report {

std::string file_name(std::string_view pattern, const Writer& writer) {
  std::string name;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const char what = pattern[at] == '%' && at + 1 < pattern.size() ? pattern[at + 1] : '\0';
    const std::string_view known = "hpjr%";
    if (what == '\0' || known.find(what) == std::string_view::npos) {
      name += pattern[at];
      continue;
    }
    ++at;
    if (what == 'h')
      name += writer.host;
    else if (what == 'p')
      name += std::to_string(writer.process);
    else if (what == 'j')
      name += writer.job;
    else if (what == 'r')
      name += std::to_string(writer.rank);
    else
      name += '%';
  }
  return name;
}

std::string job_of(const char* const* environment) {
  // Flux and PBS may start jobs within a Slurm allocation: the inner job counts.
  static constexpr std::string_view names[] = {
      "FLUX_JOB_ID=", "PBS_JOBID=", "LSB_JOBID=", "OAR_JOB_ID=", "COBALT_JOBID=", "SLURM_JOB_ID=", "JOB_ID="};
  for (const std::string_view name : names)
    for (const char* const* each = environment; each && *each; ++each) {
      const std::string_view line = *each;
      if (!line.starts_with(name) || line.size() == name.size()) continue;
      std::string job(line.substr(name.size()));
      std::ranges::replace(job, '/', '_');
      return job;
    }
  return "0";
}

}  // namespace heddle::report
