// interposition/other_family.cpp: looks in each loaded library for a symbol that only the other
// family has.
#include "interposition/other_family.hpp"

#include "interposition/object.hpp"

namespace heddle::interposition {

std::string other_family(const char* symbol) {
  for (const Object& object : loaded_objects())
    if (!object.executable() && object.defined(symbol)) return object.path();
  return {};
}

}  // namespace heddle::interposition
