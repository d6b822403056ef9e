// mpi/file/file_registry.cpp: Heddle learns of a file when it is opened, and reads the hints. The
// ranks agree whether Heddle can follow the file at all.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "mpi/communicators/communicator_registry.hpp"
#include "mpi/file/file.hpp"
#include "mpi/node/mpi_node.hpp"
#include "mpi/process/process.hpp"

namespace heddle::mpi::files {

constinit threads::HandleTable<MPI_File, File> table;

namespace {

constinit std::atomic<bool> are_allowed{false};
constinit std::atomic<bool> have_holes{false};

/// The value of a hint. Empty: there is none.
std::string hint(MPI_Info info, const char* key) {
  char value[64] = "";
  int flag = 0;
  if (info == MPI_INFO_NULL || PMPI_Info_get(info, key, sizeof value - 1, value, &flag) != MPI_SUCCESS || flag == 0) return {};
  return value;
}

/// A hint that is a number in that range, or `otherwise`.
Bytes number(MPI_Info info, const char* key, Bytes least, Bytes most, Bytes otherwise) {
  const std::string text = hint(info, key);
  char* end = nullptr;
  errno = 0;
  const long long value = std::strtoll(text.c_str(), &end, 10);
  return errno == 0 && end != text.c_str() && *end == '\0' && value >= least && value <= most ? value : otherwise;
}

/// True: the user wants no collective buffering, or an access to the file that a second handle
/// would not have.
bool unusual(MPI_Info info) {
  if (info == MPI_INFO_NULL) return false;
  for (const char* const key : {"romio_cb_write", "romio_cb_read"})
    if (hint(info, key) == "disable") return true;
  if (hint(info, "collective_buffering") == "false") return true;
  for (const char* const key : {"romio_no_indep_rw", "direct_read", "direct_write", "e10_cache"})
    if (!hint(info, key).empty()) return true;
  return false;
}

/// True: the user asks for collective buffering of all data.
bool asks_for_buffering(MPI_Info info) {
  return hint(info, "romio_cb_write") == "enable" || hint(info, "romio_cb_read") == "enable" ||
         hint(info, "collective_buffering") == "true";
}

FileHints hints_of(MPI_Info info) {
  FileHints hints;
  constexpr Bytes most = Bytes{1} << 28;
  hints.all = settings_of_process().files == settings::FileAccess::on;
  hints.tries = settings_of_process().trials && !hints.all;
  hints.collective = asks_for_buffering(info);
  hints.alignment = number(info, "striping_unit", 1, most, hints.alignment);
  // Each piece costs messages and a call of the library, on every rank.
  const Bytes least_piece = hints.all ? 64 : 1 << 16;
  hints.piece = std::max(least_piece, number(info, "cb_buffer_size", 1, most, hints.piece));
  hints.owners = static_cast<int>(number(info, "cb_nodes", 1, 1 << 20, 0));
  return hints;
}

/// All ranks of the communicator are on this node.
bool on_one_node(MPI_Comm comm, int me, int ranks) {
  const MpiNode* const node = MpiNode::here();
  if (ranks == 1) return true;
  if (!node) return false;
  for (int rank = 0; rank < ranks; ++rank)
    if (rank != me && node->peer(comm, rank) < 0) return false;
  return true;
}

/// The words of a rank about a file that it has opened. All ranks go by the least of each.
class OpeningTerms {
 public:
  void hints(const FileHints& hints) {
    words_[all] = hints.all ? 1 : 0;
    words_[tries] = hints.tries ? 1 : 0;
    words_[independent] = hints.collective ? 0 : 1;
    words_[owners] = hints.owners;
    words_[alignment] = hints.alignment;
    words_[piece] = hints.piece;
  }
  [[nodiscard]] FileHints hints() const {
    return {.all = words_[all] != 0,
            .tries = words_[tries] != 0,
            .collective = words_[independent] == 0,
            .piece = std::max(words_[alignment], words_[piece] / words_[alignment] * words_[alignment]),
            .owners = static_cast<int>(words_[owners]),
            .alignment = words_[alignment]};
  }
  /// @param here  All ranks are on this node. The number of a device says nothing on another.
  void fits(const FileIdentity& identity, bool here) {
    words_[follows] = 1;
    words_[inode] = static_cast<long long>(identity.inode);
    words_[device] = here ? static_cast<long long>(identity.device) : 0;
    if (!here) words_[independent] = 0;  // collective buffering spares the network of a file system
    words_[inode_complement] = ~words_[inode];
    words_[device_complement] = ~words_[device];
  }
  void fails() { words_[follows] = 0; }
  bool reduce(MPI_Comm comm) {
    return PMPI_Allreduce(MPI_IN_PLACE, words_, count, MPI_LONG_LONG, MPI_MIN, comm) == MPI_SUCCESS;
  }
  /// All ranks have opened one file, and can follow it. Hints are the same on all ranks; if a
  /// program errs there, the ranks agree all the same.
  [[nodiscard]] bool agree() const {
    return words_[follows] != 0 && words_[inode] == ~words_[inode_complement] && words_[device] == ~words_[device_complement];
  }

 private:
  // If the least of x is the complement of the least of ~x, all ranks have the same x.
  enum Word {
    follows,
    all,
    tries,
    independent,
    owners,
    alignment,
    piece,
    inode,
    inode_complement,
    device,
    device_complement,
    count
  };
  long long words_[count] = {0, 0, 0, 0, 0, 1, 1, 0, ~0LL, 0, ~0LL};
};

bool is_of(int result, int wanted) {
  int found = MPI_SUCCESS;
  return result != MPI_SUCCESS && PMPI_Error_class(result, &found) == MPI_SUCCESS && found == wanted;
}

}  // namespace

void allow(bool is) noexcept { are_allowed = is; }

bool allowed() noexcept { return are_allowed; }

void meet_view(MPI_Datatype filetype) noexcept {
  MPI_Count size = 0, lower_bound = 0, extent = 0;
  if (PMPI_Type_size_x(filetype, &size) == MPI_SUCCESS &&
      PMPI_Type_get_extent_x(filetype, &lower_bound, &extent) == MPI_SUCCESS && size < extent)
    have_holes = true;
}

bool met_holes() noexcept { return have_holes; }

void meet(int result, MPI_Comm comm, const char* name, int amode, MPI_Info info, const MPI_File* fh) {
  // The host fails in one rank alone only after it has looked at the communicator.
  if (!are_allowed || is_of(result, MPI_ERR_COMM) || is_of(result, MPI_ERR_ARG) || comm == MPI_COMM_NULL ||
      communicators::reaches_beyond(comm))
    return;
  int me = 0;
  int ranks = 0;
  const Quiet quiet(comm);
  if (PMPI_Comm_rank(comm, &me) != MPI_SUCCESS || PMPI_Comm_size(comm, &ranks) != MPI_SUCCESS) return;
  std::unique_ptr<File> file;
  OpeningTerms terms;
  try {
    terms.hints(hints_of(info));
    const bool plain = (amode & (MPI_MODE_SEQUENTIAL | MPI_MODE_APPEND)) == 0;  // ranks may err, and differ here
    const bool here = on_one_node(comm, me, ranks);
    if (result == MPI_SUCCESS && plain && name && fh && *fh != MPI_FILE_NULL && !unusual(info) && (terms.hints().all || here) &&
        (ranks == 1 || has_room())) {
      if (const std::optional<FileIdentity> identity = FileIdentity::of(name)) {
        file = std::make_unique<File>(ranks, me, name, *identity, amode);
        terms.fits(*identity, here);
      }
      if (file) table.insert(*fh, file.get());
    }
  } catch (const std::exception&) {
    file.reset();
    terms.fails();
  }
  MPI_Comm own = MPI_COMM_SELF;
  bool agreed = ranks == 1 ? terms.agree() : terms.reduce(comm) && terms.agree();
  if (agreed && ranks > 1) {
    int made = PMPI_Comm_split(comm, 0, me, &own) == MPI_SUCCESS ? 1 : 0;
    agreed = PMPI_Allreduce(MPI_IN_PLACE, &made, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS && made != 0;
    if (own == MPI_COMM_NULL) own = MPI_COMM_SELF;  // the split has failed
  }
  if (own != MPI_COMM_SELF) PMPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  if (agreed) {
    file.release()->agreed(own, terms.hints());
    return;
  }
  if (file) table.erase(*fh);
  if (own != MPI_COMM_SELF) PMPI_Comm_free(&own);
}

void closes(MPI_File fh) noexcept { delete table.erase(fh); }

}  // namespace heddle::mpi::files
