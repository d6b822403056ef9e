// engine/p2p/staging.hpp: one end of a message that travels packed. It finds the place of the
// packed bytes, packs and unpacks them.
//
//   Staging staging;
//   staging.open({&type, count, buffer}, Staging::End::receiving, true);
//   PMPI_Recv(staging.address(), staging.bytes(), MPI_BYTE, ...);
//   if (staging.apart()) staging.unpack(arrived);
//
// All of it is inline: short messages are packed, too.
#pragma once

#include <algorithm>
#include <string>

#include "engine/node/datatype.hpp"
#include "engine/node/node.hpp"
#include "layout/pack.hpp"
#include "report/reporting.hpp"
#include "threads/staging_pool.hpp"

namespace heddle::engine {

class Staging {
 public:
  enum class End {
    sending,
    copying,  ///< Sending, but a receive gets the buffer: the bytes must be a copy.
    receiving,
  };
  /// The program's elements. The datatype stays as long as the message.
  struct Elements {
    const Datatype* type;
    Count count;
    void* address;
  };

  /// Finds a place for the packed bytes, unless packing neither pays nor is needed.
  /// @param lands  The receive may bring a descriptor: if it has room for one, it goes through
  /// here.
  void open(const Elements& elements, End end, bool lands) noexcept {
    const auto [type, count, program] = elements_ = elements;
    const bool copies = end == End::copying;
    if (count <= 0 || __builtin_mul_overflow(count, type->size(), &bytes_)) return;
    if (!copies && !type->pays_to_pack(count) && (!lands || bytes_ < Bytes{sizeof(Descriptor)})) return;
    static std::byte nothing[sizeof(Nonce)];  // is_descriptor() reads so far
    if (bytes_ == 0)
      address_ = nothing;
    else if (!copies && type->contiguous(count))
      address_ = static_cast<std::byte*>(program) + type->first_byte();
    else if (packed_.reserve(bytes_))
      address_ = packed_.data();
    else
      lacks_memory_ = lands || copies;
  }
  /// Makes room for so many bytes, which the host packs or unpacks.
  void reserve(Bytes bytes) noexcept {
    bytes_ = bytes;
    if (packed_.reserve(bytes)) address_ = packed_.data();
    lacks_memory_ = address_ == nullptr;
  }
  /// The message must go through a staging buffer, but there is none.
  void refuse() noexcept { lacks_memory_ = true; }

  /// The packed bytes: in a staging buffer, or in the program's buffer if it has no holes. Null:
  /// they have no place.
  [[nodiscard]] std::byte* address() const noexcept { return address_; }
  [[nodiscard]] Bytes bytes() const noexcept { return bytes_; }
  /// True: the packed bytes are in a staging buffer.
  [[nodiscard]] bool apart() const noexcept { return address_ && address_ == packed_.data(); }
  /// True: they need a place, but there is no memory.
  [[nodiscard]] bool lacks_memory() const noexcept { return lacks_memory_; }

  /// @param node  For a report: says why the message has not gone by this node. Null: no memory is
  /// shared.
  void pack(const Node* node) const {
    report::ReportedCall reported("send");
    {
      const report::Stopwatch watch(reported.times(), &report::Times::pack);
      layout::pack(elements_.type->layout(), elements_.count, elements_.address, packed_.data());
    }
    reported.end(elements_.type->layout(), "packed", bytes_, [this, node] { return why_packed(node, bytes_); });
  }
  /// Unpacks so many bytes, which have arrived.
  void unpack(Bytes arrived) const {
    report::ReportedCall reported("receive");
    {
      const report::Stopwatch watch(reported.times(), &report::Times::copy);
      if (arrived >= bytes_)
        layout::unpack(elements_.type->layout(), elements_.count, elements_.address, packed_.data());
      else
        layout::unpack_range(elements_.type->layout(), elements_.count, elements_.address, 0, arrived, packed_.data());
    }
    reported.end(elements_.type->layout(), "packed", std::min(arrived, bytes_));
  }

  /// The reason why a message of so many bytes is no rendezvous.
  static std::string why_packed(const Node* node, Bytes bytes);

 private:
  Elements elements_{};
  bool lacks_memory_ = false;
  Bytes bytes_ = 0;
  std::byte* address_ = nullptr;
  threads::StagingBuffer packed_;
};

}  // namespace heddle::engine
