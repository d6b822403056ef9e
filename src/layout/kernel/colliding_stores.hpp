// layout/kernel/colliding_stores.hpp: whether this processor gains by the kernels for stores that
// evict each other's lines (colliding.hpp). Zen 4 and 5 do. A Xeon with AVX-512 is faster by plain
// stores. So a process finds out.
//
//   time_colliding_stores(true);                            // once, before any thread packs
//   if (!colliding_stores_pay()) ...                        // the first call measures, in about 0.1 ms
#pragma once

namespace heddle::layout::kernel {

/// Measures at the next question, or takes it for granted that those kernels pay (the default,
/// HEDDLE_TRIALS=off). No thread may pack meanwhile.
void time_colliding_stores(bool measures) noexcept;

[[nodiscard]] bool colliding_stores_pay() noexcept;

}  // namespace heddle::layout::kernel
