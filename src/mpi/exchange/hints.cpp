// mpi/exchange/hints.cpp
#include "mpi/exchange/hints.hpp"

#include <array>
#include <string>

#include "mpi/say.hpp"
#include "settings/settings.hpp"

namespace heddle::mpi {
namespace {

struct Key {
  const char* name;
  settings::Parsed<std::string> (*parse)(std::string_view);
  std::string Hints::*hint;
};
constexpr std::array keys = {Key{"heddle_alltoallv", settings::alltoallv, &Hints::alltoallv},
                             Key{"heddle_allgatherv", settings::allgatherv, &Hints::allgatherv}};

/// What a rank was given, as a number to compare.
struct Given {
  static constexpr int nothing = 0;
  static constexpr int nonsense = 1;

  int number = nothing;
  std::string word;
};

Given given(MPI_Info info, const Key& key) {
  char text[64] = "";
  int there = 0;
  if (info == MPI_INFO_NULL || PMPI_Info_get(info, key.name, sizeof text - 1, text, &there) != MPI_SUCCESS || !there) return {};
  const auto parsed = key.parse(text);
  Given found{Given::nonsense, parsed.complaint.empty() ? parsed.value : text};
  if (!parsed.complaint.empty()) return found;
  unsigned hash = 2166136261;  // FNV-1a
  for (const char letter : found.word) hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619;
  found.number = static_cast<int>(2 + hash % 1'000'000'000);
  return found;
}

void complain(const std::string& sentence, MPI_Comm comm) {
  int me = 0;
  if (PMPI_Comm_rank(comm, &me) == MPI_SUCCESS && me == 0) say(sentence.c_str());
}

}  // namespace

void hints_given(MPI_Comm comm, MPI_Info info) noexcept try {
  if (!Companion::possible(comm)) return;
  std::array<Given, keys.size()> mine;
  std::array<int, 2 * keys.size()> least{};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    mine[i] = given(info, keys[i]);
    least[2 * i] = mine[i].number;
    least[2 * i + 1] = -mine[i].number;
  }
  PMPI_Allreduce(MPI_IN_PLACE, least.data(), static_cast<int>(least.size()), MPI_INT, MPI_MIN, comm);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string name = keys[i].name;
    if (least[2 * i] != -least[2 * i + 1])
      complain("the hint " + name + " is not the same on all ranks of a communicator; it is ignored. Give it to all of them.",
               comm);
    else if (least[2 * i] == Given::nonsense)
      complain("the hint " + name + "=" + mine[i].word + " is no algorithm; it is ignored. `heddle algorithms` lists them.",
               comm);
    else if (least[2 * i] != Given::nothing)
      if (Companion* own = Companion::of(comm)) own->hints().*keys[i].hint = mine[i].word;
  }
} catch (const std::bad_alloc&) {
  return;  // the others learn of it as of any rank that is lost
}

void hints_shown(MPI_Comm comm, MPI_Info info) noexcept {
  Companion* own = Companion::made(comm);
  if (!own || info == MPI_INFO_NULL) return;
  bool any = false;
  for (const Key& key : keys) {
    const std::string& word = own->hints().*key.hint;
    if (!word.empty()) PMPI_Info_set(info, key.name, word.c_str());
    any = any || !word.empty();
  }
  if (any && own->wanted_alltoallv() == "auto")
    PMPI_Info_set(info, "heddle_alltoallv_chosen", std::string(own->agreement().way().algorithm->name).c_str());
}

}  // namespace heddle::mpi
