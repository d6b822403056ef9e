// tool/tune/measure.cpp: measures with live data. The sender rewrites them before each measurement,
// because caches would otherwise serve old copies.
#include "tool/tune/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "layout/layout.hpp"
#include "layout/pack.hpp"
#include "layout/pack_away.hpp"
#include "layout/transfer.hpp"
#include "tool/tune/process_pair.hpp"
#include "transport/transport.hpp"

namespace heddle::tool {
namespace {

using layout::Bytes;
using layout::Layout;
using select::Curve;
using select::Profile;

constexpr long message = 256 << 10;  // bytes in the measurements by block length; fits into all of today's second-level caches
constexpr long pieces = 512;         // pieces of an iovec
constexpr long apart = 4096 + 64;    // distance of pieces: on pages of their own, but not in one cache set

/// Blocks of `length` bytes, with a hole of the same length behind each. `message` bytes in all.
Layout strided(Bytes length) { return layout::vector(message / length, length, 2 * length, layout::basic(1)); }

/// A square matrix of elements of `length` bytes, `message` bytes or somewhat less, by columns.
Layout by_columns(Bytes length) {
  const auto n = std::max<Bytes>(2, static_cast<Bytes>(std::sqrt(static_cast<double>(message) / static_cast<double>(length))));
  const Layout element = layout::contiguous(length, layout::basic(1));
  return layout::contiguous(n, layout::resized(layout::vector(n, 1, n, element), 0, length));
}

/// Layouts by number: 0 to 7 strided, 8 to 15 by columns. Both processes make them in advance.
const Layout& layout_of(long number) {
  static const std::vector<Layout> all = [] {
    std::vector<Layout> layouts;
    layouts.reserve(2 * Curve::points);
    for (const int length : Curve::lengths) layouts.push_back(strided(length));
    for (const int length : Curve::lengths) layouts.push_back(by_columns(length));
    return layouts;
  }();
  return all[static_cast<std::size_t>(number)];
}

/// Writes new data, as a program does before a message.
double rewrite(Pair& pair, long bytes) {
  static int value = 0;
  std::memset(pair.mine, ++value, static_cast<std::size_t>(bytes));
  return 0;
}
double rewrite_shared(Pair& pair, long bytes) {
  static int value = 0;
  std::memset(pair.shared, ++value, static_cast<std::size_t>(bytes));
  return 0;
}

/// Lines so far apart that no prefetch fetches them, but on so few pages that the TLB holds their
/// addresses.
constexpr long lines_apart = 7L * 64;
void write_lines(std::byte* base) {
  static int value = 0;
  ++value;
  for (long i = 0; i < pieces; ++i) std::memset(base + i * lines_apart, value, 8);
}
double write_shared_lines(Pair& pair, long) {
  write_lines(pair.shared);
  return 0;
}

/// Packs from the program's memory into slots; ns.
double pack_into_slots(Pair& pair, long number) {
  const Layout& layout = layout_of(number);
  rewrite(pair, 2 * message + 4096);
  const double start = now();
  layout::pack_away(layout, 1, pair.mine, 0, layout.size(), pair.shared);
  return now() - start;
}

/// The transport whose copies the profile describes.
constexpr const transport::TransportEntry& copying() {
  return *std::ranges::find_if(transport::transports, [](const auto& one) { return one.can.copy; });
}

class Measuring {
 public:
  Measuring(bool quick, const Progress& progress) : samples_(quick ? 15 : 151), progress_(progress) {}

  Measured all() {
    Profile& p = measured_.profile;
    p = select::builtin();
    kernels(p);
    passes(p);
    mapped(p);
    if (pair_.copier())
      process_vm(p);
    else
      refused();
    progress_(1, "done");
    return measured_;
  }

 private:
  static constexpr int steps = 8 + 8 + 8 + 5 + 4;

  void next(const std::string& what) { progress_(static_cast<double>(step_++) / steps, what); }

  template <class Sample>
  double quartile(const Sample& sample) {
    std::vector<double> times;
    times.reserve(static_cast<std::size_t>(samples_));
    for (int i = 0; i < 3; ++i) sample();  // warms pages and branch predictors
    for (int i = 0; i < samples_; ++i) times.push_back(sample());
    const auto at = times.begin() + samples_ / 4;
    std::ranges::nth_element(times, at);
    return *at;
  }

  /// Measures kernels in the situation of BC-SPUP: the slots were last in the other core's cache.
  void kernels(Profile& p) {
    for (std::size_t i = 0; i < Curve::points; ++i) {
      next(fmt::format("pack and unpack, blocks of {} B", Curve::lengths[i]));
      const auto number = static_cast<long>(i);
      const auto bytes = static_cast<double>(layout_of(number).size());
      std::vector<double> packing;
      p.unpack.ns[i] = quartile([&] {
                         packing.push_back(pair_.sender(pack_into_slots, number));
                         const double start = now();
                         layout::unpack(layout_of(number), 1, pair_.other, pair_.shared);
                         return now() - start;
                       }) /
                       bytes;
      std::ranges::nth_element(packing, packing.begin() + static_cast<long>(packing.size() / 4));
      p.pack.ns[i] = packing[packing.size() / 4] / bytes;
    }
    for (std::size_t i = 0; i < Curve::points; ++i) {
      next(fmt::format("pack by columns, elements of {} B", Curve::lengths[i]));
      const auto number = static_cast<long>(Curve::points + i);
      const auto bytes = static_cast<double>(layout_of(number).size());
      p.transposed.ns[i] = quartile([&] {
                             const double taken = pair_.sender(pack_into_slots, number);
                             std::memcpy(pair_.other, pair_.shared, message);
                             return taken;
                           }) /
                           bytes;
    }
  }

  /// Measures kernels in the situation of direct: they read the sender's own buffer, which the
  /// sender has just written.
  void passes(Profile& p) {
    for (std::size_t i = 0; i < Curve::points; ++i) {
      next(fmt::format("in one pass, blocks of {} B", Curve::lengths[i]));
      const Layout& rows = layout_of(static_cast<long>(i));
      p.move.ns[i] = quartile([&] {
                       pair_.sender(rewrite_shared, rows.true_extent());
                       const double start = now();
                       layout::transfer(rows, 1, pair_.shared, rows, 1, pair_.other);
                       return now() - start;
                     }) /
                     static_cast<double>(rows.size());
      const Layout& columns = layout_of(static_cast<long>(Curve::points + i));
      p.move_transposed.ns[i] = quartile([&] {
                                  pair_.sender(rewrite_shared, columns.true_extent());
                                  return gather(columns, pair_.shared);
                                }) /
                                static_cast<double>(columns.size());
    }
  }

  void mapped(Profile& p) {
    next("copy within a core");
    p.copy = quartile([&] {
               rewrite(pair_, message);
               const double start = now();
               std::memcpy(pair_.other, pair_.mine, message);
               return now() - start;
             }) /
             message;
    next("copy from the other core");
    p.fetch = quartile([&] {
                pair_.sender(rewrite_shared, message);
                const double start = now();
                std::memcpy(pair_.other, pair_.shared, message);
                return now() - start;
              }) /
              message;
    next("lines of the other core that lie alone");
    const Layout lines = layout::hvector(pieces, 8, lines_apart, layout::basic(1));
    const double theirs = quartile([&] {
      pair_.sender(write_shared_lines, 0);
      return gather(lines, pair_.shared);
    });
    const double ours = quartile([&] {
      write_lines(pair_.mine);
      return gather(lines, pair_.mine);
    });
    p.line = theirs / pieces;
    p.own_line = ours / pieces;
    next("a word to the other core");
    p.handover = quartile([&] { return pair_.one_way(200, 0); });
    next("an announcement to the other core");
    p.handshake = quartile([&] { return pair_.one_way(200, 128); });
  }

  double gather(const Layout& lines, const std::byte* from) {
    const double start = now();
    layout::pack(lines, 1, from, pair_.other);
    return now() - start;
  }

  double read(const std::vector<iovec>& local, const std::vector<iovec>& remote) {
    pair_.sender(rewrite, pieces * apart);
    const double start = now();
    const transport::Moved moved = pair_.copier().pull(local, remote);
    const double taken = now() - start;
    if (moved.error != 0)
      throw std::runtime_error(std::string(copying().means) + " has failed in the middle of the measurement");
    return taken;
  }

  static std::vector<iovec> list(std::byte* base, long count, long step, std::size_t length) {
    std::vector<iovec> entries;
    entries.reserve(static_cast<std::size_t>(count));
    for (long i = 0; i < count; ++i) entries.push_back({base + i * step, length});
    return entries;
  }

  /// Takes a number, or keeps the built-in one if other work on the machine has spoilt the times.
  void take(double Profile::*number, double value, double least) {
    if (value > least)
      measured_.profile.*number = value;
    else
      measured_.kept.*number = std::nan("");
  }

  void refused() {
    for (double Profile::*number : {&Profile::call, &Profile::remote_entry, &Profile::local_entry, &Profile::read})
      measured_.kept.*number = std::nan("");
    measured_.without = std::string(copying().means) + " is refused here; its costs are the built-in ones";
  }

  void process_vm(Profile& p) {
    const std::string means(copying().means);
    const std::vector<iovec> one_here = list(pair_.other, 1, 0, pieces * 8);
    const std::vector<iovec> one_there = list(pair_.mine, 1, 0, pieces * 8);
    next(means + ", a call");
    const double call = quartile([&] { return read(one_here, one_there); });
    next(means + ", pieces of the sender");
    const double remote = quartile([&] { return read(one_here, list(pair_.mine, pieces, apart, 8)); });
    next(means + ", pieces of the receiver");
    const double local = quartile([&] { return read(list(pair_.other, pieces, apart, 8), one_there); });
    next(means + ", bytes");
    const std::vector<iovec> all_here = list(pair_.other, 1, 0, message);
    const std::vector<iovec> all_there = list(pair_.mine, 1, 0, message);
    const double bytes = quartile([&] { return read(all_here, all_there); });
    constexpr double least_call = 50;  // ns; no system call takes less
    constexpr double least_byte = 1e-3;
    take(&Profile::remote_entry, (remote - call) / (pieces - 1), 0);
    take(&Profile::local_entry, (local - call) / (pieces - 1), 0);
    take(&Profile::read, (bytes - call) / static_cast<double>(message - pieces * 8), least_byte);
    take(&Profile::call, call - p.remote_entry - p.local_entry - p.read * pieces * 8, least_call);
  }

  Pair pair_;
  int samples_;
  const Progress& progress_;
  int step_ = 0;
  Measured measured_;
};

}  // namespace

Measured measure(bool quick, const Progress& progress) { return Measuring(quick, progress).all(); }

}  // namespace heddle::tool
