#include "support/pmpi_spy.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "support/nodes.hpp"

namespace heddle::test {
namespace {

struct Count {
  std::atomic<const char*> name{nullptr};
  std::atomic<long> calls{0};
  std::atomic<long> derived{0};
};
Count counts[96];

Count& count_of(std::string_view name) {
  for (Count& count : counts) {
    const char* known = count.name.load();
    if (known && name == known) return count;
  }
  static Count nobody;
  return nobody;
}

bool is_derived(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return false;
  int combiner = MPI_COMBINER_NAMED;
#if HOST_LARGE_COUNTS
  MPI_Count integers = 0, addresses = 0, large = 0, types = 0;
  PMPI_Type_get_envelope_c(type, &integers, &addresses, &large, &types, &combiner);
#else
  int integers = 0, addresses = 0, types = 0;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
#endif
  return combiner != MPI_COMBINER_NAMED;
}

void saw(Count& count, std::initializer_list<MPI_Datatype> types) {
  count.calls.fetch_add(1, std::memory_order_relaxed);
  for (const MPI_Datatype type : types) {
    if (!is_derived(type)) continue;
    count.derived.fetch_add(1, std::memory_order_relaxed);
    return;
  }
}

/// The host's PMPI_<name>, and the entry that counts its calls.
struct Behind {
  void* host;
  Count* count;
};
Behind behind(const char* name) {
  Behind it{of_host(name), nullptr};
  const char* plain = std::strchr(name, '_') + 1;
  for (Count& count : counts) {
    const char* free = nullptr;
    if (count.name.compare_exchange_strong(free, plain) || std::strcmp(free, plain) == 0) {
      it.count = &count;
      return it;
    }
  }
  std::abort();
}

}  // namespace

long pmpi_spy::derived(std::string_view name) { return count_of(name).derived; }
long pmpi_spy::calls(std::string_view name) { return count_of(name).calls; }
long pmpi_spy::derived() {
  long all = 0;
  for (const Count& count : counts) all += count.derived;
  return all;
}

std::string face_file() {
  Dl_info info{};
  void* send = dlsym(RTLD_DEFAULT, "MPI_Send");
  return send && dladdr(send, &info) && info.dli_fname ? info.dli_fname : "";
}

Expected expected() {
  const char* text = std::getenv("TEST_HEDDLE");
  if (!text || std::strcmp(text, "none") == 0) return Expected::none;
  return std::strcmp(text, "off") == 0 ? Expected::off : Expected::on;
}

bool types_reach_host() {
  static const bool reach = expected() != Expected::on || std::getenv("HEDDLE_COLLECTIVES") != nullptr;
  return reach;
}

bool expectation_holds() {
  const bool loaded = face_file().find("libheddle_") != std::string::npos;
  MPI_Datatype vector = MPI_DATATYPE_NULL;
  MPI_Type_vector(7, 1, 3, MPI_INT, &vector);
  MPI_Type_commit(&vector);
  const int from[21] = {};
  int to[21], position = 0;
  const long before = pmpi_spy::derived("Pack");
  MPI_Pack(from, 1, vector, to, sizeof to, &position, MPI_COMM_SELF);
  const bool working = loaded && pmpi_spy::derived("Pack") == before;
  MPI_Type_free(&vector);
  const Expected wanted = expected();
  const bool holds = wanted == Expected::none ? !loaded : loaded && working == (wanted == Expected::on);
  if (!holds) {
    std::fprintf(stderr, "TEST_HEDDLE=%s, but MPI_Send comes from %s and MPI_Pack is %s.\n",
                 wanted == Expected::none  ? "none"
                 : wanted == Expected::off ? "off"
                                           : "on",
                 face_file().c_str(), working ? "Heddle's" : "the host's");
  }
  return holds;
}

}  // namespace heddle::test

using namespace heddle::test;

// Each wrapper has a declaration, the arguments that are datatypes, and the arguments that it
// passes on.
#define WITNESS(name, parameters, types, arguments)                       \
  int PMPI_##name parameters {                                            \
    static const Behind next = behind("PMPI_" #name);                     \
    saw(*next.count, types);                                              \
    return reinterpret_cast<decltype(&PMPI_##name)>(next.host) arguments; \
  }
#define TYPES(...) \
  { __VA_ARGS__ }

#define WITNESS_ALL(C, Integer, Place)                                                                                         \
  WITNESS(Pack##C, (const void* in, Integer n, MPI_Datatype t, void* out, Integer size, Integer* at, MPI_Comm c), TYPES(t),    \
          (in, n, t, out, size, at, c))                                                                                        \
  WITNESS(Unpack##C, (const void* in, Integer size, Integer* at, void* out, Integer n, MPI_Datatype t, MPI_Comm c), TYPES(t),  \
          (in, size, at, out, n, t, c))                                                                                        \
  WITNESS(Send##C, (const void* b, Integer n, MPI_Datatype t, int to, int tag, MPI_Comm c), TYPES(t), (b, n, t, to, tag, c))   \
  WITNESS(Bsend##C, (const void* b, Integer n, MPI_Datatype t, int to, int tag, MPI_Comm c), TYPES(t), (b, n, t, to, tag, c))  \
  WITNESS(Ssend##C, (const void* b, Integer n, MPI_Datatype t, int to, int tag, MPI_Comm c), TYPES(t), (b, n, t, to, tag, c))  \
  WITNESS(Rsend##C, (const void* b, Integer n, MPI_Datatype t, int to, int tag, MPI_Comm c), TYPES(t), (b, n, t, to, tag, c))  \
  WITNESS(Isend##C, (const void* b, Integer n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request* r), TYPES(t),         \
          (b, n, t, to, tag, c, r))                                                                                            \
  WITNESS(Recv##C, (void* b, Integer n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Status* s), TYPES(t),               \
          (b, n, t, from, tag, c, s))                                                                                          \
  WITNESS(Mrecv##C, (void* b, Integer n, MPI_Datatype t, MPI_Message* m, MPI_Status* s), TYPES(t), (b, n, t, m, s))            \
  WITNESS(Sendrecv##C,                                                                                                         \
          (const void* sb, Integer sn, MPI_Datatype st, int to, int stag, void* rb, Integer rn, MPI_Datatype rt, int from,     \
           int rtag, MPI_Comm c, MPI_Status* s),                                                                               \
          TYPES(st, rt), (sb, sn, st, to, stag, rb, rn, rt, from, rtag, c, s))                                                 \
  WITNESS(Sendrecv_replace##C,                                                                                                 \
          (void* b, Integer n, MPI_Datatype t, int to, int stag, int from, int rtag, MPI_Comm c, MPI_Status* s), TYPES(t),     \
          (b, n, t, to, stag, from, rtag, c, s))                                                                               \
  WITNESS(Put##C, (const void* b, Integer n, MPI_Datatype t, int to, MPI_Aint at, Integer tn, MPI_Datatype tt, MPI_Win w),     \
          TYPES(t, tt), (b, n, t, to, at, tn, tt, w))                                                                          \
  WITNESS(Get##C, (void* b, Integer n, MPI_Datatype t, int from, MPI_Aint at, Integer tn, MPI_Datatype tt, MPI_Win w),         \
          TYPES(t, tt), (b, n, t, from, at, tn, tt, w))                                                                        \
  WITNESS(File_write_all##C, (MPI_File f, const void* b, Integer n, MPI_Datatype t, MPI_Status* s), TYPES(t), (f, b, n, t, s)) \
  WITNESS(File_read_all##C, (MPI_File f, void* b, Integer n, MPI_Datatype t, MPI_Status* s), TYPES(t), (f, b, n, t, s))        \
  WITNESS(File_write_at_all##C, (MPI_File f, MPI_Offset at, const void* b, Integer n, MPI_Datatype t, MPI_Status* s),          \
          TYPES(t), (f, at, b, n, t, s))                                                                                       \
  WITNESS(File_read_at_all##C, (MPI_File f, MPI_Offset at, void* b, Integer n, MPI_Datatype t, MPI_Status* s), TYPES(t),       \
          (f, at, b, n, t, s))                                                                                                 \
  WITNESS(Bcast##C, (void* b, Integer n, MPI_Datatype t, int root, MPI_Comm c), TYPES(t), (b, n, t, root, c))                  \
  WITNESS(Gather##C,                                                                                                           \
          (const void* sb, Integer sn, MPI_Datatype st, void* rb, Integer rn, MPI_Datatype rt, int root, MPI_Comm c),          \
          TYPES(sb == MPI_IN_PLACE ? MPI_DATATYPE_NULL : st), (sb, sn, st, rb, rn, rt, root, c))                               \
  WITNESS(Scatter##C,                                                                                                          \
          (const void* sb, Integer sn, MPI_Datatype st, void* rb, Integer rn, MPI_Datatype rt, int root, MPI_Comm c),          \
          TYPES(rb == MPI_IN_PLACE ? MPI_DATATYPE_NULL : rt), (sb, sn, st, rb, rn, rt, root, c))                               \
  WITNESS(Allgather##C, (const void* sb, Integer sn, MPI_Datatype st, void* rb, Integer rn, MPI_Datatype rt, MPI_Comm c),      \
          TYPES(rt), (sb, sn, st, rb, rn, rt, c))                                                                              \
  WITNESS(Alltoall##C, (const void* sb, Integer sn, MPI_Datatype st, void* rb, Integer rn, MPI_Datatype rt, MPI_Comm c),       \
          TYPES(rt), (sb, sn, st, rb, rn, rt, c))                                                                              \
  WITNESS(Neighbor_allgather##C,                                                                                               \
          (const void* sb, Integer sn, MPI_Datatype st, void* rb, Integer rn, MPI_Datatype rt, MPI_Comm c), TYPES(st, rt),     \
          (sb, sn, st, rb, rn, rt, c))                                                                                         \
  WITNESS(Neighbor_alltoall##C,                                                                                                \
          (const void* sb, Integer sn, MPI_Datatype st, void* rb, Integer rn, MPI_Datatype rt, MPI_Comm c), TYPES(st, rt),     \
          (sb, sn, st, rb, rn, rt, c))                                                                                         \
  WITNESS(Gatherv##C,                                                                                                          \
          (const void* sb, Integer sn, MPI_Datatype st, void* rb, const Integer* rn, const Place* rd, MPI_Datatype rt,         \
           int root, MPI_Comm c),                                                                                              \
          TYPES(sb == MPI_IN_PLACE ? MPI_DATATYPE_NULL : st), (sb, sn, st, rb, rn, rd, rt, root, c))                           \
  WITNESS(Scatterv##C,                                                                                                         \
          (const void* sb, const Integer* sn, const Place* sd, MPI_Datatype st, void* rb, Integer rn, MPI_Datatype rt,         \
           int root, MPI_Comm c),                                                                                              \
          TYPES(rb == MPI_IN_PLACE ? MPI_DATATYPE_NULL : rt), (sb, sn, sd, st, rb, rn, rt, root, c))                           \
  WITNESS(Allgatherv##C,                                                                                                       \
          (const void* sb, Integer sn, MPI_Datatype st, void* rb, const Integer* rn, const Place* rd, MPI_Datatype rt,         \
           MPI_Comm c),                                                                                                        \
          TYPES(rt), (sb, sn, st, rb, rn, rd, rt, c))                                                                          \
  WITNESS(Neighbor_allgatherv##C,                                                                                              \
          (const void* sb, Integer sn, MPI_Datatype st, void* rb, const Integer* rn, const Place* rd, MPI_Datatype rt,         \
           MPI_Comm c),                                                                                                        \
          TYPES(st, rt), (sb, sn, st, rb, rn, rd, rt, c))                                                                      \
  WITNESS(Alltoallv##C,                                                                                                        \
          (const void* sb, const Integer* sn, const Place* sd, MPI_Datatype st, void* rb, const Integer* rn, const Place* rd,  \
           MPI_Datatype rt, MPI_Comm c),                                                                                       \
          TYPES(rt), (sb, sn, sd, st, rb, rn, rd, rt, c))                                                                      \
  WITNESS(Alltoallw##C,                                                                                                        \
          (const void* sb, const Integer* sn, const Place* sd, const MPI_Datatype* st, void* rb, const Integer* rn,            \
           const Place* rd, const MPI_Datatype* rt, MPI_Comm c),                                                               \
          TYPES(rt[0]), (sb, sn, sd, st, rb, rn, rd, rt, c))                                                                   \
  WITNESS(Neighbor_alltoallv##C,                                                                                               \
          (const void* sb, const Integer* sn, const Place* sd, MPI_Datatype st, void* rb, const Integer* rn, const Place* rd,  \
           MPI_Datatype rt, MPI_Comm c),                                                                                       \
          TYPES(st, rt), (sb, sn, sd, st, rb, rn, rd, rt, c))                                                                  \
  WITNESS(Neighbor_alltoallw##C,                                                                                               \
          (const void* sb, const Integer* sn, const MPI_Aint* sd, const MPI_Datatype* st, void* rb, const Integer* rn,         \
           const MPI_Aint* rd, const MPI_Datatype* rt, MPI_Comm c),                                                            \
          TYPES(MPI_DATATYPE_NULL), (sb, sn, sd, st, rb, rn, rd, rt, c))

extern "C" {
/// The tests' PMPI_ names mean the host (src/interposition).
extern __attribute__((visibility("default"))) const int heddle_pmpi_is_host;
const int heddle_pmpi_is_host = 1;

/// TEST_NODES: the number of nodes that ranks are dealt to, for Heddle's schedules and its memory
/// (nodes.hpp).
__attribute__((visibility("default"))) int uname(utsname* system) noexcept {
  const char* nodes = std::getenv("TEST_NODES");
  return heddle::test::uname_of_node(nodes ? std::atoi(nodes) : 0, system);
}
__attribute__((visibility("default"))) int PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info,
                                                                MPI_Comm* made) {
  const char* nodes = std::getenv("TEST_NODES");
  if (!nodes || type != MPI_COMM_TYPE_SHARED) {
    using Procedure = int (*)(MPI_Comm, int, int, MPI_Info, MPI_Comm*);
    return reinterpret_cast<Procedure>(heddle::test::of_host("PMPI_Comm_split_type"))(comm, type, key, info, made);
  }
  return heddle::test::split_by_nodes(std::atoi(nodes), comm, key, made);
}

WITNESS_ALL(, int, int)
#if HOST_LARGE_COUNTS
WITNESS_ALL(_c, MPI_Count, MPI_Aint)
#endif
}
