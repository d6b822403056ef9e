// layout/stores.hpp: the kind of stores for packed bytes that another core will read.
#pragma once

namespace heddle::layout {

enum class Stores {
  cached,
  streamed,  ///< Past the caches, to memory. A core that sees a later store sees these, too.
};

}  // namespace heddle::layout
