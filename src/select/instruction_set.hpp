// select/instruction_set.hpp: the kernels that HEDDLE_ISA asks for.
//
//   const std::string complaint = use_instruction_set(set.isa);     // not while others pack
#pragma once

#include <string>

#include "settings/settings.hpp"

namespace heddle::select {

/// Empty, or a sentence: this processor has no such instructions, and the kernels stay as they
/// were.
std::string use_instruction_set(settings::Isa wanted);

}  // namespace heddle::select
