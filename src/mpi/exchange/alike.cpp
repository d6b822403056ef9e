// mpi/exchange/alike.cpp
#include "mpi/exchange/alike.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <string>
#include <string_view>

#include "mpi/process/say.hpp"
#include "schedule/algorithms.hpp"

namespace heddle::mpi {

select::Way pair_by_pair() noexcept { return {.algorithm = &schedule::alltoallv_direct}; }

Comparison::Text Comparison::text_of(const Decision& mine, long number) noexcept {
  Text text{};
  const select::Way& way = mine.way;
  std::string_view call = mine.call;
  if (call.ends_with("_c")) call.remove_suffix(2);  // which of the two a rank calls is its own affair
  const std::string_view name = way.algorithm ? way.algorithm->name : "the MPI library's";
  int used = std::snprintf(text.data(), text.size(), "%.*s%s (call %ld) by %.*s", static_cast<int>(call.size()), call.data(),
                           mine.in_place ? " in place" : "", number, static_cast<int>(name.size()), name.data());
  if (way.algorithm && way.radix != 2)
    used += std::snprintf(text.data() + used, text.size() - static_cast<std::size_t>(used), " of radix %d", way.radix);
  if (way.segment > 0)
    std::snprintf(text.data() + used, text.size() - static_cast<std::size_t>(used), " in segments of %ld B",
                  static_cast<long>(way.segment));
  return text;
}

/// Ranks that have come with the same: "ranks 0, 2 to 7".
std::string Comparison::ranks_with(std::size_t first, std::vector<bool>& told) const {
  std::string text;
  int many = 0;
  for (std::size_t i = first; i < all_.size(); ++i) {
    if (told[i] || all_[i] != all_[first]) continue;
    std::size_t last = i;
    while (last + 1 < all_.size() && all_[last + 1] == all_[first]) ++last;
    for (std::size_t k = i; k <= last; ++k) told[k] = true;
    if (many > 0) text += ", ";
    text += std::to_string(i);
    if (last > i) text += (last > i + 1 ? " to " : ", ") + std::to_string(last);
    many += static_cast<int>(last - i) + 1;
    i = last;
  }
  return (many > 1 ? "ranks " : "rank ") + text;
}

std::string Comparison::complaint() const {
  std::string sentence = "ranks do not agree on a collective (HEDDLE_CHECK):";
  std::vector<bool> told(all_.size());
  for (std::size_t i = 0; i < all_.size(); ++i)
    if (!told[i]) sentence += (i > 0 ? "; " : " ") + ranks_with(i, told) + ": " + all_[i].data();
  return sentence + ". Counts, types or the order of calls do not fit together in the program.";
}

Comparison::Comparison(ShadowComm& own, const Decision& mine)
    : me_(own.me()), mine_(text_of(mine, own.count_call())), all_(static_cast<std::size_t>(own.ranks())) {
  constexpr int bytes = sizeof(Text);
  PMPI_Iallgather(mine_.data(), bytes, MPI_BYTE, all_.data(), bytes, MPI_BYTE, own.comm(), &request_);
}

std::unique_ptr<Comparison> Comparison::begun(ShadowComm& own, const Decision& mine) noexcept try {
  if (!settings_of_process().check) return nullptr;
  return std::unique_ptr<Comparison>(new Comparison(own, mine));
} catch (const std::bad_alloc&) {
  end_job("no memory to compare what ranks do (HEDDLE_CHECK), which the others wait for.");
  return nullptr;
}

Comparison::~Comparison() { PMPI_Wait(&request_, MPI_STATUS_IGNORE); }

bool Comparison::over(bool wait) noexcept {
  if (request_ == MPI_REQUEST_NULL) return true;
  int done = 1;
  if (wait)
    PMPI_Wait(&request_, MPI_STATUS_IGNORE);
  else
    PMPI_Test(&request_, &done, MPI_STATUS_IGNORE);
  if (!done) return false;
  if (std::ranges::all_of(all_, [&](const Text& text) { return text == mine_; })) return true;
  if (me_ != 0) sleep(2);  // rank 0 says it for all, unless it does not come to it
  end_job(complaint().c_str());
  return true;
}

}  // namespace heddle::mpi
