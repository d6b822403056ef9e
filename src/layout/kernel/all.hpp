// layout/kernel/all.hpp: the table of one instruction set. The including file names it by
// HEDDLE_KERNEL and HEDDLE_TABLE.
#pragma once

#include "layout/kernel/nests.hpp"
#include "layout/kernel/offsets.hpp"
#include "layout/kernel/records.hpp"

namespace heddle::layout::kernel {
namespace HEDDLE_KERNEL {

template <class Int>
constexpr OffsetKernels<Int> offset_kernels{&gather<Int>,
                                            &scatter<Int>,
                                            &gather_pieces<Int, std::int32_t>,
                                            &gather_pieces<Int, std::int64_t>,
                                            &scatter_pieces<Int, std::int32_t>,
                                            &scatter_pieces<Int, std::int64_t>,
                                            &gather_records_at<Int>,
                                            &scatter_records_at<Int>};

}  // namespace HEDDLE_KERNEL

constinit const Table HEDDLE_TABLE{&HEDDLE_KERNEL::nest_for,
                                   &HEDDLE_KERNEL::nest_runs,
                                   &HEDDLE_KERNEL::long_nest,
                                   &HEDDLE_KERNEL::gather_records,
                                   &HEDDLE_KERNEL::scatter_records,
                                   HEDDLE_KERNEL::offset_kernels<std::int32_t>,
                                   HEDDLE_KERNEL::offset_kernels<std::int64_t>};

}  // namespace heddle::layout::kernel
