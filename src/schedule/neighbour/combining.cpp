// schedule/neighbour/combining.cpp: what goes to many neighbours of a grid in two messages for each dimension. The rounds
// depend on the topology: stencil.hpp makes them.
//
//   26 neighbours in 3 dimensions:   all that goes west, east;  of what is here then, all that goes north, south;  up, down
//
// Cost: 6 messages instead of 26; 54 block moves instead of 26, but faces, which are the large blocks, still move once.
// Source: Träff, Hunold et al.: Cartesian collective communication, 2019.
#include "schedule/algorithms.hpp"

namespace heddle::schedule {

constinit const Algorithm neighbour_combining{
    .name = "combining",
    .description = "one dimension after the other, all that makes the same step in one message: 6 for 26 neighbours",
    .when = "Cartesian neighbourhoods with diagonals, small volumes",
};

}  // namespace heddle::schedule
