// group/text.cpp: reading groups.
#include "group/text.hpp"

#include <cctype>
#include <charconv>

#include "group/operations.hpp"

namespace heddle::group {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Group whole() {
    Group group = list();
    while (word("without")) group = difference(group, list());
    if (at_ < text_.size()) fail("expected ',', 'without' or the end");
    return group;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    const std::string found = at_ < text_.size() ? "'" + std::string(1, text_[at_]) + "'" : "the end";
    throw TextError(at_ + 1, what + ", found " + found);
  }

  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool sign(char wanted) {
    skip();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    skip();
    return true;
  }
  bool word(std::string_view wanted) {
    skip();
    if (!text_.substr(at_).starts_with(wanted)) return false;
    at_ += wanted.size();
    skip();
    return true;
  }
  void need(char wanted) {
    if (!sign(wanted)) fail(std::string("expected '") + wanted + "'");
  }

  Rank number() {
    skip();
    Rank value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range || value > most_ranks || value < -most_ranks) {
      throw TextError(at_ + 1, "ranks are less than " + std::to_string(most_ranks));
    }
    if (error != std::errc{}) fail("expected a rank");
    at_ += static_cast<std::size_t>(end - begin);
    skip();
    return value;
  }

  Group list() {
    Encoder encoder;
    do {
      if (word("cart")) {
        std::vector<Piece> pieces;
        const Group part = cartesian();
        if (!part.pieces(pieces)) fail("expected a simpler topology");
        for (const Piece& piece : pieces) encoder.add(piece);
      } else {
        encoder.add(range());
      }
    } while (sign(','));
    Group group = encoder.finish();
    if (!distinct(group)) throw std::invalid_argument("a rank is listed twice");
    return group;
  }

  /// 7, 0:100 or 0:100:5.
  Piece range() {
    const std::size_t begin = at_;
    const std::int64_t first = number();
    std::int64_t stop = first + 1, step = 1;
    if (sign(':')) {
      stop = number();
      if (sign(':')) step = number();
    }
    const auto wrong = [&](const std::string& what) { throw TextError(begin + 1, what); };
    if (step == 0) wrong("a range needs a step that is not 0");
    const std::int64_t size = step > 0 ? (stop - first + step - 1) / step : (first - stop - step - 1) / -step;
    if (size <= 0) wrong("a range without ranks: first:end:step does not include its end");
    const std::int64_t last = first + (size - 1) * step;
    if (first < 0 || last < 0 || first >= most_ranks || last >= most_ranks) {
      wrong("ranks are 0 to " + std::to_string(most_ranks - 1));
    }
    return Piece::run(static_cast<Rank>(first), static_cast<Rank>(step), static_cast<Rank>(size));
  }

  /// (100 x 100 x 100; *, 7, *)
  Group cartesian() {
    need('(');
    std::vector<Rank> dims, here;
    std::int64_t places = 1;
    do {
      dims.push_back(number());
      if (dims.back() < 1) fail("expected at least one process a dimension");
      places *= dims.back();
      if (places > most_ranks) fail("expected fewer processes");
    } while (sign('x'));
    need(';');
    std::vector<char> stay;
    do {
      stay.push_back(sign('*') ? 1 : 0);
      here.push_back(stay.back() != 0 ? 0 : number());
      if (here.back() < 0 || (here.size() <= dims.size() && here.back() >= dims[here.size() - 1])) fail("no such coordinate");
    } while (sign(','));
    if (here.size() != dims.size()) fail("expected " + std::to_string(dims.size()) + " coordinates");
    need(')');
    const std::unique_ptr<bool[]> remain(new bool[stay.size()]);
    for (std::size_t d = 0; d < stay.size(); ++d) remain[d] = stay[d] != 0;
    return cart_sub(Group::world(static_cast<Rank>(places)), dims, {remain.get(), stay.size()}, here);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Group parse(std::string_view text) { return Reader(text).whole(); }

}  // namespace heddle::group
