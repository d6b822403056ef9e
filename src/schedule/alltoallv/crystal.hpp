// schedule/alltoallv/crystal.hpp: the crystal router's rounds, for all tables that have it. Within
// schedule/ only.
#pragma once

#include "schedule/schedule.hpp"

namespace heddle::schedule {

Count crystal_rounds(const Place& place);
Round crystal_round(const Place& place, Rank rank, Count k);

}  // namespace heddle::schedule
