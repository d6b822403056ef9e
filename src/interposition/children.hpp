// interposition/children.hpp: keeps Heddle out of programs that a rank starts.
//
// `heddle run` names the interposer and libmpi in LD_PRELOAD, which children inherit.
// `system("true")` would load both, which takes tens of milliseconds. A program of another MPI
// would get a libmpi that is not its own. So a process removes the two from its environment in
// MPI_Init:
//
//   system("true"), subprocess.run(...)     as without Heddle; other entries of LD_PRELOAD stay
//   mpiexec sh -c './app'                   the shell calls no MPI_Init, and hands both on
//   a child that calls MPI_Init itself      a job of its own: without Heddle, unless `heddle run` starts it
//   MPI_Comm_spawn                          children have what the launcher gives them, as before
//
// Copies of the environment that a program made before MPI_Init keep both (such as Python's
// os.environ, if it is passed to a child).
#pragma once

namespace heddle::interposition {

/// Call it before the host's MPI_Init, which may start processes, too.
/// @param in_host  An address in the host's library.
void leave_children_alone(const void* in_host) noexcept;

}  // namespace heddle::interposition
