// select/collective/hints.hpp: a program's hints for one communicator, by MPI_Info: the keys, and
// the hints that count.
//
//   GivenHints given;
//   given.take(0, "crystal");                              // the text of an MPI_Info for hint_keys[0]
//   ...                                                    // ranks compare given.compared(0)
//   if (const std::string sentence = given.complaint(0, same); !sentence.empty()) ...   // the hint is ignored
//   else hints.*hint_keys[0].hint = given.word(0);
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "settings/settings.hpp"

namespace heddle::select {

/// Hints that are the same on all ranks. Empty: no hint.
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

/// The hints of one rank. Throws std::bad_alloc.
class GivenHints {
 public:
  void take(std::size_t key, std::string_view text);
  /// The word of a hint. Empty: no hint.
  [[nodiscard]] const std::string& word(std::size_t key) const { return all_[key].word; }
  /// The text that must be equal on all ranks. All meaningless words have the same text.
  [[nodiscard]] std::string_view compared(std::size_t key) const;
  /// The reason why a hint does not count, as a sentence for the user. Empty: it counts.
  /// @param same  The hint is the same on all ranks.
  [[nodiscard]] std::string complaint(std::size_t key, bool same) const;

 private:
  struct Hint {
    std::string word;
    bool nonsense = false;
  };
  std::array<Hint, hint_keys.size()> all_;
};

}  // namespace heddle::select
