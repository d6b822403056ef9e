// mpi/p2p/watch.cpp: a few descriptors at a time.
#include "mpi/p2p/watch.hpp"

#include <array>
#include <cstring>
#include <string>

#include "engine/wait.hpp"
#include "layout/lasting.hpp"
#include "mpi/network/network.hpp"
#include "mpi/p2p/probe_queue.hpp"
#include "mpi/process/process.hpp"
#include "mpi/process/say.hpp"
#include "mpi/requests/freed.hpp"
#include "mpi/requests/status_of.hpp"
#include "mpi/requests/table.hpp"

namespace heddle::mpi {
namespace {

/// The first descriptors to a rank are watched, then one of so many: a prime, so that it is not the same of a row each time.
constexpr std::uint8_t first = 8, every = 61;
/// By rank of the node; those of large nodes share counters.
constinit std::array<std::atomic<std::uint8_t>, 256> sent{};

bool due(int peer) noexcept {
  const settings::Watch watch = settings_of_process().watch;
  if (watch != settings::Watch::some) return watch == settings::Watch::all;
  std::atomic<std::uint8_t>& count = sent[static_cast<std::size_t>(peer) % sent.size()];
  const std::uint8_t now = count.load(std::memory_order_relaxed);
  count.store(now + 1 < first + every ? static_cast<std::uint8_t>(now + 1) : first, std::memory_order_relaxed);
  return now < first || now == first + every - 1;
}

/// A descriptor that is watched.
struct Watched {
  enum class State { free, sending, watched };
  std::atomic<State> state{State::free};
  int peer = -1;
  engine::Unclaimed::Suspect message;
  const engine::Control* control = nullptr;
  MPI_Request delivered = MPI_REQUEST_NULL;  ///< Of the host; null: it is.
  bool suspected = false;                    ///< The receiver has been told.
  alignas(16) std::byte bytes[engine::Lengths::longest];
};

using All = std::array<Watched, 16>;
All& all() noexcept {
  static layout::Lasting<All> watched;
  return *watched;
}

/// One look at a time, and none from within itself: the host may call back.
constinit std::atomic_flag looking = ATOMIC_FLAG_INIT;
struct Looking {
  bool mine = !looking.test_and_set(std::memory_order_acquire);
  Looking() = default;
  Looking(const Looking&) = delete;
  Looking& operator=(const Looking&) = delete;
  ~Looking() {
    if (mine) looking.clear(std::memory_order_release);
  }
};

/// Of the caller, until it says watch(); null: all are in use.
class Taken {
 public:
  explicit Taken(const RendezvousSend& message) noexcept {
    for (Watched& each : all()) {
      auto state = Watched::State::free;
      if (!each.state.compare_exchange_strong(state, Watched::State::sending, std::memory_order_acquire)) continue;
      watched_ = &each;
      each.peer = message.peer();
      each.message = message.named();
      each.control = message.control();
      each.delivered = MPI_REQUEST_NULL;
      each.suspected = false;
      return;
    }
  }
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;
  ~Taken() {
    if (watched_) watched_->state.store(Watched::State::free, std::memory_order_release);
  }
  explicit operator bool() const { return watched_ != nullptr; }
  Watched* operator->() { return watched_; }
  void watch(std::atomic<int>& count) noexcept {
    watched_->state.store(Watched::State::watched, std::memory_order_release);
    watched_ = nullptr;
    count.fetch_add(1, std::memory_order_relaxed);
  }

 private:
  Watched* watched_ = nullptr;
};

/// Whether the host has delivered it by now.
bool delivered(Watched& each) {
  int done = 1;
  if (each.delivered != MPI_REQUEST_NULL && PMPI_Test(&each.delivered, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
  return done != 0;
}

[[nodiscard]] std::string sentence(const Node& node, int receiver, int sender, int tag) {
  const auto name = [&node](int peer) { return "rank " + std::to_string(node.world_rank(peer)); };
  return name(receiver) + " of MPI_COMM_WORLD has received a message of " + name(sender) + " with tag " + std::to_string(tag) +
         " past Heddle: the program got the bytes that announce the message instead of its data. The job ends before they are "
         "taken for results. Set HEDDLE_SCHEME=native: then no message is announced. Please report what receives there.";
}

/// Whether a receive of this process may have got its descriptor and not have looked at it yet.
bool receiving() noexcept {
  return threads::concurrent.load(std::memory_order_relaxed) || !requests::table.empty() ||
         requests::any_freed.load(std::memory_order_relaxed) || ProbeQueue::any() || StatusOf::in_use();
}

/// A peer says that this process has received one of its descriptors without claiming the message.
void judge(Node& node) {
  engine::Unclaimed mine = node.unclaimed();
  const std::optional<engine::Unclaimed::Suspect> suspect = mine.suspect();
  if (!suspect || receiving() || mine.uncertain()) return;
  const int sender = static_cast<int>(suspect->sender);
  std::byte* const memory = sender < node.size() ? node.reach(sender).memory : nullptr;
  const engine::Control* const control = memory ? engine::control_at(suspect->control, memory, node.memory_size()) : nullptr;
  if (!control || engine::claimed(*control, suspect->generation)) return mine.clear(*suspect);
  end_job(sentence(node, node.me(), sender, control->tag).c_str());
}

/// True: it need not be watched any longer.
bool look_at(Node& node, Watched& each) {
  if (!delivered(each)) return false;
  engine::Unclaimed receiver = node.unclaimed(each.peer);
  if (engine::claimed(*each.control, each.message.generation)) {
    if (each.suspected) receiver.clear(each.message);
    return true;
  }
  if (receiver.uncertain()) return true;
  if (!each.suspected) each.suspected = receiver.suspect(each.message);
  return false;
}

/// A barrier of all ranks that gives the core away: ranks may be more than cores, and MPICH's spin again by now (progress.hpp).
/// Who is not here yet may wait for a message between nodes.
void meet() {
  MPI_Request all_here = MPI_REQUEST_NULL;
  int done = 0;
  if (PMPI_Ibarrier(MPI_COMM_WORLD, &all_here) != MPI_SUCCESS) return;
  const auto over = [&] {
    if (Network* const network = Network::here()) network->advance();
    return PMPI_Test(&all_here, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done;
  };
  engine::wait_until(over, true);
}

/// Each descriptor of this process that the host has delivered and that nobody has fetched.
void last_look(Node& node) {
  constexpr int looks = 100;  // the host may have more to do before it knows
  for (Watched& each : all()) {
    if (each.state.load(std::memory_order_acquire) != Watched::State::watched) continue;
    for (int i = 0; i < looks && !delivered(each); ++i) continue;
    if (each.delivered != MPI_REQUEST_NULL)
      PMPI_Request_free(&each.delivered);  // nobody has received it
    else if (!engine::claimed(*each.control, each.message.generation) && !node.unclaimed(each.peer).uncertain())
      end_job(sentence(node, each.peer, node.me(), each.control->tag).c_str());
  }
}

}  // namespace

Done Watch::send(const RendezvousSend& message, const Envelope& to) {
  if (!due(message.peer())) return {};
  Taken taken(message);
  if (!taken) return {};
  std::memcpy(taken->bytes, message.descriptor(), static_cast<std::size_t>(message.length()));
  const int result = PMPI_Issend(taken->bytes, message.length(), MPI_BYTE, to.rank, to.tag, to.comm, &taken->delivered);
  if (result == MPI_SUCCESS) taken.watch(watched_);
  return result;
}

void Watch::delivered(const RendezvousSend& message) noexcept {
  if (!due(message.peer())) return;
  if (Taken taken(message); taken) taken.watch(watched_);
}

// One of them each time: with many that nobody receives for long a call must not become slow.
void Watch::look_closer(Node& node) {
  if (const Looking now; now.mine) {
    static constinit std::size_t next = 0;
    All& watched = all();
    for (std::size_t i = 0; i < watched.size(); ++i) {
      Watched& each = watched[next++ % watched.size()];
      if (each.state.load(std::memory_order_acquire) != Watched::State::watched) continue;
      if (look_at(node, each)) {
        watched_.fetch_sub(1, std::memory_order_relaxed);
        each.state.store(Watched::State::free, std::memory_order_release);
      }
      break;
    }
  }
  judge(node);
}

void Watch::end() {
  Node* node = Node::here();
  // What the program has never completed may have received its descriptor.
  if (node && (requests::table.any_active() || requests::any_freed || ProbeQueue::any())) uncertain();
  meet();
  if (node) last_look(*node);
  // Nobody leaves while another ends the job: Open MPI's launcher has crashed and hung where one rank aborted and another was
  // in MPI_Finalize.
  meet();
}

}  // namespace heddle::mpi
