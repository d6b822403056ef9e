// mpi/network/mpi_network.cpp: from MPI_Init to MPI_Finalize.
#include "mpi/network/mpi_network.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "engine/base/give_way.hpp"
#include "engine/base/wait.hpp"
#include "engine/network/providers.hpp"
#include "mpi/communicators/for_host.hpp"
#include "mpi/node/mpi_node.hpp"
#include "mpi/process/numbers.hpp"
#include "mpi/process/process.hpp"
#include "mpi/process/progress.hpp"
#include "threads/staging_pool.hpp"
#include "transport/fabric/adapters.hpp"

namespace heddle::mpi {

HEDDLE_READ_BY_EVERY_CALL constinit std::atomic<Network*> Network::here_{nullptr};

namespace {

namespace fabric = transport::fabric;

/// The tag of the words that ranks send each other about the fabric and its messages
/// (engine/network/wireup.hpp).
constexpr int words = 0;
constexpr const char* goes_packed = "messages between nodes go through the MPI library";

/// The costs that were measured between nodes under this host.
const select::BetweenNodes& measured(const select::Profile& profile) noexcept {
  return traits().host == Host::openmpi ? profile.openmpi_nodes : profile.mpich_nodes;
}

}  // namespace

bool Network::may_gain(const settings::Settings& set) noexcept {
  if (set.fabric != "auto") return set.fabric != "off";
  if (fabric::adapters()) return true;
  const select::Profile& profile = profile_of_machine().profile;
  return select::worth_opening(measured(profile), profile);
}

bool Network::prepare() noexcept try {
  if (PMPI_Comm_rank(comm_, &me_) != MPI_SUCCESS || PMPI_Comm_size(comm_, &ranks_) != MPI_SUCCESS) return false;
  int* tag = nullptr;
  int found = 0;
  if (PMPI_Comm_get_attr(comm_, MPI_TAG_UB, &tag, &found) == MPI_SUCCESS && found) most_tag_ = *tag - 1;
  nonce_ = transport::random_secret();
  threshold_ = std::max(2 * settings_of_process().rendezvous, engine::network_descriptor_bytes);
  if (settings_of_process().scheme != settings::Scheme::automatic) wireup_.move_pieces();
  crowded_ = MpiNode::here() ? MpiNode::here()->crowded() : engine::ranks_of_node() > engine::cores_of_node();
  profile_ = profile_of_machine().profile;
  return nonce_ != engine::Nonce{};
} catch (const std::exception& error) {
  say_once_verbose(goes_packed, error.what());
  return false;
}

// If a step fails in one rank alone, all ranks still come to the reduction, and learn of it.
void Network::start() noexcept {
  MPI_Comm comm = MPI_COMM_NULL;
  const bool made = PMPI_Comm_dup(MPI_COMM_WORLD, &comm) == MPI_SUCCESS;
  std::unique_ptr<Network> network(made ? new (std::nothrow) Network(comm) : nullptr);
  int ready = network && network->prepare();
  engine::Nonce nonce = ready ? network->nonce_ : engine::Nonce{};
  PMPI_Bcast(nonce.data(), sizeof nonce, MPI_BYTE, 0, MPI_COMM_WORLD);
  PMPI_Allreduce(MPI_IN_PLACE, &ready, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (!ready) {
    if (made) PMPI_Comm_free(&comm);
    return;
  }
  PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  network->nonce_ = nonce;
  here_.store(network.release(), std::memory_order_release);
}

void Network::meet() noexcept {
  MPI_Request all = MPI_REQUEST_NULL;
  if (PMPI_Ibarrier(comm_, &all) != MPI_SUCCESS) return;
  int done = 0;
  for (engine::Patience patience(crowded_); PMPI_Test(&all, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done;
       patience.pause()) {
    advance();
    if (all_received_) discard();
  }
}

/// Takes in one message: a word, or packed bytes for which no receive is left. When all receives
/// are complete, such bytes were too long for their receive.
void Network::discard() noexcept {
  int found = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  MPI_Count bytes = 0;
  threads::StagingBuffer nowhere;
  if (PMPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &found, &message, &status) != MPI_SUCCESS || !found) return;
  if (status.MPI_TAG == words) return take_word(message, status.MPI_SOURCE);
  if (PMPI_Get_elements_x(&status, MPI_BYTE, &bytes) != MPI_SUCCESS) return;
  const bool room = nowhere.reserve(bytes);
  PMPI_Mrecv(room ? nowhere.data() : nullptr, room && fits(bytes) ? static_cast<int>(bytes) : 0, MPI_BYTE, &message,
             MPI_STATUS_IGNORE);
}

// 1. When all ranks are here, every receive of the program is complete. A descriptor that has no
//    answer yet will never get one.
// 2. Messages that have an end go on to it, and so do greetings of ranks that have asked. This
//    rank's words go by synchronous sends, so it knows when all of them are heard.
// 3. When all ranks have come so far, only answers to the last words are not heard yet. They call
//    for no answer.
// 4. When these answers are heard, too, no rank needs another any more.
void Network::stop(bool together) noexcept {
  Network* const network = here();
  if (!network) return;
  if (!together) return network->leave();
  network->meet();
  network->all_received_ = true;
  for (int time = 0; time < 2; ++time) {
    for (engine::Patience patience(network->crowded_); network->busy() || network->talks(); patience.pause()) {
      network->advance();
      network->discard();
    }
    network->meet();
  }
  here_.store(nullptr);
  network->close();
}

/// Some ranks may be gone, so this rank waits for no word. Messages that the program has sent must
/// arrive nevertheless, however late their receivers are.
void Network::leave() noexcept {
  for (engine::Patience patience(crowded_); sends(); patience.pause()) advance();
  here_.store(nullptr);
  progress::end_calling();
}

// Never freed: a thread may still be in a call, and the process is about to end.
void Network::close() noexcept {
  progress::end_calling();  // the fabric may have been opened since MPI_Finalize was called
  engine::Network::close();
  for (Sent& sent : words_) PMPI_Wait(&sent.request, MPI_STATUS_IGNORE);
  PMPI_Comm_free(&comm_);
}

void Network::take_strays(int from) noexcept try {
  for (int found = 0;;) {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    MPI_Count bytes = 0;
    if (PMPI_Improbe(from, MPI_ANY_TAG, comm_, &found, &message, &status) != MPI_SUCCESS || !found) return;
    if (status.MPI_TAG == words) {
      take_word(message, from);
      continue;
    }
    Stray& one = strays_.emplace_back();
    PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
    one.from = from;
    one.tag = status.MPI_TAG;
    one.bytes = bytes;
    const bool room = one.packed.reserve(bytes);
    const Bytes taken = room ? Bytes{bytes} : 0;
    const Buffer packed{one.packed.data(), taken, MPI_BYTE};
    const Raised begun = HEDDLE_MESSAGE_BY_HOST(Imrecv, packed, comm_, &message, &one.request);
    if (!room || begun != MPI_SUCCESS || one.total() <= 0) strays_.pop_back();
  }
} catch (const std::exception&) {
  return;
}

Network::Stray* Network::stray(int from, int tag) noexcept {
  const auto found = std::ranges::find_if(strays_, [&](const Stray& each) { return each.from == from && each.tag == tag; });
  return found == strays_.end() ? nullptr : &*found;
}

Network::Stray* Network::unawaited(int from, int programs, std::uint32_t comm, std::size_t which, std::size_t expected) {
  std::vector<Stray*> found;
  for (Stray& each : strays_) {
    if (each.from != from || !each.here()) continue;
    const engine::PackedTrailer trailer = each.trailer();
    if (trailer.tag == programs && contexts().may_be(from, trailer.context, comm) && !awaited(trailer.number, from))
      found.push_back(&each);
  }
  if (found.size() < expected) return nullptr;
  std::ranges::sort(found, {}, [](const Stray* each) { return each->trailer().order; });
  return found[which];
}

void Network::forget(const Stray* stray) noexcept {
  strays_.remove_if([stray](const Stray& each) { return &each == stray; });
}

/// `world`, if it is a rank on another node; else -1.
int Network::elsewhere(int world) const noexcept {
  const MpiNode* const node = MpiNode::here();
  return world < 0 || world == me_ || (node && node->peer(world) >= 0) ? -1 : world;
}

void Network::has_no_fabric(const char* why) noexcept {
  progress::end_calling();
  say_once_verbose(goes_packed, why);
}

/// Null: there is no fabric, and the user has been told.
std::unique_ptr<fabric::Fabric> Network::make_fabric() {
  const std::string& wanted = settings_of_process().fabric;
  std::string why;
  auto made = engine::open_first(engine::providers(wanted, measured(profile()), profile()),
                                 {.nonce = nonce_[0], .segment = select::longest_segment}, why);
  if (!made) {
    if (wanted != "auto") say((std::string(goes_packed) + ": HEDDLE_FABRIC=" + wanted + ": " + why).c_str());
    say_once_verbose(goes_packed, why.c_str());
    return made;
  }
  const fabric::Abilities& can = made->abilities();
  costs_ = select::network_of(can.provider, static_cast<int>(can.iov), static_cast<int>(can.rma_iov), measured(profile()));
  keeps_registrations_ = made->keeps_registrations();
  say_once_verbose("messages with holes between nodes go over libfabric's", can.provider.c_str());
  progress::begin_calling([]() noexcept {
    if (Network* const network = here()) network->within_host();
  });
  return made;
}

bool Network::talks() noexcept {
  const std::scoped_lock hold(wireup_.lock());
  for (auto each = words_.begin(); each != words_.end();) {
    int done = 0;
    PMPI_Test(&each->request, &done, MPI_STATUS_IGNORE);
    each = done ? words_.erase(each) : std::next(each);
  }
  return !words_.empty();
}

void Network::tell(int rank, const Word& word) {
  talks();
  const std::scoped_lock hold(wireup_.lock());
  Sent& sent = words_.emplace_back();
  sent.word = word;
  PMPI_Issend(&sent.word, sizeof sent.word, MPI_BYTE, rank, words, comm_, &sent.request);
}

void Network::complain_of(int rank) {
  say_once_verbose("messages from some ranks of other nodes come through the MPI library",
                   ("rank " + std::to_string(rank) + " of MPI_COMM_WORLD is not reached by the fabric").c_str());
}

/// Also lets the host make progress.
void Network::hear() noexcept {
  for (int found = 0;;) {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    if (PMPI_Improbe(MPI_ANY_SOURCE, words, comm_, &found, &message, &status) != MPI_SUCCESS || !found) return;
    take_word(message, status.MPI_SOURCE);
  }
}

void Network::take_word(MPI_Message& message, int from) noexcept try {
  Word word;
  if (PMPI_Mrecv(&word, sizeof word, MPI_BYTE, &message, MPI_STATUS_IGNORE) == MPI_SUCCESS) heard(word, from);
} catch (const std::exception&) {
  return;  // no memory: this rank answers nobody, and announces nothing
}

}  // namespace heddle::mpi
