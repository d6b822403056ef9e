// threads/lock.cpp
#include "threads/lock.hpp"

namespace heddle::threads {

HEDDLE_READ_BY_EVERY_CALL constinit std::atomic<bool> concurrent{true};

}  // namespace heddle::threads
