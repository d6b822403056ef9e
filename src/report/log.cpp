// report/log.cpp: writes each line in one piece, so that the lines of several ranks do not mix.
#include "report/log.hpp"

#include <cstdio>
#include <exception>
#include <utility>

#include "report/layout_text.hpp"
#include "report/printable.hpp"
#include "report/wanted.hpp"

namespace heddle::report {
namespace {

void to_stderr(const std::string& line) { std::fputs(line.c_str(), stderr); }

/// "14.2 us"
std::string microseconds(double ns) {
  char text[32] = "";
  std::snprintf(text, sizeof text, "%.1f us", ns / 1000);
  return text;
}

}  // namespace

Log::Log(Level level, int rank, Write write)
    : level_(level), begin_("heddle " + std::to_string(rank) + ": "), write_(write ? std::move(write) : Write(to_stderr)) {}

void Log::print(const CallSite* site, const std::string& text) {
  std::string line = begin_;
  if (site) line += std::string(site->name().procedure) + " in " + shown(site->name().place) + ": ";
  write_(printable(line + text) + "\n");
}

void Log::add_way(bool first, const CallSite* site, const char* call, layout::Bytes bytes, std::string_view datatype,
                  const char* way, std::string_view why) noexcept try {
  if (!prints(first)) return;
  constexpr std::size_t most = 160;  // bytes of a layout: lists may be long
  std::string text =
      std::string(call) + " of " + std::to_string(bytes) + " B, " + shortened(std::string(datatype), most) + ": ";
  if (!why.starts_with(std::string(way) + ":")) text += way + std::string(why.empty() ? "" : ": ");  // most reasons begin so
  text += why;
  print(site, text);
} catch (const std::exception&) {
  return;  // a gap in the log is no reason to end a program
}

void Log::add_algorithm(bool first, const CallSite* site, std::string_view algorithm) noexcept try {
  if (prints(first)) print(site, "algorithm: " + std::string(algorithm));
} catch (const std::exception&) {
  return;  // as above
}

void Log::add_call(const CallSite& site, const CallSite::End& end, std::int64_t bytes, double ns) noexcept try {
  if (!prints(end.first)) return;
  std::string text = bytes >= 0 ? std::to_string(bytes) + " B, " : std::string();
  text += microseconds(ns) + ": ";
  text +=
      end.carried ? "by Heddle" : std::string("by the MPI library (") + passed_names[static_cast<std::size_t>(end.why)] + ")";
  print(&site, text);
} catch (const std::exception&) {
  return;  // as above
}

}  // namespace heddle::report
