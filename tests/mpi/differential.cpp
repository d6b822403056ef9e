// Compares random type trees. MPI_Pack and MPI_Unpack (Heddle's, when preloaded) must agree with
// PMPI_Pack and PMPI_Unpack (the host's), and with the type map walked element by element. layout/,
// which is linked in, must agree with all of them.
//
//   heddle-differential-mpich                     100,000 trees; RC_PARAMS="seed=... max_success=..." as RapidCheck says
//   heddle-differential-mpich 'TYPE' COUNT        one tree, as a failure prints it
//
// A failure prints its seed, and shrinks to a small tree in the grammar of `heddle explain`.
#include <rapidcheck.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <numeric>
#include <string>

#include "layout/cursor.hpp"
#include "layout/pack.hpp"
#include "layout/transfer.hpp"
#include "support/as_host_sees.hpp"
#include "support/build_type.hpp"
#include "support/known_host_errors.hpp"
#include "support/pmpi_spy.hpp"
#include "support/random_tree.hpp"
#include "support/reference.hpp"

namespace heddle::test {
namespace {

using layout::Cursor;
using layout::Layout;
using layout::grammar::TypePtr;

struct Case {
  TypePtr type;
  Count count = 1;
  bool large = false;      ///< Uses the large-count procedures.
  std::uint32_t draw = 0;  ///< Seed for samples: ranges, and the other type of a transfer.
};

/// Counts of the run, so that an empty run is noticed.
struct Seen {
  long trees = 0, empty = 0, overlapping = 0, refused = 0, host_errors = 0, elements = 0, placed_otherwise = 0;
  long packs = 0, packed_by_host = 0, unpacks = 0, unpacked_by_host = 0, transfers = 0;
  std::map<std::string_view, long> combiners;
  std::array<long, 8> depths{};
};
Seen seen;

int survey(const layout::grammar::Type& type) {
  ++seen.combiners[layout::grammar::name(type.combiner)];
  int deepest = 0;
  for (const auto& child : type.children) deepest = std::max(deepest, survey(*child));
  return type.combiner == layout::grammar::Combiner::named ? 0 : deepest + 1;
}

/// During its lifetime, notes whether a call of Heddle has reached the host with the derived
/// datatype.
class Watch {
 public:
  Watch(bool heddle, const char* name, long& calls, long& by_host)
      : heddle_(heddle), name_(name), by_host_(by_host), before_(pmpi_spy::derived(name)) {
    calls += heddle;
  }
  ~Watch() {
    if (heddle_) by_host_ += pmpi_spy::derived(name_) - before_;
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  bool heddle_;
  const char* name_;
  long& by_host_;
  long before_;
};

struct Packed {
  Memory bytes;
  int error = MPI_SUCCESS;
};

template <bool heddle>
Packed pack(const Case& c, MPI_Datatype type, const void* base, Bytes room) {
  const Watch watch(heddle, c.large ? "Pack_c" : "Pack", seen.packs, seen.packed_by_host);
  constexpr std::byte mark{0xA5};
  Packed packed{Memory(static_cast<std::size_t>(room) + 16, mark), MPI_SUCCESS};
#if HOST_LARGE_COUNTS
  if (c.large) {
    MPI_Count at = 0;
    packed.error = (heddle ? MPI_Pack_c : PMPI_Pack_c)(base, c.count, type, packed.bytes.data(), room, &at, MPI_COMM_SELF);
    packed.bytes.resize(static_cast<std::size_t>(at));
    return packed;
  }
#endif
  int at = 0;
  packed.error = (heddle ? MPI_Pack : PMPI_Pack)(base, static_cast<int>(c.count), type, packed.bytes.data(),
                                                 static_cast<int>(room), &at, MPI_COMM_SELF);
  for (std::size_t i = static_cast<std::size_t>(room); i < packed.bytes.size(); ++i)
    if (packed.bytes[i] != mark) packed.error = -1;
  packed.bytes.resize(static_cast<std::size_t>(at));
  return packed;
}

template <bool heddle>
int unpack(const Case& c, MPI_Datatype type, void* base, Memory packed) {
  const Watch watch(heddle && c.count > 0, c.large ? "Unpack_c" : "Unpack", seen.unpacks, seen.unpacked_by_host);
  packed.reserve(1);  // so there is an address even without bytes
#if HOST_LARGE_COUNTS
  if (c.large) {
    MPI_Count at = 0;
    return (heddle ? MPI_Unpack_c : PMPI_Unpack_c)(packed.data(), static_cast<MPI_Count>(packed.size()), &at, base, c.count,
                                                   type, MPI_COMM_SELF);
  }
#endif
  int at = 0;
  return (heddle ? MPI_Unpack : PMPI_Unpack)(packed.data(), static_cast<int>(packed.size()), &at, base,
                                             static_cast<int>(c.count), type, MPI_COMM_SELF);
}

std::string differs(const char* what, const Memory& got, const Memory& wanted) {
  if (got == wanted) return "";
  if (got.size() != wanted.size())
    return std::string(what) + ": " + std::to_string(got.size()) + " bytes instead of " + std::to_string(wanted.size());
  std::size_t at = 0;
  while (got[at] == wanted[at]) ++at;
  return std::string(what) + ": byte " + std::to_string(at) + " of " + std::to_string(wanted.size()) + " differs";
}

/// Compares the host's size and true bounds with layout/. as_host_sees() compares lower bound and
/// extent.
std::string bounds(const Layout& l, MPI_Datatype type) {
  MPI_Count size = 0;
  MPI_Aint true_lower = 0, true_extent = 0;
  MPI_Type_size_x(type, &size);
  MPI_Type_get_true_extent(type, &true_lower, &true_extent);
  const auto say = [](const char* what, Bytes ours, Bytes host) {
    return std::string(what) + ": layout/ says " + std::to_string(ours) + ", the host " + std::to_string(host);
  };
  if (l.size() != size) return say("size", l.size(), size);
  if (size == 0) return "";  // without bytes, each library places the type differently
  if (l.true_lower_bound() != true_lower) return say("true lower bound", l.true_lower_bound(), true_lower);
  if (l.true_extent() != true_extent) return say("true extent", l.true_extent(), true_extent);
  return "";
}

/// Checks layout/ alone: ranges of the stream, the cursor's pieces, a transfer to another layout.
std::string engine(const Case& c, const Places& map, Field& field, const Memory& packed, Chooser& choose) {
  const Layout& l = c.type->layout;
  for (int i = 0; i < 3; ++i) {
    const Bytes from = choose.upto(map.packed), length = choose.upto(map.packed - from);
    Memory part(static_cast<std::size_t>(length));
    layout::pack_range(l, c.count, field.base(), from, length, part.data());
    if (auto wrong = differs("pack_range", part, {packed.begin() + from, packed.begin() + from + length}); !wrong.empty())
      return wrong + " (from " + std::to_string(from) + ", " + std::to_string(length) + " bytes)";
    if (map.overlap) continue;
    Field ours(map, 5), wanted(map, 5);
    layout::unpack_range(l, c.count, ours.base(), from, length, part.data());
    Memory whole = gather(map, wanted.base());
    std::copy(part.begin(), part.end(), whole.begin() + from);
    scatter(map, wanted.base(), whole.data());
    if (auto wrong = differs("unpack_range", ours.memory(), wanted.memory()); !wrong.empty())
      return wrong + " (from " + std::to_string(from) + ", " + std::to_string(length) + " bytes)";
  }

  Cursor cursor(l, c.count);
  cursor.seek(choose.upto(map.packed));
  std::size_t entry = 0;
  Bytes into = cursor.tell();
  while (entry < map.entries.size() && into >= map.entries[entry].length) into -= map.entries[entry++].length;
  while (!cursor.done()) {
    const layout::Segment piece = cursor.next(1 + choose.upto(99));
    for (Bytes at = 0; at < piece.length;) {
      const layout::Entry& e = map.entries[entry];
      if (e.offset + into != piece.offset + at)
        return "cursor: a piece at " + std::to_string(piece.offset + at) + " instead of " + std::to_string(e.offset + into);
      const Bytes step = std::min(piece.length - at, e.length - into);
      at += step;
      into += step;
      if (into == e.length) into = 0, ++entry;
    }
  }
  if (entry != map.entries.size()) return "cursor: ends early";

  const TypePtr other = layout::grammar::parse(random_tree(choose, {.depth = 3, .elements = 300, .reach = 1 << 14}));
  if (map.packed == 0 || other->layout.size() == 0) return "";
  const Bytes common = std::gcd(l.size(), other->layout.size());
  const Count from_count = other->layout.size() / common, to_count = l.size() / common;
  if (from_count * c.type->elements > 20000 || to_count * other->elements > 20000) return "";
  const Places from = places(*c.type, from_count), to = places(*other, to_count);
  if (to.overlap || from.high - from.low > 1 << 22 || to.high - to.low > 1 << 22) return "";
  Field source(from, 6), target(to, 7), wanted(to, 7);
  scatter(to, wanted.base(), gather(from, source.base()).data());
  layout::transfer(l, from_count, source.base(), other->layout, to_count, target.base());
  ++seen.transfers;
  if (auto wrong = differs("transfer", target.memory(), wanted.memory()); !wrong.empty())
    return wrong + " to " + std::to_string(to_count) + " of " + layout::grammar::to_string(*other);
  return "";
}

/// The first difference. Empty: all agree.
std::string judged(const Case& drawn) {
  if (host_crashes(*drawn.type)) {
    ++seen.host_errors;
    return "";
  }
  const HostView view = as_host_sees(drawn.type);
  if (!view.unexplained.empty()) {
    if (!host_error_is_known(*drawn.type, false)) return view.unexplained;
    ++seen.host_errors;
    return "";
  }
  const Committed type(*drawn.type, drawn.large);
  Case c = drawn;
  c.type = view.type;
  ++seen.trees;
  ++seen.depths[static_cast<std::size_t>(std::min(survey(*drawn.type), 7))];
  seen.elements += c.type->elements;
  seen.placed_otherwise += view.differs;
  const Places map = places(*c.type, c.count);
  seen.empty += map.packed == 0;
  seen.overlapping += map.overlap;
  const bool error_known = host_error_is_known(*drawn.type, map.overlap);
  if (auto wrong = bounds(c.type->layout, type); !wrong.empty() && !host_true_bounds_are_wrong(*drawn.type)) {
    if (!error_known) return wrong;
    ++seen.host_errors;
    return "";
  }

  Field field(map, 1);
  const Memory wanted = gather(map, field.base());
  const long by_host = seen.packed_by_host;
  Packed ours = pack<true>(c, type, field.base(), map.packed);
  Packed host = pack<false>(c, type, field.base(), map.packed);
  if (ours.error != MPI_SUCCESS) return "MPI_Pack: code " + std::to_string(ours.error);
  // The second use of the type. Then the first use of an equal type, which Heddle knows by its
  // contents: while the first type lives, and after it.
  if (differs("", pack<true>(c, type, field.base(), map.packed).bytes, ours.bytes) != "") return "MPI_Pack: not twice the same";
  for (int again = 0; again < 2; ++again) {
    const Committed same(*drawn.type, drawn.large);
    if (differs("", pack<true>(c, same, field.base(), map.packed).bytes, ours.bytes) != "")
      return "MPI_Pack: another result for a type that was made again";
  }
  Memory plain = wanted;
  for (Memory* each : {&ours.bytes, &host.bytes, &plain}) clear_padding(map, *each);
  const bool left_to_host = seen.packed_by_host > by_host;
  if (auto wrong = differs("MPI_Pack against the type map", ours.bytes, plain);
      !wrong.empty() && !(error_known && left_to_host))
    return wrong;
  if (host.error != MPI_SUCCESS) return "PMPI_Pack: code " + std::to_string(host.error);
  if (auto wrong = differs("PMPI_Pack against the type map", host.bytes, plain); !wrong.empty()) {
    if (!error_known) return wrong;
    ++seen.host_errors;
  }

  if (!map.overlap) {
    Field into(map, 2), into_host(map, 2), into_map(map, 2);
    scatter(map, into_map.base(), wanted.data());
    const int error = unpack<true>(c, type, into.base(), wanted);
    const int host_error = unpack<false>(c, type, into_host.base(), wanted);
    if (error != MPI_SUCCESS) return "MPI_Unpack: code " + std::to_string(error);
    for (Field* each : {&into, &into_host, &into_map}) clear_padding(map, each->base());
    if (auto wrong = differs("MPI_Unpack against the type map", into.memory(), into_map.memory());
        !wrong.empty() && !(error_known && left_to_host))
      return wrong;
    if (host_error != MPI_SUCCESS) return "PMPI_Unpack: code " + std::to_string(host_error);
    if (auto wrong = differs("PMPI_Unpack against the type map", into_host.memory(), into_map.memory());
        !wrong.empty() && !error_known)
      return wrong;
  }
  const Choices draws = choices_of(c.draw, 400);
  Chooser choose(draws);
  return engine(c, map, field, wanted, choose);
}

/// The case that runs now, for the report of a crash.
std::string present;
extern "C" void say_present(int signal) {
  for (const std::string& part : {std::string("crashed on '"), present, std::string("\n")})
    if (write(STDERR_FILENO, part.data(), part.size()) < 0) break;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// judged(), but a type that the host refuses is no failure. There must be few of them.
std::string verdict(const Case& c) {
  try {
    present = to_string(*c.type) + "' " + std::to_string(c.count) + (c.large ? " '(large counts)" : "'");
    return judged(c);
  } catch (const Refused&) {
    ++seen.refused;
    return "";
  }
}

Case drawn(const Choices& choices) {
  Chooser choose(choices);
  Case c;
  c.count = 1;
  const std::int64_t many = choose.upto(5);
  if (many > 2) c.count = many == 5 ? 0 : many - 1;
  c.large = HOST_LARGE_COUNTS && choose.upto(2) == 2;
  c.draw = static_cast<std::uint32_t>(choose.upto(1 << 20));
  c.type = layout::grammar::parse(random_tree(choose));
  return c;
}

int one(const std::string& text, Count count) {
  Case c{layout::grammar::parse(text), count, false, 1};
  const std::string wrong = verdict(c);
  std::printf("%s\n", wrong.empty() ? "all agree" : wrong.c_str());
  return wrong.empty() ? 0 : 1;
}

int report(bool passed, double seconds) {
  std::printf("%ld trees of %.1f elements on average, %ld empty, %ld overlapping, %ld more refused by the host, depths",
              seen.trees, static_cast<double>(seen.elements) / static_cast<double>(std::max(1L, seen.trees)), seen.empty,
              seen.overlapping, seen.refused);
  for (const long n : seen.depths) std::printf(" %ld", n);
  std::printf("\nlevels:");
  for (const auto& [name, n] : seen.combiners) std::printf(" %s %ld,", std::string(name).c_str(), n);
  std::printf(
      "\n%ld packs (%ld by the host), %ld unpacks (%ld by the host), %ld transfers, %ld types placed otherwise by the host, "
      "%ld "
      "known errors of the host, %.1f s\n",
      seen.packs, seen.packed_by_host, seen.unpacks, seen.unpacked_by_host, seen.transfers, seen.placed_otherwise,
      seen.host_errors, seconds);
  if (!passed) return 1;
  if (seen.refused > seen.trees / 50 || seen.host_errors > seen.trees / 10) {
    std::printf("FAILED: too many types could not be compared.\n");
    return 1;
  }
  // Heddle leaves types to the host that it cannot decode. But nearly all types must be Heddle's,
  // or nothing was tested.
  if (expected() == Expected::on && (seen.packed_by_host > seen.packs / 100 || seen.unpacked_by_host > seen.unpacks / 100)) {
    std::printf("FAILED: Heddle has left more than 1 %% of the types to the host.\n");
    return 1;
  }
  for (const auto combiner : {"dup", "contiguous", "vector", "hvector", "indexed", "hindexed", "indexed_block",
                              "hindexed_block", "struct", "subarray", "darray", "resized"}) {
    if (seen.combiners[combiner] > 0) continue;
    std::printf("FAILED: no %s among the trees.\n", combiner);
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace heddle::test

namespace rc {
template <>
struct Arbitrary<heddle::test::Choices> {
  static Gen<heddle::test::Choices> arbitrary() {
    const auto numbers = gen::resize(100, gen::container<std::vector<std::uint32_t>>(gen::inRange<std::uint32_t>(0, 1 << 20)));
    return gen::map(numbers, [](std::vector<std::uint32_t> list) { return heddle::test::Choices{std::move(list)}; });
  }
};
}  // namespace rc
namespace heddle::test {
static void showValue(const Choices& choices, std::ostream& os) {
  const Case c = drawn(choices);
  os << "'" << layout::grammar::to_string(*c.type) << "' " << c.count << (c.large ? " (large counts)" : "");
}
}  // namespace heddle::test

int main(int argc, char** argv) {
  using namespace heddle::test;
  setenv("RC_PARAMS", "max_success=100000 max_size=100", 0);
  MPI_Init(&argc, &argv);
  for (const MPI_Comm comm : {MPI_COMM_SELF, MPI_COMM_WORLD}) MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  for (const int signal : {SIGFPE, SIGSEGV, SIGBUS, SIGABRT}) std::signal(signal, say_present);
  int status = 1;
  if (expectation_holds()) {
    if (argc > 1) {
      status = one(argv[1], argc > 2 ? std::stoll(argv[2]) : 1);
    } else {
      const auto start = std::chrono::steady_clock::now();
      const bool passed =
          rc::check("MPI_Pack and MPI_Unpack are what the host's are, and what the type map says", [](const Choices& choices) {
            const std::string wrong = verdict(drawn(choices));
            if (!wrong.empty()) RC_FAIL(wrong);
          });
      status = report(passed, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
  }
  MPI_Finalize();
  return status;
}
