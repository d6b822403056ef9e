// engine/network/fabric_receive.hpp: a receive that may bring a message from another node by the
// fabric. A derived class supplies MPI.
//
//   posted      the host receives: data, or a descriptor, in its place
//   by fabric   the sender is answered, and the message comes into the program's buffer
//   by host     the message cannot come so, or its sender has gone on: then it comes packed
//   lost        the program has written over the descriptor: the sender gets no answer, and the message comes packed
//
//   bool MpiReceive::look_at_posted() noexcept {
//     if (is_descriptor(arrived, network.nonce()) && read_descriptor(arrived)) fetch(landing);
//     return over();
//   }
//
// The program's request is not complete until the receive is over, so no MPI_Test waits for a
// message to come.
#pragma once

#include <memory>
#include <optional>

#include "engine/network/network.hpp"
#include "report/reporting.hpp"
#include "threads/staging_pool.hpp"
#include "transport/fabric/incoming.hpp"

namespace heddle::engine {

/// The program's receive buffer.
struct Landing {
  transport::fabric::Elements elements{};          ///< No layout: Heddle cannot decode the type.
  Bytes room = 0;                                  ///< Bytes of all the elements.
  const select::Statistics* statistics = nullptr;  ///< Statistics of the datatype; null: no memory for them.
  bool piece = false;                              ///< The elements have no holes.
  transport::fabric::Holding* kept = nullptr;      ///< Registration of a persistent operation.
  std::optional<select::Scheme> scheme = {};       ///< HEDDLE_SCHEME.
};

class NetworkReceive : public Network::Operation {
 public:
  bool carry_on() noexcept final;
  [[nodiscard]] bool will_end() const noexcept final { return stage_ != Stage::posted && !over(); }
  bool hears(const Word& word, int from) noexcept final;
  [[nodiscard]] bool awaits(std::uint32_t number, int from) const noexcept final;

 protected:
  enum class Stage : std::uint8_t { posted, by_fabric, by_host, lost };
  /// The result of a receive.
  enum class End : std::uint8_t {
    whole,
    truncated,
    no_memory,
    unsound,       ///< Its descriptor has arrived damaged.
    lost,          ///< The fabric lost it after its sender had been told that it was there.
    as_host_says,  ///< The derived class knows.
  };
  /// A sentence for unsound and lost; else null.
  static const char* complaint_of(End how) noexcept;

  explicit NetworkReceive(Network& network) noexcept : network_(network) {}

  /// The receive is posted.
  void begun() noexcept { begun_.store(true, std::memory_order_release); }
  /// The program's call waits until it is over.
  void waited_for() noexcept { waits_ = true; }
  [[nodiscard]] Stage stage() const noexcept { return stage_; }
  [[nodiscard]] const NetworkDescriptor& descriptor() const noexcept { return descriptor_; }
  /// Reads an arrived descriptor, and removes it from the buffer in any case. False: it is damaged,
  /// and the receive is over.
  bool read_descriptor(void* arrived) noexcept;
  /// After read_descriptor(): brings the message. The landing place stays until close().
  void fetch(const Landing& landing) noexcept;
  /// A descriptor has arrived, and the program has written over it. From here on carry_on() asks
  /// look_for_lost().
  void lose() noexcept { stage_ = Stage::lost; }
  /// Takes the packed bytes of a message whose descriptor was lost.
  bool bring(int sender, const std::byte* packed, Bytes total, const Landing& landing) noexcept;
  /// Also called in the destructor of the class that has the landing place.
  void close() noexcept;
  /// Ends the receive. Calls ended().
  bool end(End how) noexcept;

  // The derived class does the following by MPI.

  /// True: the receive is posted, and the descriptor of that message is in its buffer.
  [[nodiscard]] virtual bool stands(std::uint32_t /*number*/, int /*from*/) const noexcept { return false; }
  /// Called while the descriptor is lost. True: the receive is over.
  virtual bool look_for_lost() noexcept { return false; }

  /// Called while the receive is posted. True: it is over.
  virtual bool look_at_posted() noexcept = 0;
  /// True: the packed bytes of that message have come.
  virtual bool packed_comes() noexcept = 0;
  /// Begins to receive them, and their PackedTrailer. False: the host refuses.
  virtual bool receive_packed(std::byte* packed, Bytes bytes) noexcept = 0;
  enum class Packed : std::uint8_t { under_way, here, refused };
  virtual Packed look_at_packed() noexcept = 0;
  /// Takes back that receive. False: they are here after all.
  virtual bool cancel_packed() noexcept = 0;
  /// Unpacks them into elements without a layout. False: the host refuses.
  virtual bool unpack(const std::byte* packed, Bytes bytes) noexcept = 0;
  /// A thread that waits for the receive may go on when this returns.
  virtual void ended(End how) noexcept = 0;

 private:
  bool answer() noexcept;
  void look_for_packed() noexcept;
  bool withdraw() noexcept;
  bool stages() noexcept;
  void take_from_host() noexcept;
  bool by_fabric() noexcept;
  bool by_host() noexcept;
  bool put_in_place(const char* way) noexcept;

  Network& network_;
  report::ReportedCall reported_{"receive"};
  Landing landing_;
  std::atomic<Stage> stage_{Stage::posted};
  std::atomic<bool> begun_{false};
  std::int64_t since_ = 0;     ///< Time at which the descriptor was here.
  std::int64_t looked_ = 0;    ///< Time of the last look for packed bytes.
  bool packed_comes_ = false;  ///< The sender has given the message to the host.
  bool waits_ = false;
  NetworkDescriptor descriptor_;
  std::unique_ptr<transport::fabric::Incoming> message_;
  threads::StagingBuffer packed_;  ///< Bytes of a message that cannot come straight into the program's buffer.
  layout::Layout stream_;          ///< The layout of packed_.
};

}  // namespace heddle::engine
