// mpi/exchange/alike.cpp
#include "mpi/exchange/alike.hpp"

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "mpi/digest.hpp"
#include "mpi/say.hpp"

namespace heddle::mpi {
namespace {

/// "MPI_Alltoallv (call 3) by crystal of radix 4".
using Text = std::array<char, 128>;

Text text_of(const char* call, long number, const select::Way& way) {
  Text text{};
  const std::string_view name = way.algorithm ? way.algorithm->name : "the MPI library's";
  int used = std::snprintf(text.data(), text.size(), "%s (call %ld) by %.*s", call, number, static_cast<int>(name.size()),
                           name.data());
  if (way.algorithm && way.radix != 2)
    used += std::snprintf(text.data() + used, text.size() - static_cast<std::size_t>(used), " of radix %d", way.radix);
  if (way.segment > 0)
    std::snprintf(text.data() + used, text.size() - static_cast<std::size_t>(used), " in segments of %ld B",
                  static_cast<long>(way.segment));
  return text;
}

/// Ranks that have come with the same: "ranks 0, 2 to 7".
std::string ranks_with(const std::vector<Text>& all, std::size_t first, std::vector<bool>& told) {
  std::string text;
  int many = 0;
  for (std::size_t i = first; i < all.size(); ++i) {
    if (told[i] || all[i] != all[first]) continue;
    std::size_t last = i;
    while (last + 1 < all.size() && all[last + 1] == all[first]) ++last;
    for (std::size_t k = i; k <= last; ++k) told[k] = true;
    if (many > 0) text += ", ";
    text += std::to_string(i);
    if (last > i) text += (last > i + 1 ? " to " : ", ") + std::to_string(last);
    many += static_cast<int>(last - i) + 1;
    i = last;
  }
  return (many > 1 ? "ranks " : "rank ") + text;
}

std::string complaint(const std::vector<Text>& all) {
  std::string sentence = "ranks do not agree on a collective (HEDDLE_CHECK):";
  std::vector<bool> told(all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!told[i]) sentence += (i > 0 ? "; " : " ") + ranks_with(all, i, told) + ": " + all[i].data();
  return sentence + ". Counts, types or the order of calls do not fit together in the program.";
}

}  // namespace

void check_alike(Companion& own, const char* call, const select::Way& way) noexcept {
  const Text mine = text_of(call, own.count_call(), way);
  Digest said = digest_of(mine.data());
  PMPI_Allreduce(MPI_IN_PLACE, said.data(), 2, MPI_UNSIGNED, MPI_BAND, own.comm());
  if (same(said)) return;
  std::vector<Text> all(static_cast<std::size_t>(own.ranks()));
  constexpr int bytes = sizeof(Text);
  PMPI_Gather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, 0, own.comm());
  if (own.me() == 0) end_job(complaint(all).c_str());
  PMPI_Barrier(own.comm());
}

}  // namespace heddle::mpi
