// tool/tune/load.cpp: runs bench/links in this process, with the preloaded MPI.
#include <dlfcn.h>

#include <stdexcept>

#include "tool/commands.hpp"

namespace heddle::tool {

int links(const std::string& library, const std::vector<std::string>& words) {
  // Lazily: the MPI library may lack procedures that this measurement does not call.
  void* const loaded = dlopen(library.c_str(), RTLD_LAZY | RTLD_GLOBAL);
  if (loaded == nullptr) throw std::runtime_error(dlerror());
  using Main = int(int, char**);
  auto* const run = reinterpret_cast<Main*>(dlsym(loaded, "heddle_links"));
  if (run == nullptr) throw std::runtime_error(library + " is no bench/links: it has no heddle_links");
  std::vector<std::string> copies{library};
  copies.insert(copies.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : copies) arguments.push_back(word.data());
  const int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  return run(count, arguments.data());
}

}  // namespace heddle::tool
