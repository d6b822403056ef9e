// interposition/children.hpp: programs that a rank starts are not to carry Heddle.
//
// `heddle run` names the interposer and libmpi in LD_PRELOAD, which children inherit: `system("true")` would load both (tens of
// milliseconds for one), and a program of another MPI would get a libmpi that is not its own. So a process takes the two out of
// its environment when it comes to MPI_Init:
//
//   system("true"), subprocess.run(...)     as without Heddle; other entries of LD_PRELOAD stay
//   mpiexec sh -c './app'                   the shell calls no MPI_Init, and hands both on
//   a child that calls MPI_Init itself      a job of its own: without Heddle, unless `heddle run` starts it
//   MPI_Comm_spawn                          children have what the launcher gives them, as before
//
// What a program has copied out of its environment before MPI_Init (Python's os.environ, if handed to a child) is as it was.
#pragma once

namespace heddle::interposition {

/// Before the host's MPI_Init: that may start processes, too. @param in_host  An address in the host's library.
void leave_children_alone(const void* in_host) noexcept;

}  // namespace heddle::interposition
