// mpi/exchange/info_hints.cpp: reads hints from an MPI_Info, compares them over the ranks, and
// shows those that apply.
#include "mpi/exchange/info_hints.hpp"

#include <array>
#include <new>
#include <string>

#include "engine/start/digest.hpp"
#include "mpi/process/process.hpp"
#include "select/collective/hints.hpp"

namespace heddle::mpi {
namespace {

using select::hint_keys;

void complain(const std::string& sentence, MPI_Comm comm) {
  int me = 0;
  if (PMPI_Comm_rank(comm, &me) == MPI_SUCCESS && me == 0) say(sentence.c_str());
}

GivenHints given_by(MPI_Info info) {
  GivenHints given;
  for (std::size_t i = 0; i < hint_keys.size(); ++i) {
    char text[64] = "";
    int there = 0;
    if (info != MPI_INFO_NULL && PMPI_Info_get(info, hint_keys[i].name, sizeof text - 1, text, &there) == MPI_SUCCESS && there)
      given.take(i, text);
  }
  return given;
}

}  // namespace

void settle(const GivenHints& given, MPI_Comm comm) try {
  std::array<engine::Digest, hint_keys.size()> all{};
  for (std::size_t i = 0; i < hint_keys.size(); ++i) all[i] = engine::digest_of(given.compared(i));
  PMPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(2 * all.size()), MPI_UNSIGNED, MPI_BAND, comm);
  for (std::size_t i = 0; i < hint_keys.size(); ++i) {
    const std::string complaint = given.complaint(i, engine::same(all[i]));
    if (!complaint.empty())
      complain(complaint, comm);
    else if (!given.word(i).empty())
      if (ShadowComm* own = ShadowComm::of(comm)) own->algorithms().hints().*hint_keys[i].hint = given.word(i);
  }
} catch (const std::bad_alloc&) {
  return;  // the other ranks wait, as for any rank that is lost
}

void hints_given(MPI_Comm comm, MPI_Info info) try {
  if (ShadowComm::possible(comm)) settle(given_by(info), comm);
} catch (const std::bad_alloc&) {
  return;  // the other ranks wait, as above
}

std::unique_ptr<communicators::Context> hints_to_come(MPI_Comm comm, MPI_Info info) try {
  return ShadowComm::possible(comm) ? ShadowComm::context_with(std::make_unique<GivenHints>(given_by(info))) : nullptr;
} catch (const std::bad_alloc&) {
  return nullptr;  // the ranks will call hints_lost()
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
  for (const select::HintKey& key : hint_keys) {
    const std::string& word = own->algorithms().hints().*key.hint;
    if (!word.empty()) PMPI_Info_set(info, key.name, word.c_str());
    any = any || !word.empty();
  }
  if (!any || own->algorithms().alltoallv() != "auto") return;
  const engine::Agreement& agreement = own->algorithms().agreement();
  PMPI_Info_set(info, "heddle_alltoallv_chosen",
                own->algorithms().went_library() ? "native" : std::string(agreement.choice().algorithm->name).c_str());
  PMPI_Info_set(info, "heddle_alltoallv_every", std::to_string(agreement.every()).c_str());
}

}  // namespace heddle::mpi
