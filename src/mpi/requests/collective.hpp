// mpi/requests/collective.hpp: collectives that are not over when the call returns: both sides' stand-ins live until the
// program completes the request, or for as long as a persistent request does. Includes completion.hpp, blocks.hpp, peers.hpp,
// side.hpp.
//
//   template <class How>                                           // Started: MPI_Igather; Kept: MPI_Gather_init
//   Done gather(const Buffer& send, const Buffer& receive, int root, MPI_Comm comm, const How& how) {
//     return carry_out<Staged<OneSide, OneSide>>(
//         how, [&](auto& op) { ...; return op.ready(); },          // the stand-ins and what goes through them; false: the
//         host's
//         [&](auto& op) { return HEDDLE_HAND_HOW(how, op.wide, Igather, Gather_init, op.out->address(), ..., comm); });
//   }
//
// A rank's own block goes the way of all others here; the blocking calls move it in one pass.
#pragma once

#include <memory>
#include <new>
#include <optional>

#include "mpi/requests/completion.hpp"
#include "mpi/staging/blocks.hpp"
#include "mpi/staging/peers.hpp"
#include "mpi/staging/side.hpp"

namespace heddle::mpi {

using OneSide = std::optional<Side>;

/// Both sides of a collective.
template <class Out, class In>
struct Staged {
  static constexpr int none = -1;
  static constexpr int all = -2;

  Out out;
  In in;
  bool wide = false;               ///< Counts or displacements do not fit int.
  bool sends = true;               ///< The send side goes into its stand-in before the call,
  int contributes = none;          ///< and this block of the receive side: in place.
  int stores = all;                ///< What comes back from the receive side's: nothing, or all blocks
  int but = none;                  ///< but one,
  int blocks = 0;                  ///< of so many,
  std::optional<Neighbours> from;  ///< and but those that nobody fills.

  /// What the report calls it.
  void call(const char* name) {
    name_one(out, name);
    name_one(in, name);
  }
  void load() {
    if (sends) load_all(out);
    if (contributes == all)
      load_all(in);
    else if (contributes != none)
      load_one(in, contributes);
  }
  void store() {
    if (stores == none) return;
    if (but == none && !from) return store_all(in);
    for (int i = 0; i < blocks; ++i)
      if (i != but && !(from && from->absent(i))) store_one(in, i);
  }

 private:
  static void name_one(OneSide& side, const char* name) {
    if (side) side->call(name);
  }
  static void name_one(Blocks& side, const char* name) { side.call(name); }
  static void load_all(OneSide& side) { side->load(); }
  static void load_all(Blocks& side) { side.load(); }
  static void load_one(OneSide& side, int block) { side->load(block, 1); }
  static void load_one(Blocks& side, int block) { side.load(block); }
  static void store_all(OneSide& side) { side->store(); }
  static void store_all(Blocks& side) { side.store(); }
  static void store_one(OneSide& side, int block) { side->store(block, 1); }
  static void store_one(Blocks& side, int block) { side.store(block); }
};

template <class Op>
class StartedCollective final : public Pending {
 public:
  int finish(MPI_Status& /*status*/, int error) noexcept override {
    if (error == MPI_SUCCESS) op.store();
    return error;
  }
  Op op;
};

/// Its request is the host's own persistent one, made with the stand-ins.
template <class Op>
class KeptCollective final : public Persistent {
 public:
  int start() override {
    op.load();
    const int error = PMPI_Start(&record.handle);
    record.active = error == MPI_SUCCESS;
    return error;
  }
  int finish(MPI_Status& /*status*/, int error) noexcept override {
    if (error == MPI_SUCCESS) op.store();
    return error;
  }
  Op op;
};

/// A non-blocking call.
struct Started {
  static constexpr bool persistent = false;
  MPI_Request* request;
};
/// A persistent one.
struct Kept {
  static constexpr bool persistent = true;
  MPI_Info info;
  MPI_Request* request;
};

/// "gather" of "gather<Started>".
struct NameOf {
  explicit NameOf(const char* function) noexcept {
    for (char* to = text; *function && *function != '<' && to < text + sizeof text - 1;) *to++ = *function++;
  }
  char text[32] = {};
};

/// @param call  What the report calls it: by default the function that calls ("gather").
template <class Op, class How, class Prepare, class Hand>
Done carry_out(const How& how, Prepare prepare, Hand hand, const char* call = __builtin_FUNCTION()) {
  using Operation = std::conditional_t<How::persistent, KeptCollective<Op>, StartedCollective<Op>>;
  if (!how.request || !requests::table.room()) return {};
  std::unique_ptr<Operation> operation(new (std::nothrow) Operation);
  if (!operation) return {};
  Done done;
  if (prepare(operation->op)) {
    static const NameOf name(call);  // one for each caller: `prepare` is a type of its own
    if constexpr (requires { operation->op.call(name.text); }) operation->op.call(name.text);
    if constexpr (!How::persistent) operation->op.load();
    done = hand(operation->op);
  }
  if (done != MPI_SUCCESS) return done;
  if constexpr (How::persistent)
    requests::track(*how.request, operation.release());
  else
    requests::track_unless_done(*how.request, operation.release());
  return done;
}

}  // namespace heddle::mpi

/// HEDDLE_HAND of the non-blocking procedure or the persistent one, which end in other parameters.
#if HEDDLE_PERSISTENT_COLLECTIVES
#define HEDDLE_HAND_HOW(how, wide, started, kept, ...)                        \
  [&]() -> ::heddle::mpi::Done {                                              \
    if constexpr (std::remove_cvref_t<decltype(how)>::persistent)             \
      return HEDDLE_HAND(wide, kept, __VA_ARGS__, (how).info, (how).request); \
    else                                                                      \
      return HEDDLE_HAND(wide, started, __VA_ARGS__, (how).request);          \
  }()
#else
#define HEDDLE_HAND_HOW(how, wide, started, kept, ...) HEDDLE_HAND(wide, started, __VA_ARGS__, (how).request)
#endif

// How a procedure's parameters end, what it hands on, and what the face gets: `how` is Started or Kept.
#define HEDDLE_ENDS_Started MPI_Request* request
#define HEDDLE_ENDS_Kept MPI_Info info, MPI_Request *request
#define HEDDLE_END_Started request
#define HEDDLE_END_Kept info, request
#define HEDDLE_ENDS(how) HEDDLE_ENDS_##how
#define HEDDLE_END(how) HEDDLE_END_##how
#define HEDDLE_HOW_Started \
  Started { request }
#define HEDDLE_HOW_Kept \
  Kept { info, request }
#define HEDDLE_HOW(how) HEDDLE_HOW_##how
