// mpi/file/piece_exchange.cpp: the messages and the accesses of one rank.
//
// In a round a rank has at most one message for each owner. Both sides know its length, so there is
// nothing to agree on. A part that is one piece of the file or of the user's memory is sent from
// there, or received there. All other parts are packed.
#include "mpi/file/piece_exchange.hpp"

#include <algorithm>
#include <exception>

namespace heddle::mpi {

namespace {
constexpr int piece_tag = 0;
}

void PieceExchange::Under::clear() {
  requests.clear();
  parts.clear();
  places.clear();
}

bool PieceExchange::prepare(bool writes) noexcept try {
  Bytes piece = 0, owned = 0, own = 0;
  for (const Round& round : plan_.rounds()) {
    Bytes ours = 0;
    for (const Part& part : round.own) ours += part.bytes;
    piece = std::max(piece, round.piece.bytes());
    owned = std::max(owned, round.bytes());
    own = std::max(own, ours);
  }
  const auto most = static_cast<std::size_t>(2 * file_.ranks());
  under_.requests.reserve(most);
  under_.parts.reserve(most);
  under_.places.reserve(most);
  file_.piece.reserve(piece);
  file_.owned.reserve(owned);
  if (!memory_.in_one_piece()) file_.own.reserve(own);
  if (writes) file_.coverage.reserve(piece);
  second_ = piece > 0 ? file_.second() : MPI_FILE_NULL;
  return piece == 0 || second_ != MPI_FILE_NULL;
} catch (const std::exception&) {
  return false;
}

bool PieceExchange::send(const std::byte* from, const Part& part) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (PMPI_Isend(from, static_cast<int>(part.bytes), MPI_BYTE, part.rank, piece_tag, file_.comm(), &request) != MPI_SUCCESS)
    return false;
  under_.requests.push_back(request);
  return true;
}

bool PieceExchange::receive(std::byte* to, const Part& part) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (PMPI_Irecv(to, static_cast<int>(part.bytes), MPI_BYTE, part.rank, piece_tag, file_.comm(), &request) != MPI_SUCCESS)
    return false;
  under_.requests.push_back(request);
  under_.parts.push_back(&part);
  under_.places.push_back(to);
  return true;
}

template <class Each>
bool PieceExchange::for_each_arrival(const Each& each) {
  const auto receives = static_cast<int>(under_.parts.size());  // the first requests
  for (int i = 0; i < receives; ++i) {
    int index = MPI_UNDEFINED;
    if (PMPI_Waitany(receives, under_.requests.data(), &index, MPI_STATUS_IGNORE) != MPI_SUCCESS || index == MPI_UNDEFINED)
      return false;
    const auto at = static_cast<std::size_t>(index);
    each(*under_.parts[at], under_.places[at]);
  }
  return true;
}

bool PieceExchange::wait_for_sends() {
  return PMPI_Waitall(static_cast<int>(under_.requests.size()), under_.requests.data(), MPI_STATUSES_IGNORE) == MPI_SUCCESS;
}

const std::byte* PieceExchange::packed(const Part& part, std::byte*& staged) const {
  if (memory_.in_one_piece()) return memory_.at(part.from - start_);
  std::byte* const place = staged;
  memory_.pack(part.from - start_, part.bytes, place);
  staged += part.bytes;
  return place;
}

bool PieceExchange::write() {
  bool fine = true;
  for (const Round& round : plan_.rounds()) fine = write_round(round) && fine;
  return fine;
}

bool PieceExchange::read() {
  bool fine = true;
  for (const Round& round : plan_.rounds()) fine = read_round(round) && fine;
  return fine;
}

bool PieceExchange::write_round(const Round& round) {
  bool fine = true;
  under_.clear();
  std::byte* const piece = file_.piece.data();
  std::byte* received = file_.owned.data();
  std::byte* staged = file_.own.data();
  for (const Part& part : round.owned) {
    if (part.rank == file_.me()) continue;
    const bool there = view(part).one_piece(part.from, part.bytes);
    fine = receive(there ? piece + (view(part).place(part.from) - round.piece.low) : received, part) && fine;
    if (!there) received += part.bytes;
  }
  const Part* mine = nullptr;  // to this rank itself
  for (const Part& part : round.own) {
    if (part.rank == file_.me())
      mine = &part;
    else
      fine = send(packed(part, staged), part) && fine;
  }
  if (mine) file_.view().store(mine->from, mine->bytes, packed(*mine, staged), piece, round.piece.low);
  const bool complete = round.owned.empty() || file_.coverage.complete(round, file_.views());
  const bool all = for_each_arrival([&](const Part& part, const std::byte* place) {
    if (!view(part).one_piece(part.from, part.bytes)) view(part).store(part.from, part.bytes, place, piece, round.piece.low);
  });
  if (!all) return false;
  if (fine && complete && !round.owned.empty())
    fine = write_run(round.piece, round.piece.low);
  else if (fine && !complete)
    file_.coverage.for_each_run(round, file_.views(),
                                [&](const FileRange& run) { fine = fine && write_run(run, round.piece.low); });
  return wait_for_sends() && fine;
}

bool PieceExchange::read_round(const Round& round) {
  bool fine = true;
  under_.clear();
  std::byte* const piece = file_.piece.data();
  std::byte* staged = file_.own.data();
  const Part* mine = nullptr;
  for (const Part& part : round.own) {
    if (part.rank == file_.me()) {
      mine = &part;
      continue;
    }
    const bool there = memory_.in_one_piece();
    fine = receive(there ? memory_.at(part.from - start_) : staged, part) && fine;
    if (!there) staged += part.bytes;
  }
  FileRange needed{round.piece.high, round.piece.low};
  for (const Part& part : round.owned)
    needed = {std::min(needed.low, view(part).place(part.from)), std::max(needed.high, view(part).end(part.from, part.bytes))};
  if (!round.owned.empty()) fine = read_run(needed, round.piece.low) && fine;
  std::byte* out = file_.owned.data();
  for (const Part& part : round.owned) {
    if (part.rank == file_.me()) continue;
    const bool there = view(part).one_piece(part.from, part.bytes);
    if (!there) view(part).load(part.from, part.bytes, piece, round.piece.low, out);
    fine = send(there ? piece + (view(part).place(part.from) - round.piece.low) : out, part) && fine;
    if (!there) out += part.bytes;
  }
  if (mine) {
    std::byte* const to = memory_.in_one_piece() ? memory_.at(mine->from - start_) : staged;
    file_.view().load(mine->from, mine->bytes, piece, round.piece.low, to);
    if (!memory_.in_one_piece()) memory_.unpack(mine->from - start_, mine->bytes, to);
  }
  const bool all = for_each_arrival([&](const Part& part, const std::byte* place) {
    if (!memory_.in_one_piece()) memory_.unpack(part.from - start_, part.bytes, place);
  });
  if (!all) return false;
  return wait_for_sends() && fine;
}

bool PieceExchange::write_run(const FileRange& run, Bytes begin) const {
  MPI_Status status;
  int count = 0;
  const auto bytes = static_cast<int>(run.bytes());
  file_.has_written();
  return PMPI_File_write_at(second_, run.low, file_.piece.data() + (run.low - begin), bytes, MPI_BYTE, &status) ==
             MPI_SUCCESS &&
         PMPI_Get_count(&status, MPI_BYTE, &count) == MPI_SUCCESS && count == bytes;
}

bool PieceExchange::read_run(const FileRange& run, Bytes begin) const {
  MPI_Status status;
  int count = 0;
  const auto bytes = static_cast<int>(run.bytes());
  return PMPI_File_read_at(second_, run.low, file_.piece.data() + (run.low - begin), bytes, MPI_BYTE, &status) == MPI_SUCCESS &&
         PMPI_Get_count(&status, MPI_BYTE, &count) == MPI_SUCCESS && count == bytes;
}

}  // namespace heddle::mpi
