// report/text_pieces.hpp: sends texts to another rank in pieces, because a whole text may exceed a
// count. The caller hands in the functions that send and receive.
//
//   send_in_pieces(text, [](const void* bytes, int count) { MPI_Send(bytes, count, MPI_BYTE, 0, ...); });          // rank r
//   received_in_pieces([](void* bytes, int count) { MPI_Recv(bytes, count, MPI_BYTE, r, ...); });                  // rank 0
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <string>

namespace heddle::report {

constexpr int piece = 64 << 10;

/// Sends the length, then the pieces.
template <class Send>
void send_in_pieces(const std::string& text, const Send& send) {
  const std::uint64_t length = text.size();
  send(&length, static_cast<int>(sizeof length));
  for (std::size_t at = 0; at < text.size(); at += piece)
    send(text.data() + at, static_cast<int>(std::min<std::size_t>(piece, text.size() - at)));
}

/// Receives all pieces even if memory is short, because the sender waits. Empty: memory was short.
/// One thread at a time.
template <class Receive>
std::string received_in_pieces(const Receive& receive) noexcept {
  static char buffer[piece];
  std::string text;
  bool room = true;
  std::uint64_t length = 0;
  receive(&length, static_cast<int>(sizeof length));
  for (std::uint64_t at = 0; at < length; at += piece) {
    const auto bytes = static_cast<int>(std::min<std::uint64_t>(piece, length - at));
    receive(buffer, bytes);
    try {
      if (room) text.append(buffer, static_cast<std::size_t>(bytes));
    } catch (const std::exception&) {
      room = false;
    }
  }
  return room ? text : std::string();
}

}  // namespace heddle::report
