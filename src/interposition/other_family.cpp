// interposition/other_family.cpp
#include "interposition/other_family.hpp"

#include "interposition/object.hpp"

namespace heddle::interposition {

std::string other_family(const char* symbol) {
  for (const Object& object : loaded_objects())
    if (!object.executable() && object.defined(symbol)) return object.path();
  return {};
}

}  // namespace heddle::interposition
