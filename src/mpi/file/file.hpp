// mpi/file/file.hpp: a file of the program that Heddle can access. The host keeps the file, its
// pointers, its views and its errors. Heddle keeps the views of all ranks, and a second handle on
// the same file, by which it reads and writes long pieces.
//
//   if (File* const file = files::table.find(fh); file && file->meets_views()) ...   // all ranks alike
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/file/coverage.hpp"
#include "engine/file/plan.hpp"
#include "engine/file/room.hpp"
#include "layout/bytes.hpp"
#include "mpi/file/file_order.hpp"
#include "mpi/process/host.hpp"
#include "threads/handle_table.hpp"

namespace heddle::mpi {

using engine::files::FileHints;
using engine::files::View;
using layout::Bytes;
using layout::Count;

/// A file in the file system, whatever its name.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  /// @param name  As MPI_File_open gets it. Nothing: this is no regular file, or cannot be seen.
  static std::optional<FileIdentity> of(const std::string& name);
  bool operator==(const FileIdentity&) const = default;
};

class File {
 public:
  /// @param me  The rank of this process among the `ranks` that have opened the file.
  File(int ranks, int me, std::string name, FileIdentity identity, int amode);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// All ranks have a File now.
  /// @param comm  Of Heddle, with these ranks. The file frees it, except MPI_COMM_SELF.
  void agreed(MPI_Comm comm, const FileHints& hints) noexcept;

  /// A call of MPI_File_set_view has returned `result`.
  void view_set(MPI_File fh, int result, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
                const char* datarep) noexcept;

  /// False: all ranks know that no view has holes, or that the host gets all accesses.
  [[nodiscard]] bool may_have_holes() const noexcept { return state_ == State::unknown || state_ == State::holes; }
  /// Collective if a view has been set since the last call. True: Heddle knows the views of all
  /// ranks, and some of them have holes.
  bool meets_views();
  /// True: all ranks know that no view has holes.
  [[nodiscard]] bool all_in_one_piece() const noexcept { return state_ == State::plain; }
  /// Begins an access to one piece of each rank, if that is not the host's. Collective, and costs
  /// messages once. True: all ranks have ended the accesses before, and each may access its piece
  /// by an independent call of the host.
  /// @param fits  False: this rank's part is the host's to judge.
  bool begin_independent(bool fits) noexcept;
  /// All ranks agree: the host gets all accesses from here on.
  void give_up() noexcept { state_ = State::given_up; }

  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] int ranks() const { return static_cast<int>(views_.size()); }
  [[nodiscard]] int me() const { return me_; }
  [[nodiscard]] const FileHints& hints() const { return hints_; }
  [[nodiscard]] const std::vector<View>& views() const { return views_; }
  /// Of this rank. Only if may_have_holes() or all_in_one_piece().
  [[nodiscard]] const View& view() const { return *mine_; }
  /// Bytes of this rank's etype.
  [[nodiscard]] Bytes etype() const { return etype_; }
  [[nodiscard]] bool may(bool write) const { return (amode_ & (write ? MPI_MODE_RDONLY : MPI_MODE_WRONLY)) == 0; }
  /// True: this rank's view is known to have no holes. Not collective.
  [[nodiscard]] bool shows_one_piece() const { return state_ != State::given_up && mine_ && mine_->in_one_piece(); }

  /// The second handle. The first call opens it. MPI_FILE_NULL: it cannot be opened.
  MPI_File second() noexcept;
  /// This rank has written by the second handle.
  void has_written() noexcept { unsynced_ = true; }
  /// MPI_File_sync of the second handle, if it has written since the last one. ROMIO keeps for each
  /// handle whether it has written, and leaves out the system's fsync if it has not.
  int sync() noexcept;

  /// After accesses that were the host's, the ranks do not ask each other about each of the next
  /// ones, so that many small accesses cost less. A new view does not change this. True: leave this
  /// access to the host without asking. All ranks call these two alike.
  bool pauses() noexcept { return pause_ > 0 && pause_-- > 0; }
  void refused(bool is) noexcept {
    refusals_ = is ? std::min(refusals_ + 1, 4) : 0;
    pause_ = is ? (1 << refusals_) - 2 : 0;
  }

  /// A collective access has ended without an error. Need not be called.
  void ended() noexcept {
    if (order_) order_->end();
  }

  /// A split collective access is under way: the host has begun one.
  struct Split {
    std::optional<Bytes> bytes;  ///< Heddle has carried so many bytes of this rank. Nothing: the host carries all.
  };
  std::optional<Split> split;

  /// Collective: tells the other ranks `mine`, and fills `told`. Costs messages in the first
  /// accesses. False: the host has failed.
  bool tell(const engine::files::AccessTerms& mine) noexcept;
  /// Collective. True: it is so on all ranks.
  bool agree(bool is) noexcept;

  // Memory of collective_access.cpp:
  std::vector<engine::files::AccessTerms> told;   ///< By all ranks.
  std::vector<engine::files::Accessed> accesses;  ///< The same.
  engine::files::Room piece, owned, own;
  engine::files::Coverage coverage;

 private:
  enum class State : std::uint8_t {
    plain,     ///< All is known, and no view has holes.
    unknown,   ///< A view has been set since the ranks last met.
    foreign,   ///< Heddle does not know the view of some rank. The host gets all accesses through this view.
    holes,     ///< All is known, and some view has holes.
    given_up,  ///< The host gets all.
  };
  struct ViewTerms;
  void meet();
  FileOrder* order() noexcept;

  MPI_Comm comm_ = MPI_COMM_SELF;
  int me_;
  std::string name_;
  FileIdentity identity_;
  int amode_;
  FileHints hints_;
  MPI_File second_ = MPI_FILE_NULL;
  bool unsynced_ = false;
  State state_ = State::plain;
  std::unique_ptr<FileOrder> order_;
  int accesses_without_order_ = 0;
  int refusals_ = 0;
  int pause_ = 0;
  std::optional<View> mine_ = View();  // nothing: Heddle does not know this view
  Bytes etype_ = 1;
  std::vector<View> views_;
};

namespace files {

extern constinit threads::HandleTable<MPI_File, File> table;

/// Called in MPI_Init. True: on all ranks, HEDDLE_FILES lets Heddle carry accesses to files.
void allow(bool is) noexcept;
[[nodiscard]] bool allowed() noexcept;

/// The program has set a view, whether or not Heddle may carry accesses.
void meet_view(MPI_Datatype filetype) noexcept;
/// True: some view of this process has had holes.
[[nodiscard]] bool met_holes() noexcept;

/// The program's MPI_File_open has returned `result`. Collective over `comm`: ranks where it has
/// failed call this, too.
void meet(int result, MPI_Comm comm, const char* name, int amode, MPI_Info info, const MPI_File* fh);

/// False: the open files of this process have as many communicators of Heddle as they may.
[[nodiscard]] bool has_room() noexcept;

/// Before the host closes the file.
void closes(MPI_File fh) noexcept;

/// MPI_Finalize has begun. From here on no second handle is opened: delete callbacks of
/// MPI_COMM_SELF may still access files, but ROMIO may have ended in such a callback.
void finalize_begins() noexcept;

}  // namespace files
}  // namespace heddle::mpi
