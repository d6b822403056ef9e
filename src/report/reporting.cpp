// report/reporting.cpp
#include "report/reporting.hpp"

namespace heddle::report {

HEDDLE_READ_BY_EVERY_CALL constinit std::atomic<Report*> of_process{nullptr};

}  // namespace heddle::report
