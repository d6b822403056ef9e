// mpi/file/collective_access.cpp: the ranks tell each other which bytes they access, and all decide
// by the same facts.
#include "mpi/file/collective_access.hpp"

#include <algorithm>
#include <exception>
#include <limits>

#include "mpi/file/piece_exchange.hpp"
#include "report/reporting.hpp"
#include "select/choose_file_access.hpp"

namespace heddle::mpi {
namespace {

using engine::files::AccessTerms;

/// One rank's part of an access.
struct OwnPart {
  UserMemory memory;
  AccessTerms told;

  void look(const File& file, const FileCall& call, bool writes) {
    MPI_Offset at = 0;
    Bytes from = 0;
    MPI_Offset size = std::numeric_limits<MPI_Offset>::max();
    if (!file.may(writes) || !memory.look(call.buffer) || memory.bytes() % file.etype() != 0) return;
    if (call.offset)
      at = *call.offset;
    else if (PMPI_File_get_position(call.fh, &at) != MPI_SUCCESS)
      return;
    if (at < 0 || __builtin_mul_overflow(Bytes{at}, file.etype(), &from) || !file.view().reaches(from, memory.bytes()) ||
        (!writes && PMPI_File_get_size(call.fh, &size) != MPI_SUCCESS))
      return;
    told = {.bytes = {from, memory.bytes()}, .size = size, .fits = true};
  }
};

select::FileAccess facts_of(const File& file, bool writes) {
  select::FileAccess facts{
      .writes = writes, .buffered = file.hints().collective, .least = file.hints().all ? 0 : select::least_file_access};
  Bytes size = std::numeric_limits<Bytes>::max();
  std::size_t rank = 0;
  for (const AccessTerms& told : file.told) {
    facts.fits = facts.fits && told.fits;
    if (!facts.fits) return facts;
    facts.holes = facts.holes || !file.views()[rank++].one_piece(told.bytes.from, told.bytes.length);
    facts.bytes += told.bytes.length;
    size = std::min(size, told.size);
  }
  const engine::files::FileRange range = engine::files::range_of(file.accesses, file.views());
  facts.range = range.bytes();
  facts.beyond = std::max(range.high - size, Bytes{0});
  return facts;
}

bool has_atomicity(MPI_File fh) {
  int atomic = 0;
  return PMPI_File_get_atomicity(fh, &atomic) != MPI_SUCCESS || atomic != 0;
}

CollectiveAccess independent() {
  report::tell_of_algorithm("independent");
  return {CollectiveAccess::independent};
}

/// No view has holes. Hosts differ in independent reads beyond the end of the file. A program may
/// err, and begin a split access on some ranks only: all ranks come here.
template <Access access>
CollectiveAccess in_turn(File& file, const FileCall& call, Form form) {
  OwnPart part;
  part.look(file, call, access == Access::write);
  const auto& [bytes, size, fits] = part.told;
  const bool inside = bytes.length <= 0 || file.view().end(bytes.from, bytes.length) <= size;
  return file.begin_independent(fits && inside && form == Form::whole) ? independent() : CollectiveAccess{};
}

/// True: the host finds an error on this rank, before the ranks tell each other anything. Perhaps
/// the other ranks do not call.
bool is_refused(const File& file, const FileCall& call, bool writes) {
  return call.buffer.count < 0 || call.buffer.type == MPI_DATATYPE_NULL || (call.offset && *call.offset < 0) ||
         !file.may(writes);
}

template <Access access>
CollectiveAccess by_owners(File& file, const FileCall& call, const OwnPart& part, const select::FileAccess& facts) {
  constexpr bool writes = access == Access::write;
  report::ReportedCall reported(writes ? "file write" : "file read");
  std::optional<engine::files::Plan> plan;
  std::optional<PieceExchange> exchange;
  bool ready = false;
  try {
    plan.emplace(file.accesses, file.views(), cut_of(file.hints(), facts.bytes, facts.range, file.ranks()), file.me());
    exchange.emplace(file, *plan, part.memory, part.told.bytes.from);
    ready = exchange->prepare(writes);
  } catch (const std::exception&) {
    ready = false;
  }
  if (!file.agree(ready)) {
    file.give_up();
    return {};
  }
  bool done = false;
  {
    const report::Stopwatch watch(reported.times(), &report::Times::copy);
    done = writes ? exchange->write() : exchange->read();
  }
  if (!file.agree(done)) return {};
  if (!call.offset) PMPI_File_seek(call.fh, (part.told.bytes.from + part.told.bytes.length) / file.etype(), MPI_SEEK_SET);
  reported.end(file.view().tile(), "file", part.told.bytes.length, [&] { return why(facts); });
  return {CollectiveAccess::heddle, part.told.bytes.length};
}

}  // namespace

template <Access access>
CollectiveAccess carry(File& file, const FileCall& call, Form form) {
  if (!file.may_have_holes() && !file.all_in_one_piece()) return {};
  if (is_refused(file, call, access == Access::write) || has_atomicity(call.fh)) return {};
  if (file.all_in_one_piece()) return in_turn<access>(file, call, form);
  if (file.pauses()) return {};
  if (!file.meets_views()) {
    if (file.all_in_one_piece()) return in_turn<access>(file, call, form);
    file.refused(true);
    return {};
  }
  OwnPart part;
  part.look(file, call, access == Access::write);
  if (!file.tell(part.told)) return {};
  for (std::size_t rank = 0; rank < file.told.size(); ++rank) file.accesses[rank] = file.told[rank].bytes;
  const select::FileAccess facts = facts_of(file, access == Access::write);
  const bool apart = select::is_independent(facts);
  file.refused(!apart && !carries(facts));
  if (apart) return form == Form::whole ? independent() : CollectiveAccess{};
  return carries(facts) ? by_owners<access>(file, call, part, facts) : CollectiveAccess{};
}

template CollectiveAccess carry<Access::read>(File& file, const FileCall& call, Form form);
template CollectiveAccess carry<Access::write>(File& file, const FileCall& call, Form form);

}  // namespace heddle::mpi
