// fft2d/options.cpp: the command line, with CLI11.
#include "options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <sstream>

namespace fft2d {
namespace {

/// Reads "4096" or "4096x2048" into rows and columns. @return an error message, or nothing
std::string read_size(const std::string& text, int& rows, int& columns) {
  char by = 'x';
  std::istringstream in(text);
  if (in >> rows && in.eof()) {
    columns = rows;
  } else if (!(in >> by >> columns) || by != 'x' || in.peek() != EOF) {
    return "'" + text + "' is not a size: write 4096 or 4096x2048 (rows x columns)";
  }
  return rows > 0 && columns > 0 && rows <= 65536 && columns <= 65536 ? "" : "sizes go from 1 to 65536";
}

const std::map<std::string, Variant> variants{
    {"zero-copy", Variant::zero_copy}, {"local-transpose", Variant::local_transpose}, {"manual", Variant::manual}};

}  // namespace

std::string name(Variant variant) {
  return std::find_if(variants.begin(), variants.end(), [&](const auto& one) { return one.second == variant; })->first;
}

Parsed parse(int argc, char** argv, bool speak) {
  Options options;
  CLI::App app{
      "Filters a picture with a parallel 2-D FFT. Its global transposes use MPI datatypes, or loops.\n"
      "Prints the times of the repetitions and the error against a serial FFT as one line of JSON."};
  app.add_option("--input", options.input, "Picture to filter, binary PGM (default: a test picture)");
  app.add_option("--output", options.output, "File for the filtered picture, binary PGM");
  std::string size;
  app.add_option("--size", size,
                 "Matrix that the picture fills by repetition: N or ROWSxCOLUMNS (default: the picture's size, or 1024)");
  const std::map<std::string, Kind> kinds{
      {"lowpass", Kind::lowpass}, {"highpass", Kind::highpass}, {"bandpass", Kind::bandpass}};
  app.add_option("--filter", options.filter.kind, "lowpass, highpass or bandpass (default)")
      ->transform(CLI::CheckedTransformer(kinds));
  app.add_option("--low", options.filter.low, "Lower edge in cycles a pixel (highpass, bandpass)")
      ->check(CLI::Range(1e-6, 10.0));
  app.add_option("--high", options.filter.high, "Upper edge in cycles a pixel (lowpass, bandpass)")
      ->check(CLI::Range(1e-6, 10.0));
  app.add_option("--gain", options.filter.gain, "Factor for the frequencies that pass")->capture_default_str();
  const std::map<std::string, Exchange> exchanges{
      {"auto", Exchange::automatic}, {"alltoall", Exchange::alltoall}, {"alltoallw", Exchange::alltoallw}};
  app.add_option("--exchange", options.way.exchange, "auto (default): alltoall if the ranks divide the sizes, else alltoallw")
      ->transform(CLI::CheckedTransformer(exchanges));
  app.add_option("--variant", options.way.variant,
                 "zero-copy (default): datatypes pack and transpose; local-transpose: a datatype packs, a loop transposes; "
                 "manual: loops do both")
      ->transform(CLI::CheckedTransformer(variants));
  app.add_option("--repetitions", options.repetitions, "Timed repetitions")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  app.add_option("--warmup", options.warmup, "Untimed repetitions before")->capture_default_str()->check(CLI::Range(0, 1000));
  app.add_flag("!--no-check", options.check, "Do not compare with a serial FFT on rank 0");
  try {
    app.parse(argc, argv);
    const std::string reason = size.empty() ? "" : read_size(size, options.rows, options.columns);
    if (!reason.empty()) throw CLI::ValidationError("--size", reason);
  } catch (const CLI::ParseError& end) {
    std::ostringstream quiet;
    return {std::nullopt, speak ? app.exit(end) : app.exit(end, quiet, quiet)};
  }
  return {options, 0};
}

}  // namespace fft2d
