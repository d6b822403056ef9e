// mpi/exchange/hints.cpp
#include "mpi/exchange/hints.hpp"

#include <array>
#include <string>

#include "mpi/digest.hpp"
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

/// What a rank was given.
struct Given {
  std::string word;  ///< Empty: nothing.
  bool nonsense = false;
  [[nodiscard]] Digest digest() const noexcept { return digest_of(nonsense ? "?" : word); }
};

Given given(MPI_Info info, const Key& key) {
  char text[64] = "";
  int there = 0;
  if (info == MPI_INFO_NULL || PMPI_Info_get(info, key.name, sizeof text - 1, text, &there) != MPI_SUCCESS || !there) return {};
  const auto parsed = key.parse(text);
  if (!parsed.complaint.empty()) return {text, true};
  return {parsed.value};
}

void complain(const std::string& sentence, MPI_Comm comm) {
  int me = 0;
  if (PMPI_Comm_rank(comm, &me) == MPI_SUCCESS && me == 0) say(sentence.c_str());
}

}  // namespace

void hints_given(MPI_Comm comm, MPI_Info info) noexcept try {
  if (!Companion::possible(comm)) return;
  std::array<Given, keys.size()> mine;
  std::array<Digest, keys.size()> all{};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    mine[i] = given(info, keys[i]);
    all[i] = mine[i].digest();
  }
  PMPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(2 * all.size()), MPI_UNSIGNED, MPI_BAND, comm);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string name = keys[i].name;
    if (!same(all[i]))
      complain("the hint " + name + " is not the same on all ranks of a communicator; it is ignored. Give it to all of them.",
               comm);
    else if (mine[i].nonsense)
      complain("the hint " + name + "=" + mine[i].word + " is no algorithm; it is ignored. `heddle algorithms` lists them.",
               comm);
    else if (!mine[i].word.empty())
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
