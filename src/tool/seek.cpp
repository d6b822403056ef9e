// tool/seek.cpp: measures the parts of the time of a pipelined noncontiguous send, as in figure 13
// of Balaji et al. 2007.
//
// An n × n matrix of three doubles is sent in column-major order, in segments. Before each segment,
// the sender looks at the next 15 blocks. Then it packs the segment. There are two ways to keep the
// position:
//   dual-context     two cursors: one looks, one packs (layout/cursor.hpp)
//   single-context   one position: the look loses it, and a search from the start of the datatype finds it, as in MPICH2
// Both pack with the same kernels. Only the search differs.
#include <algorithm>
#include <chrono>
#include <cstddef>

#include "layout/cursor.hpp"
#include "layout/pack.hpp"
#include "tool/commands.hpp"

namespace heddle::tool {
namespace {

using namespace layout;
using Clock = std::chrono::steady_clock;

double microseconds(Clock::duration time) { return std::chrono::duration<double, std::micro>(time).count(); }

/// A position in a loop nest. It only moves forward, piece by piece. A step is cheaper than in any
/// datatype engine (it advances counters, without a stack or virtual calls). So its search is a
/// lower bound for the search of such engines.
class SingleContext {
 public:
  SingleContext(const Layout& layout, Count count) : start_(layout.repeated(count)) {
    const ProgramNode* node = start_.node.get();
    while (const auto* loop = std::get_if<Loop>(&node->form)) {
      levels_.push_back({loop->count, loop->stride, 0});
      node = loop->child.get();
    }
    block_ = node->size;
    restart();
  }

  void restart() {
    for (Level& level : levels_) level.index = 0;
    offset_ = start_.offset;
    at_ = 0;
  }
  [[nodiscard]] Bytes tell() const { return at_; }
  [[nodiscard]] Bytes offset() const { return offset_; }

  /// Moves to the next piece.
  void step() {
    at_ += block_;
    // NOLINTNEXTLINE(modernize-loop-convert): clang 14 cannot read std::views
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
      offset_ += level->stride;
      if (++level->index < level->count) return;
      offset_ -= level->stride * level->count;
      level->index = 0;
    }
  }
  /// Moves from the start to the piece that holds packed byte `to`.
  void search(Bytes to) {
    restart();
    while (at_ + block_ <= to) step();
  }

 private:
  struct Level {
    Count count;
    Bytes stride;
    Count index;
  };
  Placed start_;
  std::vector<Level> levels_;
  Bytes block_ = 0;
  Bytes offset_ = 0;
  Bytes at_ = 0;
};

/// The parts of the time of one message.
struct Times {
  double look_us = 0, search_us = 0, pack_us = 0;
  [[nodiscard]] double share() const { return search_us / (look_us + search_us + pack_us); }
};

struct Message {
  Layout layout;
  std::vector<std::byte> memory, packed;
};

Times dual_context(Message& m, Bytes segment) {
  Times times;
  Cursor look(m.layout, 1), pack(m.layout, 1);
  std::byte* out = m.packed.data();
  Bytes judged = 0;
  while (!pack.done()) {
    const auto a = Clock::now();
    look.seek(pack.tell());  // the other context knows the position
    const auto b = Clock::now();
    judged += look.ahead().blocks;
    const auto c = Clock::now();
    out += pack.copy_out(m.memory.data(), out, segment);
    const auto d = Clock::now();
    times.search_us += microseconds(b - a);
    times.look_us += microseconds(c - b);
    times.pack_us += microseconds(d - c);
  }
  if (judged == 0) throw std::logic_error("seek: nothing was judged");
  return times;
}

Times single_context(Message& m, Bytes segment) {
  Times times;
  SingleContext context(m.layout, 1);
  Bytes done = 0;
  Bytes seen = 0;
  while (done < m.layout.size()) {
    const auto a = Clock::now();
    for (int i = 0; i < Cursor::look_ahead && context.tell() < m.layout.size(); ++i) {
      seen += context.offset();
      context.step();
    }
    const auto b = Clock::now();
    context.search(done);  // the look has lost the position
    const auto c = Clock::now();
    const Bytes bytes = std::min(segment, m.layout.size() - done);
    pack_range(m.layout, 1, m.memory.data(), done, bytes, m.packed.data() + done);
    done += bytes;
    const auto d = Clock::now();
    while (context.tell() < done) context.step();  // packing moves its context without a search
    times.look_us += microseconds(b - a);
    times.search_us += microseconds(c - b);
    times.pack_us += microseconds(d - c);
  }
  if (seen < 0) throw std::logic_error("seek: offsets of a matrix are not negative");
  return times;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

Json row(const std::string& name, const char* variant, const char* metric, std::vector<double> values, const char* unit) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {{"bench", "seek"}, {"case", name},  {"variant", variant}, {"metric", metric},         {"value", median(values)},
          {"unit", unit},    {"lower", *low}, {"upper", *high},     {"samples", values.size()}, {"mpi", ""}};
}

/// A matrix of n × n elements of three doubles, column after column.
Layout column_major(Count n) {
  constexpr Bytes element = 24;
  return contiguous(n, resized(vector(n, 1, n, basic(element, 8)), 0, element));
}

void check(const Message& m) {
  std::vector<std::byte> expected(m.packed.size());
  pack(m.layout, 1, m.memory.data(), expected.data());
  if (expected != m.packed) throw std::logic_error("seek: the segments are not the message");
}

void pipeline(Count n, const SeekOptions& options, Json& rows) {
  Message m{column_major(n), {}, {}};
  m.memory.resize(static_cast<std::size_t>(m.layout.size()));
  m.packed.resize(m.memory.size());
  std::vector<Times> dual, single;
  for (int sample = 0; sample <= options.samples; ++sample) {                           // interleaved; the first round warms up
    for (std::size_t i = 0; i < m.memory.size(); i += 64) m.memory[i] ^= std::byte{1};  // live data
    dual.push_back(dual_context(m, options.segment));
    if (sample == 0) check(m);
    single.push_back(single_context(m, options.segment));
    if (sample == 0) check(m);
  }
  const std::string name = "transpose " + std::to_string(n);
  const auto put = [&](const char* variant, const std::vector<Times>& all) {
    const auto column = [&](auto get) {
      std::vector<double> values;
      for (std::size_t i = 1; i < all.size(); ++i) values.push_back(get(all[i]));
      return values;
    };
    rows.push_back(row(name, variant, "look_us", column([](const Times& t) { return t.look_us; }), "us"));
    rows.push_back(row(name, variant, "search_us", column([](const Times& t) { return t.search_us; }), "us"));
    rows.push_back(row(name, variant, "pack_us", column([](const Times& t) { return t.pack_us; }), "us"));
    rows.push_back(row(name, variant, "share", column([](const Times& t) { return t.share(); }), "1"));
  };
  put("dual-context", dual);
  put("single-context", single);
}

/// Measures seeks to some offsets of the largest matrix.
void offsets(Count n, const SeekOptions& options, Json& rows) {
  const Layout layout = column_major(n);
  Cursor cursor(layout, 1);
  SingleContext single(layout, 1);
  Bytes sum = 0;
  for (const int percent : {0, 1, 10, 25, 50, 75, 99}) {
    const Bytes to = layout.size() / 100 * percent + 13;
    constexpr int many = 1000;
    std::vector<double> ours, theirs;
    for (int sample = 0; sample < options.samples; ++sample) {
      auto start = Clock::now();
      for (int i = 0; i < many; ++i) {
        cursor.seek(to + i % 7);
        sum += cursor.peek().offset;
      }
      ours.push_back(microseconds(Clock::now() - start) * 1000 / many);
      start = Clock::now();
      single.search(to);
      sum += single.offset();
      theirs.push_back(microseconds(Clock::now() - start) * 1000);
    }
    const std::string name = "transpose " + std::to_string(n) + " at " + std::to_string(percent) + " %";
    rows.push_back(row(name, "dual-context", "seek_ns", ours, "ns"));
    rows.push_back(row(name, "single-context", "seek_ns", theirs, "ns"));
  }
  if (sum < 0) throw std::logic_error("seek: offsets of a matrix are not negative");
}

}  // namespace

Json seek(const SeekOptions& options) {
  Json rows = Json::array();
  for (const Count n : options.sizes) pipeline(n, options, rows);
  if (!options.sizes.empty()) offsets(*std::ranges::max_element(options.sizes), options, rows);
  return rows;
}

}  // namespace heddle::tool
