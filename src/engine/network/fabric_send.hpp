// engine/network/fabric_send.hpp: sends a message with holes to a rank of another node by the
// fabric. A derived class supplies MPI.
//
//   1. the descriptor goes out          by the host, instead of the data
//   2. the receiver answers             the fabric moves the message (transport/fabric/), and it is over
//   2' no answer comes for a while,     the message is packed, and over for the program; the host brings the packed bytes,
//      or the fabric fails              whatever call the program is in: no sender depends on a receiver that has not come
//
//   if (const auto plan = plan_of(network, to, offer, wish)) ...
//   if (send->open(data, *plan)) { MPI_Isend(&send->descriptor(), ...);  send->begun(); }
#pragma once

#include <memory>
#include <optional>

#include "engine/network/network.hpp"
#include "engine/node/datatype.hpp"
#include "report/reporting.hpp"
#include "threads/staging_pool.hpp"
#include "transport/fabric/outgoing.hpp"

namespace heddle::engine {

/// True: a message of `count` elements may go by the fabric, if it goes to another node.
inline bool may_cross(const Network& network, const Datatype& type, Count count) noexcept {
  Bytes bytes = 0;
  return count > 0 && !__builtin_mul_overflow(count, type.size(), &bytes) && bytes >= network.threshold() &&
         (network.moves_pieces() || !type.contiguous(count));
}

/// The message of the program.
struct Offer {
  Bytes bytes;
  Count count;
  bool piece;                            ///< The message has no holes.
  const select::Statistics* statistics;  ///< Statistics of the datatype.
  bool kept;                             ///< Its memory stays registered for the next time.
};
/// The user's wishes (HEDDLE_SCHEME, HEDDLE_SEGMENT).
struct Wish {
  bool forced = false;                        ///< The fabric brings it, whether that pays or not.
  std::optional<select::Scheme> scheme = {};  ///< The scheme.
  Bytes segment = 0;                          ///< 0: Heddle chooses.
};

/// None: the message goes another way.
std::optional<transport::fabric::Plan> plan_of(Network& network, int to, const Offer& offer, const Wish& wish);

class NetworkSend : public Network::Operation {
 public:
  bool carry_on() noexcept final;
  void carry_on_within_host() noexcept final;
  bool hears(const Word& word, int from) noexcept final;
  [[nodiscard]] bool is_send() const noexcept final { return true; }
  [[nodiscard]] bool will_end() const noexcept final { return handed_ || (message_ && answered_); }

 protected:
  NetworkSend(Network& network, int to) noexcept : network_(network), to_(to) {}

  /// False: it does not go by the fabric. The data, and what the plan keeps, stay until give_up().
  /// Throws std::bad_alloc.
  /// @param context  Number of the communicator (contexts.hpp).
  bool open(const transport::fabric::Elements& data, const transport::fabric::Plan& plan, int tag = 0,
            std::uint32_t context = 0);
  [[nodiscard]] const NetworkDescriptor& descriptor() const noexcept { return descriptor_; }
  [[nodiscard]] std::uint32_t number() const noexcept { return descriptor_.announcement.from; }
  /// The descriptor is out.
  void begun() noexcept { begun_.store(true, std::memory_order_release); }
  /// The program's call waits until it is over.
  void waited_for() noexcept { waits_ = true; }
  /// Called in the destructor of the class that has the data.
  void give_up() noexcept;

  [[nodiscard]] int to() const noexcept { return to_; }

  // The derived class does the following by MPI.

  /// Asked again and again.
  virtual bool descriptor_is_received() noexcept = 0;
  /// Begins to send the packed bytes, and the PackedTrailer behind them, by the host. The send is
  /// synchronous, because until the receiver takes the bytes it may answer by the fabric, and has
  /// to be told. The bytes stay where they are. False: the host cannot.
  virtual bool send_packed(const std::byte* packed, Bytes bytes) noexcept = 0;
  virtual bool packed_is_received() noexcept = 0;

 private:
  void close() noexcept;
  bool end() noexcept;
  transport::fabric::State look_at_message() noexcept;
  bool hand_to_host() noexcept;

  Network& network_;
  const int to_;
  report::ReportedCall reported_{"send"};
  transport::fabric::Elements data_;
  NetworkDescriptor descriptor_;
  std::unique_ptr<transport::fabric::Outgoing> message_;
  std::atomic<bool> begun_{false};
  std::int64_t since_ = 0;
  bool waits_ = false;
  std::uint64_t order_ = 0;  ///< The message's order in this process.
  bool counted_ = false;     ///< The thread looks after it.
  bool answered_ = false;
  bool failed_ = false;  ///< The fabric does not bring it.
  bool broken_ = false;  ///< The fabric does not get to the peer, or back, any more.
  bool unwanted_ = false;
  threads::StagingBuffer packed_;
  bool handed_ = false;  ///< The host has packed_.
};

}  // namespace heddle::engine
