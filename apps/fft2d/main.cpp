// fft2d: filters a picture with a 2-D FFT over P ranks. Its global transposes use MPI datatypes, or
// loops (docs/fft2d.md). It is an ordinary program of MPI and FFTW. Rank 0 prints one line of JSON.
#include <mpi.h>

#include <exception>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "common/report.hpp"
#include "options.hpp"
#include "picture.hpp"
#include "pipeline.hpp"

namespace fft2d {
namespace {

using apps::agree;
using apps::Json;
constexpr double tolerance = 1e-10;  // relative to the serial FFT; rounding alone gives about 1e-16

Json summary(const std::vector<Times>& times) {
  const auto of = [&](auto&& part) {
    std::vector<double> values;
    values.reserve(times.size());
    for (const Times& t : times) values.push_back(part(t));
    return apps::summary(values);
  };
  return {{"total", of([](const Times& t) { return t.total; })},
          {"communication", of([](const Times& t) { return t.communication(); })},
          {"forward_transpose", of([](const Times& t) { return t.forward_transpose; })},
          {"backward_transpose", of([](const Times& t) { return t.backward_transpose; })},
          {"transforms", of([](const Times& t) { return t.transforms; })},
          {"waiting", of([](const Times& t) { return t.waiting; })}};
}

/// Returns the picture of the options on every rank. An error on rank 0 (no such file) ends all
/// ranks.
Picture load(const Options& options, int me, MPI_Comm comm) {
  Picture picture;
  std::string mistake;
  if (me == 0) try {
      picture = options.input.empty() ? synthetic(options.columns ? options.columns : 1024, options.rows ? options.rows : 1024)
                                      : read_pgm(options.input);
    } catch (const std::exception& error) {
      mistake = error.what();
    }
  agree(mistake, comm);
  broadcast(picture, comm);
  return picture;
}

void run(const Options& options, MPI_Comm comm) {
  int me = 0, ranks = 0;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &ranks);
  const Picture picture = load(options, me, comm);
  const int rows = options.rows ? options.rows : picture.height, columns = options.columns ? options.columns : picture.width;
  Pipeline pipeline(rows, columns, options.filter, options.way, comm);

  std::vector<Times> times;
  for (int i = 0; i < options.warmup + options.repetitions; ++i) {
    tile(picture, pipeline.rows(), pipeline.picture);  // live data, as in a real program: written anew before each pass
    const Times t = pipeline.run();
    if (i >= options.warmup) times.push_back(t);
  }
  Json json{{"program", "fft2d"},
            {"mpi", apps::mpi_version()},
            {"ranks", ranks},
            {"rows", rows},
            {"columns", columns},
            {"variant", name(options.way.variant)},
            {"exchange", pipeline.even() ? "MPI_Alltoall" : "MPI_Alltoallw"},
            {"repetitions", options.repetitions},
            {"seconds", summary(times)}};
  json["fingerprint"] = fingerprint(pipeline.picture, rows, comm);
  std::string mistake;  // rank 0's
  if (!options.output.empty()) {
    const Picture result = gather(pipeline.picture, rows, comm);
    if (me == 0) try {
        write_pgm(options.output, result);
      } catch (const std::exception& error) {
        mistake = error.what();
      }
  }
  if (options.check) {
    std::optional<Serial> serial;
    if (me == 0) {
      serial.emplace(Matrix(rows, columns));
      tile(picture, {0, rows}, serial->picture);
      serial->forward();
    }
    // Keeps the picture of the last timed pass. The pass has overwritten its spectrum, so another
    // forward pass makes it again.
    const Matrix filtered = std::move(pipeline.picture);
    pipeline.picture = Matrix(filtered.rows(), filtered.columns());
    Times ignored;
    tile(picture, pipeline.rows(), pipeline.picture);
    pipeline.forward(ignored);
    const double in_spectrum = relative_error(pipeline.spectrum, serial ? &serial->spectrum : nullptr, comm);
    if (me == 0) serial->filter(options.filter);
    const double in_picture = relative_error(filtered, serial ? &serial->picture : nullptr, comm);
    if (me == 0) {
      json["relative_error"] = {{"spectrum", in_spectrum}, {"picture", in_picture}, {"tolerance", tolerance}};
      json["serial_seconds"] = serial->seconds;
      if (!(in_spectrum < tolerance && in_picture < tolerance)) {  // this form catches NaN, too
        std::ostringstream text;
        text << "the result is not that of the serial FFT: relative error " << in_spectrum << " in the spectrum, " << in_picture
             << " in the picture. The MPI library moved wrong bytes for these datatypes.";
        mistake = text.str();
      }
    }
  }
  if (me == 0) std::cout << json.dump() << std::endl;
  agree(mistake, comm);
}

}  // namespace
}  // namespace fft2d

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int me = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  const fft2d::Parsed parsed = fft2d::parse(argc, argv, me == 0);
  int code = parsed.exit_code;
  if (parsed.options) code = apps::told("fft2d", MPI_COMM_WORLD, [&] { fft2d::run(*parsed.options, MPI_COMM_WORLD); });
  MPI_Finalize();
  return code;
}
