// select/collective/hints.hpp: what a program wishes of one communicator, by MPI_Info: the keys, and what of them counts. May
// include: settings/.
//
//   GivenHints given;
//   given.take(0, "crystal");                              // what an MPI_Info has for hint_keys[0]
//   ...                                                    // ranks compare given.compared(0)
//   if (const std::string sentence = given.complaint(0, same); !sentence.empty()) ...   // it is ignored, and why
//   else hints.*hint_keys[0].hint = given.word(0);
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "settings/settings.hpp"

namespace heddle::select {

/// The same on all ranks. Empty: nothing.
struct Hints {
  std::string alltoallv, allgatherv;
};

struct HintKey {
  const char* name;
  settings::Parsed<std::string> (*parse)(std::string_view);
  std::string Hints::*hint;
};
inline constexpr std::array hint_keys = {HintKey{"heddle_alltoallv", settings::alltoallv, &Hints::alltoallv},
                                         HintKey{"heddle_allgatherv", settings::allgatherv, &Hints::allgatherv}};

/// What one rank was given. Throws std::bad_alloc.
class GivenHints {
 public:
  void take(std::size_t key, std::string_view text);
  /// Empty: nothing.
  [[nodiscard]] const std::string& word(std::size_t key) const { return all_[key].word; }
  /// What must be equal on all ranks: any two words that mean nothing are.
  [[nodiscard]] std::string_view compared(std::size_t key) const;
  /// Why it does not count, as a sentence for the user; empty: it does. @param same  It is the same on all ranks.
  [[nodiscard]] std::string complaint(std::size_t key, bool same) const;

 private:
  struct Hint {
    std::string word;
    bool nonsense = false;
  };
  std::array<Hint, hint_keys.size()> all_;
};

}  // namespace heddle::select
