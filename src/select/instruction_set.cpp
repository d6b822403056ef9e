// select/instruction_set.cpp: switches the kernels, or says why the processor cannot.
#include "select/instruction_set.hpp"

#include "layout/kernel/kernels.hpp"

namespace heddle::select {
namespace {

std::string used_or_why_not(layout::kernel::Isa isa) {
  if (layout::kernel::use(isa)) return {};
  return std::string("this processor has no ") + layout::kernel::name(isa) + "; using " +
         layout::kernel::name(layout::kernel::isa()) + ". Unset HEDDLE_ISA to silence this.";
}

}  // namespace

std::string use_instruction_set(settings::Isa wanted) {
  using layout::kernel::Isa;
  switch (wanted) {
    case settings::Isa::automatic:
      break;
    case settings::Isa::portable:
      return used_or_why_not(Isa::portable);
    case settings::Isa::avx2:
      return used_or_why_not(Isa::avx2);
    case settings::Isa::avx512:
      return used_or_why_not(Isa::avx512);
  }
  return {};
}

}  // namespace heddle::select
