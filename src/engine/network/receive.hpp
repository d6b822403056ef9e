// engine/network/receive.hpp: a receive that may bring a message from another node by the fabric.
// What MPI does for it is handed in.
//
//   posted      the host receives: data, or a descriptor, in its place
//   by fabric   the sender is answered, and the message comes into the program's buffer
//   by host     or it cannot come so, or its sender has gone on: then it comes packed
//   lost        the program has written over the descriptor: the sender gets no answer, and the message comes packed
//
//   bool MpiReceive::look_at_posted() noexcept {
//     if (is_descriptor(arrived, network.nonce()) && read_descriptor(arrived)) fetch(landing);
//     return over();
//   }
//
// As long as it is not over the program's request is not complete: no MPI_Test waits for a message to come.
#pragma once

#include <memory>
#include <optional>

#include "engine/network/network.hpp"
#include "report/reporting.hpp"
#include "threads/pool.hpp"
#include "transport/fabric/incoming.hpp"

namespace heddle::engine {

/// Where the program wants it.
struct Landing {
  transport::fabric::Elements elements{};          ///< Without a layout: of a type that Heddle cannot decode.
  Bytes room = 0;                                  ///< Of all the elements.
  const select::Statistics* statistics = nullptr;  ///< Of the datatype; null: no memory for them.
  bool piece = false;                              ///< It has no holes.
  transport::fabric::Holding* kept = nullptr;      ///< Of a persistent operation.
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
  /// What has become of it.
  enum class End : std::uint8_t {
    whole,
    truncated,
    no_memory,
    unsound,       ///< Its descriptor has arrived damaged.
    lost,          ///< By the fabric, after its sender had been told that it was there.
    as_host_says,  ///< Who is handed in knows.
  };
  /// Unsound, lost: a sentence. Else null.
  static const char* complaint_of(End how) noexcept;

  explicit NetworkReceive(Network& network) noexcept : network_(network) {}

  /// It is posted.
  void begun() noexcept { begun_.store(true, std::memory_order_release); }
  /// The program's call waits until it is over.
  void waited_for() noexcept { waits_ = true; }
  [[nodiscard]] Stage stage() const noexcept { return stage_; }
  [[nodiscard]] const NetworkDescriptor& descriptor() const noexcept { return descriptor_; }
  /// Of what has arrived, where it is not to be found again, whatever comes of it. False: it is damaged, and the receive over.
  bool read_descriptor(void* arrived) noexcept;
  /// After that: brings the message. Where it lands stays until close().
  void fetch(const Landing& landing) noexcept;
  /// A descriptor has arrived, and the program has written over it. From here on carry_on() asks look_for_lost().
  void lose() noexcept { stage_ = Stage::lost; }
  /// The packed bytes of a message that was lost.
  bool bring(int sender, const std::byte* packed, Bytes total, const Landing& landing) noexcept;
  /// In the destructor of who has that, too.
  void close() noexcept;
  /// Calls ended().
  bool end(End how) noexcept;

  // What only MPI can do.

  /// True: the receive is posted, and the descriptor of that message is in its buffer.
  [[nodiscard]] virtual bool stands(std::uint32_t /*number*/, int /*from*/) const noexcept { return false; }
  /// While it is lost. True: it is over.
  virtual bool look_for_lost() noexcept { return false; }

  /// While it is posted. True: it is over.
  virtual bool look_at_posted() noexcept = 0;
  /// Whether the packed bytes of that message have come.
  virtual bool packed_comes() noexcept = 0;
  /// Begins to receive them, and their PackedTrailer. False: the host refuses.
  virtual bool receive_packed(std::byte* packed, Bytes bytes) noexcept = 0;
  enum class Packed : std::uint8_t { under_way, here, refused };
  virtual Packed look_at_packed() noexcept = 0;
  /// Takes back that receive. False: they are here after all.
  virtual bool cancel_packed() noexcept = 0;
  /// Unpacks them into elements without a layout. False: the host refuses.
  virtual bool unpack(const std::byte* packed, Bytes bytes) noexcept = 0;
  /// Whoever waits for it may go on when this returns.
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
  std::int64_t since_ = 0;     ///< The descriptor is here.
  std::int64_t looked_ = 0;    ///< For packed bytes.
  bool packed_comes_ = false;  ///< Its sender has given it to the host.
  bool waits_ = false;
  NetworkDescriptor descriptor_;
  std::unique_ptr<transport::fabric::Incoming> message_;
  threads::StagingBuffer packed_;  ///< If the message does not come into the program's buffer at once: its bytes,
  layout::Layout stream_;          ///< and how they lie there.
};

}  // namespace heddle::engine
