// mpi/collectives/how.hpp: the three forms of a collective: blocking, non-blocking, persistent. Each family of calls/ is
// written once, for any of them. Includes types/arguments.hpp, process/numbers.hpp.
//
//   template <class How>
//   Done broadcast(const How& how, const Buffer& data, int root, MPI_Comm comm) {
//     ...
//     return HEDDLE_CALL_Bcast(how, wide, address, count, type, root, comm);    // PMPI_Bcast, PMPI_Ibcast or PMPI_Bcast_init
//   }
//   HEDDLE_COLLECTIVE_Bcast(...)                                                // defines all of them: host_procedures.py
#pragma once

#include "mpi/process/numbers.hpp"
#include "mpi/types/arguments.hpp"

namespace heddle::mpi {

/// MPI_Gather.
struct Blocking {
  static constexpr bool blocking = true, persistent = false;
  const char* call;
};
/// MPI_Igather.
struct Started {
  static constexpr bool blocking = false, persistent = false;
  const char* call;
  MPI_Request* request;
};
/// MPI_Gather_init.
struct Kept {
  static constexpr bool blocking = false, persistent = true;
  const char* call;
  MPI_Info info;
  MPI_Request* request;
};

/// The host's procedure of that form, that with large counts if `wide`. Nothing: it has none.
template <class How, class... Procedures, class... Arguments>
Done call_host(const How& how, bool wide, auto blocking, auto blocking_c, auto started, auto started_c, auto kept, auto kept_c,
               const Arguments&... arguments) {
  const auto call = [wide](auto narrow, auto large, const auto&... all) {
    if (!wide) return Done(narrow(all...));
    return large ? Done(large(all...)) : Done();
  };
  if constexpr (How::blocking)
    return call(blocking, blocking_c, arguments...);
  else if constexpr (How::persistent)
    return call(kept, kept_c, arguments..., how.info, how.request);
  else
    return call(started, started_c, arguments..., how.request);
}

}  // namespace heddle::mpi
