// mpi/file/file.cpp: the ranks tell each other their views, as layouts in a few bytes.
#include "mpi/file/file.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <numeric>
#include <string_view>
#include <utility>

#include "layout/wire.hpp"
#include "mpi/process/process.hpp"
#include "mpi/types/registry.hpp"

namespace heddle::mpi {
namespace {

constinit std::atomic<bool> finalizing{false};
/// Of files that are open.
constinit std::atomic<int> own_communicators{0};
/// Hosts have few communicators: MPICH has 2,048 of them in a process.
constexpr int most_communicators = 64;

/// Layouts of more bytes cost too much to exchange.
constexpr std::size_t longest_layout = std::size_t{1} << 20;

bool look_at(const char* name, FileIdentity& found) {
  struct stat about {};
  if (stat(name, &about) != 0 || !S_ISREG(about.st_mode)) return false;
  found = {about.st_dev, about.st_ino};
  return true;
}

/// The bytes of a type. 0: Heddle does not know the type.
Bytes size_of_type(MPI_Datatype type) {
  if (known(type)) {
    const Derived derived(type);
    return derived ? derived->size() : 0;
  }
  const Predefined found = predefined(type);
  return found.pair || !seen_predefined(type) ? 0 : found.size;
}

/// Nothing: the host gets all accesses through this view.
std::optional<View> view_of(MPI_Offset displacement, MPI_Datatype filetype, std::string_view datarep) {
  if (displacement < 0 || datarep != "native") return {};
  if (!known(filetype)) {
    const Predefined found = predefined(filetype);
    if (found.pair || found.size <= 0 || !seen_predefined(filetype)) return {};
    return View(layout::basic(found.size), displacement);
  }
  const Derived derived(filetype);
  if (!derived || !View::fits(derived->layout())) return {};
  return View(derived->layout(), displacement);
}

/// True: a handler of the program may have heard of an error, and the call returned MPI_SUCCESS.
bool hides_errors(MPI_File fh) {
  if (!traits().forgets_heard_errors) return false;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (PMPI_File_get_errhandler(fh, &handler) != MPI_SUCCESS) return true;
  const bool made = handler != MPI_ERRORS_ARE_FATAL && handler != MPI_ERRORS_RETURN;
  PMPI_Errhandler_free(&handler);
  return made;
}

}  // namespace

void files::finalize_begins() noexcept { finalizing = true; }

bool files::has_room() noexcept { return own_communicators.load(std::memory_order_relaxed) < most_communicators; }

std::optional<FileIdentity> FileIdentity::of(const std::string& name) {
  FileIdentity found;
  if (look_at(name.c_str(), found)) return found;
  const std::size_t colon = name.find(':');  // "ufs:data": the name of a file system comes first
  if (colon != std::string::npos && look_at(name.c_str() + colon + 1, found)) return found;
  return {};
}

File::File(int ranks, int me, std::string name, FileIdentity identity, int amode)

    : told(static_cast<std::size_t>(ranks)),
      accesses(static_cast<std::size_t>(ranks)),
      me_(me),
      name_(std::move(name)),
      identity_(identity),
      amode_(amode),
      views_(static_cast<std::size_t>(ranks)) {}

File::~File() {
  if (order_) order_->leave();
  if (second_ != MPI_FILE_NULL) PMPI_File_close(&second_);
  if (comm_ == MPI_COMM_SELF) return;
  PMPI_Comm_free(&comm_);
  own_communicators.fetch_sub(1, std::memory_order_relaxed);
}

void File::agreed(MPI_Comm comm, const FileHints& hints) noexcept {
  comm_ = comm;
  hints_ = hints;
  if (comm != MPI_COMM_SELF) own_communicators.fetch_add(1, std::memory_order_relaxed);
}

/// Collective: each access asks once. Null: the ranks have no order yet, or share no memory. An
/// order costs about as many messages as two accesses.
FileOrder* File::order() noexcept {
  constexpr int first_accesses = 2;
  if (accesses_without_order_ <= first_accesses && accesses_without_order_++ == first_accesses)
    order_ = FileOrder::agreed(comm_, ranks(), me_, hints_.tries);
  return order_.get();
}

bool File::begin_independent(bool fits) noexcept {
  if (hints_.collective || ranks() <= traits().unordered_files_up_to) return false;
  FileOrder* const found = order();
  return found && found->begin(fits);
}

bool File::tell(const engine::files::AccessTerms& mine) noexcept {
  constexpr int length = sizeof(engine::files::AccessTerms);
  FileOrder* const found = ranks() == 1 ? nullptr : order();
  if (!found) return PMPI_Allgather(&mine, length, MPI_BYTE, told.data(), length, MPI_BYTE, comm_) == MPI_SUCCESS;
  found->tell(mine, told);
  return true;
}

bool File::agree(bool is) noexcept {
  if (order_) return order_->agree(is);
  int all = is ? 1 : 0;
  return PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm_) == MPI_SUCCESS && all != 0;
}

int File::sync() noexcept {
  return second_ != MPI_FILE_NULL && std::exchange(unsynced_, false) ? PMPI_File_sync(second_) : MPI_SUCCESS;
}

void File::view_set(MPI_File fh, int result, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
                    const char* datarep) noexcept {
  if (state_ == State::given_up) return;
  // The host has refused the call before it told the other ranks anything. Perhaps they did not
  // call.
  if (result != MPI_SUCCESS && (etype == MPI_DATATYPE_NULL || filetype == MPI_DATATYPE_NULL)) return;
  state_ = State::unknown;
  mine_.reset();
  try {
    if (result != MPI_SUCCESS || !datarep || hides_errors(fh)) return;
    etype_ = size_of_type(etype);
    if (etype_ > 0) mine_ = view_of(displacement, filetype, datarep);
    // The extent of a tile is a multiple of the etype's, so that elements do not spread over tiles.
    if (mine_ && mine_->tile().size() % etype_ != 0) mine_.reset();
  } catch (const std::exception&) {
    mine_.reset();
  }
}

/// The words of one rank about its view.
struct File::ViewTerms {
  Bytes displacement = 0;
  int length = 0;  ///< Bytes of the layout. 0: Heddle does not know this view.
  int holes = 0;
};

bool File::meets_views() {
  if (state_ == State::unknown) meet();
  return state_ == State::holes;
}

// Each step that may fail in one rank alone comes before a collective, which tells all ranks.
void File::meet() {
  std::vector<std::byte> layout;
  ViewTerms mine;
  std::vector<ViewTerms> all;
  bool ready = false;
  state_ = State::given_up;
  try {
    all.resize(views_.size());
    if (mine_) layout = layout::wire::encode(mine_->tile());
    if (layout.size() <= longest_layout)
      mine = {mine_ ? mine_->displacement() : 0, static_cast<int>(layout.size()), mine_ && !mine_->in_one_piece() ? 1 : 0};
    ready = true;
  } catch (const std::exception&) {
    mine = {};
  }
  // Without memory for the words of all, this rank cannot hear them.
  int fit = ready && mine.length > 0 ? 1 : 0;
  int holes = mine.holes;
  int both[2] = {fit, -holes};
  if (PMPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_INT, MPI_MIN, comm_) != MPI_SUCCESS) return;
  fit = both[0];
  holes = -both[1];
  if (fit == 0 || holes == 0) {
    state_ = fit == 0 ? State::foreign : State::plain;  // until a view is set again
    return;
  }
  constexpr int length = sizeof(ViewTerms);
  if (PMPI_Allgather(&mine, length, MPI_BYTE, all.data(), length, MPI_BYTE, comm_) != MPI_SUCCESS) return;
  std::vector<int> lengths, places;
  std::vector<std::byte> layouts;
  int enough = 1;
  try {
    std::size_t sum = 0;
    for (const ViewTerms& each : all) {
      lengths.push_back(each.length);
      places.push_back(static_cast<int>(std::min(sum, std::size_t{1} << 30)));
      sum += static_cast<std::size_t>(each.length);
    }
    if (sum > std::size_t{1} << 30) throw std::bad_alloc();
    layouts.resize(sum);
  } catch (const std::exception&) {
    enough = 0;
  }
  if (PMPI_Allreduce(MPI_IN_PLACE, &enough, 1, MPI_INT, MPI_MIN, comm_) != MPI_SUCCESS || enough == 0 ||
      PMPI_Allgatherv(layout.data(), mine.length, MPI_BYTE, layouts.data(), lengths.data(), places.data(), MPI_BYTE, comm_) !=
          MPI_SUCCESS)
    return;
  try {
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      const std::byte* const from = layouts.data() + places[rank];
      views_[rank] = View(layout::wire::decode({from, static_cast<std::size_t>(lengths[rank])}), all[rank].displacement);
    }
  } catch (const std::exception&) {
    enough = 0;
  }
  if (PMPI_Allreduce(MPI_IN_PLACE, &enough, 1, MPI_INT, MPI_MIN, comm_) == MPI_SUCCESS && enough != 0) state_ = State::holes;
}

// Errors of opening a file go to the handler of MPI_FILE_NULL. Heddle opens nothing if that handler
// is not the default, which returns them.
MPI_File File::second() noexcept {
  if (second_ != MPI_FILE_NULL || finalizing.load(std::memory_order_relaxed)) return second_;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (PMPI_File_get_errhandler(MPI_FILE_NULL, &handler) != MPI_SUCCESS) return MPI_FILE_NULL;
  const bool returns = handler == MPI_ERRORS_RETURN;
  if (handler != MPI_ERRHANDLER_NULL) PMPI_Errhandler_free(&handler);
  const auto same = [this] { return FileIdentity::of(name_) == identity_; };
  const int amode = amode_ & (MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR);
  MPI_File opened = MPI_FILE_NULL;
  try {
    if (!returns || !same() || PMPI_File_open(MPI_COMM_SELF, name_.c_str(), amode, MPI_INFO_NULL, &opened) != MPI_SUCCESS)
      return MPI_FILE_NULL;
    if (PMPI_File_set_errhandler(opened, MPI_ERRORS_RETURN) == MPI_SUCCESS && same()) return second_ = opened;
  } catch (const std::exception&) {
    // no memory: as if it could not be opened
  }
  if (opened != MPI_FILE_NULL) PMPI_File_close(&opened);
  return MPI_FILE_NULL;
}

}  // namespace heddle::mpi
