// mpi/exchange/hints.cpp
#include "mpi/exchange/hints.hpp"

#include <new>

#include "engine/digest.hpp"
#include "mpi/process/say.hpp"
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

void complain(const std::string& sentence, MPI_Comm comm) {
  int me = 0;
  if (PMPI_Comm_rank(comm, &me) == MPI_SUCCESS && me == 0) say(sentence.c_str());
}

}  // namespace

GivenHints::GivenHints(MPI_Info info) {
  static_assert(keys.size() == std::tuple_size_v<decltype(all_)>);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    char text[64] = "";
    int there = 0;
    if (info == MPI_INFO_NULL || PMPI_Info_get(info, keys[i].name, sizeof text - 1, text, &there) != MPI_SUCCESS || !there)
      continue;
    const auto parsed = keys[i].parse(text);
    const bool nonsense = !parsed.complaint.empty();
    all_[i] = {nonsense ? text : parsed.value, nonsense};
  }
}

void GivenHints::settle(MPI_Comm comm) const try {
  std::array<engine::Digest, keys.size()> all{};
  for (std::size_t i = 0; i < keys.size(); ++i) all[i] = engine::digest_of(all_[i].nonsense ? "?" : all_[i].word);
  PMPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(2 * all.size()), MPI_UNSIGNED, MPI_BAND, comm);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string name = keys[i].name;
    if (!engine::same(all[i]))
      complain("the hint " + name + " is not the same on all ranks of a communicator; it is ignored. Give it to all of them.",
               comm);
    else if (all_[i].nonsense)
      complain("the hint " + name + "=" + all_[i].word + " is no algorithm; it is ignored. `heddle algorithms` lists them.",
               comm);
    else if (!all_[i].word.empty())
      if (ShadowComm* own = ShadowComm::of(comm)) own->hints().*keys[i].hint = all_[i].word;
  }
} catch (const std::bad_alloc&) {
  return;  // the others learn of it as of any rank that is lost
}

void hints_given(MPI_Comm comm, MPI_Info info) try {
  if (ShadowComm::possible(comm)) GivenHints(info).settle(comm);
} catch (const std::bad_alloc&) {
  return;  // likewise
}

std::unique_ptr<communicators::Context> hints_to_come(MPI_Comm comm, MPI_Info info) try {
  return ShadowComm::possible(comm) ? ShadowComm::context_with(std::make_unique<GivenHints>(info)) : nullptr;
} catch (const std::bad_alloc&) {
  return nullptr;  // hints_lost
}

void hints_lost(MPI_Comm comm) noexcept try {
  complain(
      "a rank had no memory for the hints that MPI_Comm_idup_with_info gave; they are ignored. MPI_Comm_set_info gives them "
      "anew.",
      comm);
} catch (const std::bad_alloc&) {
  return;
}

void hints_shown(MPI_Comm comm, MPI_Info info) noexcept {
  ShadowComm* own = ShadowComm::made(comm);
  if (!own || info == MPI_INFO_NULL) return;
  bool any = false;
  for (const Key& key : keys) {
    const std::string& word = own->hints().*key.hint;
    if (!word.empty()) PMPI_Info_set(info, key.name, word.c_str());
    any = any || !word.empty();
  }
  if (!any || own->wanted_alltoallv() != "auto") return;
  const Agreement& agreement = own->agreement();
  PMPI_Info_set(info, "heddle_alltoallv_chosen",
                own->went_library() ? "native" : std::string(agreement.way().algorithm->name).c_str());
  PMPI_Info_set(info, "heddle_alltoallv_every", std::to_string(agreement.every()).c_str());
}

}  // namespace heddle::mpi
