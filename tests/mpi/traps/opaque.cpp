// Receives of types that Heddle cannot decode, or has not yet decoded. Announced messages arrive in
// these types as in all others. MPICH 5.0.2 misjudges the true extent of some nested types, in
// about one of a hundred of these trees. Heddle leaves their packing to MPICH.
#include <cstring>
#include <numeric>

#include "layout/grammar.hpp"
#include "support/as_host_sees.hpp"
#include "support/build_type.hpp"
#include "support/known_host_errors.hpp"
#include "support/pmpi_spy.hpp"
#include "support/random_tree.hpp"
#include "support/ranks.hpp"
#include "support/reference.hpp"

namespace heddle::test::opaque_tests {
namespace {

constexpr int tag = 4, answer = 5;
constexpr int least = 16 << 10;  // bytes, enough to be announced

/// Bytes with holes between them, of a type that matches any other type (MPI-5.0 §4.2).
Committed packed_with_holes(int bytes) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_hvector(bytes, 1, 3, MPI_PACKED, &type);
  return Committed(type);
}

/// If Heddle and the host decode a type differently, the host's meaning counts. Open MPI 5.0.11 has
/// no such types, but it wrongly unpacks numbers off multiples of their size.
#if defined(OPEN_MPI)
constexpr bool expected_of_host = false;
#else
constexpr bool expected_of_host = true;
#endif

enum class Way { recv, irecv, mrecv, persistent, freed, sendrecv, replace, isendrecv, ireplace, count };

void receive(Way way, void* buffer, int count, MPI_Datatype& type, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  switch (way) {
    case Way::recv:
    case Way::count:
      MPI_Recv(buffer, count, type, 0, tag, comm, &status);
      break;
    case Way::irecv:
      MPI_Irecv(buffer, count, type, 0, tag, comm, &request);
      MPI_Wait(&request, &status);
      break;
    case Way::freed:
      MPI_Irecv(buffer, count, type, 0, tag, comm, &request);
      MPI_Type_free(&type);
      MPI_Wait(&request, &status);
      break;
    case Way::mrecv:
      MPI_Mprobe(0, tag, comm, &message, &status);
      MPI_Mrecv(buffer, count, type, &message, &status);
      break;
    case Way::persistent:
      MPI_Recv_init(buffer, count, type, 0, tag, comm, &request);
      MPI_Start(&request);
      MPI_Wait(&request, &status);
      MPI_Request_free(&request);
      break;
    case Way::sendrecv:
      MPI_Sendrecv(nullptr, 0, MPI_PACKED, 0, answer, buffer, count, type, 0, tag, comm, &status);
      break;
    case Way::replace:
      MPI_Sendrecv_replace(buffer, count, type, 0, answer, 0, tag, comm, &status);
      break;
    case Way::isendrecv:
      MPI_Isendrecv(nullptr, 0, MPI_PACKED, 0, answer, buffer, count, type, 0, tag, comm, &request);
      MPI_Wait(&request, &status);
      break;
    case Way::ireplace:
      MPI_Isendrecv_replace(buffer, count, type, 0, answer, 0, tag, comm, &request);
      MPI_Wait(&request, &status);
      break;
  }
}

bool answers(Way way) { return way >= Way::sendrecv; }

/// Null: the host cannot make the type.
layout::grammar::TypePtr drawn(const std::string& text) try {
  return as_host_sees(layout::grammar::parse(text)).type;
} catch (const Refused&) {
  return nullptr;
}

/// Rank 0 announces a message. Rank 1 receives it as elements of `tree`.
void announce_and_receive(const Team& team, const layout::grammar::Type& tree, const std::string& text, Way way,
                          std::uint32_t seed) {
  const Bytes size = tree.layout.size();
  const auto count = static_cast<int>((least + size - 1) / size);
  const Places all = places(tree, count);
  if (all.overlap || all.high - all.low > 8 << 20) return;
  const auto bytes = static_cast<int>(size * count);
  if (team.rank == 0) {
    std::vector<unsigned char> data(static_cast<std::size_t>(bytes) * 3);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<unsigned char>(i / 3 * 7 + seed);
    MPI_Send(data.data(), 1, packed_with_holes(bytes), 1, tag, team.comm);
    if (answers(way)) MPI_Recv(data.data(), bytes, MPI_PACKED, 1, answer, team.comm, MPI_STATUS_IGNORE);
    return;
  }
  MPI_Datatype type = build_type(tree);
  MPI_Type_commit(&type);
  std::vector<unsigned char> stream(static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < stream.size(); ++i) stream[i] = static_cast<unsigned char>(i * 7 + seed);
  Field got(all, 1), wanted(all, 1);
  int place = 0;
  if (expected_of_host)
    PMPI_Unpack(stream.data(), bytes, &place, wanted.base(), count, type, MPI_COMM_SELF);
  else
    scatter(all, wanted.base(), reinterpret_cast<const std::byte*>(stream.data()));
  receive(way, got.base(), count, type, team.comm);
  clear_padding(all, got.base());
  clear_padding(all, wanted.base());
  EXPECT_TRUE(got.memory() == wanted.memory())
      << text << " x " << count << ", way " << static_cast<int>(way) << ", seed " << seed;
  if (type != MPI_DATATYPE_NULL && tree.combiner != layout::grammar::Combiner::named) MPI_Type_free(&type);
}

TEST_RANKS(2, Opaque, RandomTypesReceiveWhatIsAnnounced) {
  if (expected() != Expected::on) return;  // both hosts alone have errors with some of these trees
  const ReturningErrors on_world(MPI_COMM_WORLD);
  for (std::uint32_t seed = run_seed(), last = seed + static_cast<std::uint32_t>(rounds(400)); seed < last; ++seed) {
    const Choices choices = choices_of(seed);
    Chooser choose(choices);
    const std::string text = random_tree(choose, {.depth = 3, .elements = 500});
    const layout::grammar::TypePtr tree = drawn(text);
    if (!tree || tree->layout.size() == 0 || text.find('(') == std::string::npos || host_error_is_known(*tree, false) ||
        host_crashes(*tree))
      continue;
    announce_and_receive(team, *tree, text, static_cast<Way>(choose.upto(static_cast<int>(Way::count) - 1)), seed);
  }
}

/// Open MPI 5.0.11 unpacks 10 of a long double's 16 bytes, so an announcement does not survive in
/// an array of them.
TEST_RANKS(2, Opaque, LongDoublesReceiveWhatIsAnnounced) {
  if (expected() != Expected::on) return;
  for (const char* text :
       {"long_double", "contiguous(7, long_double)", "vector(40, 1, 2, long_double)", "hvector(6, 1, -64, long_double)",
        "vector(1, 3, 2, dup(hvector(6, 1, -64, long_double)))", "struct(1 long_double, 1 double @ 32)"})
    for (int way = 0; way < static_cast<int>(Way::count); ++way)
      if (const layout::grammar::TypePtr tree = drawn(text);
          tree && (static_cast<Way>(way) != Way::freed || tree->combiner != layout::grammar::Combiner::named))
        announce_and_receive(team, *tree, text, static_cast<Way>(way), run_seed() + static_cast<std::uint32_t>(way));
}

}  // namespace
}  // namespace heddle::test::opaque_tests
