// layout/stores.hpp: how packed bytes are stored where another core will read them.
#pragma once

namespace heddle::layout {

enum class Stores {
  cached,
  streamed,  ///< Past the caches, to memory; all there for whoever sees what is stored afterwards.
};

}  // namespace heddle::layout
