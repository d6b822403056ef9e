// HEDDLE_ISA: kernels of that instruction set, or a sentence that says why not.
#include "select/instruction_set.hpp"

#include <gtest/gtest.h>

#include "layout/kernel/kernels.hpp"

namespace heddle::select::instruction_set_test {
namespace {

using layout::kernel::Isa;

class InstructionSet : public testing::Test {
 protected:
  ~InstructionSet() override { layout::kernel::use(layout::kernel::best_isa()); }
};

TEST_F(InstructionSet, TheBestStaysUnlessAnotherIsAskedFor) {
  EXPECT_EQ(use_instruction_set(settings::Isa::automatic), "");
  EXPECT_EQ(layout::kernel::isa(), layout::kernel::best_isa());
}

TEST_F(InstructionSet, PortableIsEverywhere) {
  EXPECT_EQ(use_instruction_set(settings::Isa::portable), "");
  EXPECT_EQ(layout::kernel::isa(), Isa::portable);
}

TEST_F(InstructionSet, WhatTheProcessorLacksIsSaid) {
  struct Asked {
    settings::Isa setting;
    Isa isa;
    const char* name;
  };
  for (const Asked& each :
       {Asked{settings::Isa::avx2, Isa::avx2, "avx2"}, Asked{settings::Isa::avx512, Isa::avx512, "avx512"}}) {
    layout::kernel::use(Isa::portable);
    const std::string complaint = use_instruction_set(each.setting);
    if (each.isa <= layout::kernel::best_isa()) {
      EXPECT_EQ(complaint, "");
      EXPECT_EQ(layout::kernel::isa(), each.isa);
    } else {
      EXPECT_EQ(complaint,
                std::string("this processor has no ") + each.name + "; using portable. Unset HEDDLE_ISA to silence this.");
      EXPECT_EQ(layout::kernel::isa(), Isa::portable);
    }
  }
}

}  // namespace
}  // namespace heddle::select::instruction_set_test
