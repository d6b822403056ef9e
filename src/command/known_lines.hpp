// command/known_lines.hpp: lines of `heddle run` whose command is known. python/heddle/lines.py
// writes them to files, each for one context (context.hpp).
//
//   if (const auto bytes = read_own_file(path))
//     if (const auto command = command_of(*bytes, context, words))
//       execve(command->file.c_str(), ...);
//
// A file is a sequence of texts. A NUL byte ends each text:
//
//   heddle lines 1               the form of the file
//   checksum                     of all bytes that follow
//   CONTEXT
//   number of lines, then for each line:
//     number of texts in this line
//     number of words, word ...       the words after `heddle run`
//     open or closed                  open: further words may follow
//     number of words, word ...       an open line must not have these among its further words
//     number of files, for each its path and its signature      the command depends on these files
//     0, or 1 and the value of LD_PRELOAD
//     file                            to execute
//     number of arguments, argument ...    the further words follow them
//   end
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::command {

struct Command {
  std::string file;
  std::vector<std::string> arguments;
  std::optional<std::string> preload;  // nullopt: no LD_PRELOAD

  bool operator==(const Command&) const = default;
};

/// The command for the words after `heddle run`. nullopt: the bytes have another form or context,
/// no line has these words, or a file has changed.
std::optional<Command> command_of(std::string_view bytes, std::string_view context, std::span<const std::string_view> words);

/// "MTIME SIZE INODE CTIME" with times in nanoseconds, or "-" if there is no such file. Links are
/// followed.
std::string signature_of(const std::string& path);

/// The CRC-32 of zlib, as Python's binascii.crc32.
std::uint32_t checksum_of(std::string_view bytes);

/// The content of a file that belongs to this user, in a folder that belongs to this user, if
/// nobody else may write either.
std::optional<std::string> read_own_file(const std::string& path);

}  // namespace heddle::command
