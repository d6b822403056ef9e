// layout/kernel/why.cpp: the kernels' names, and decisions in words with their numbers.
#include <array>
#include <initializer_list>
#include <string_view>

#include "layout/kernel/cache_lines.hpp"
#include "layout/kernel/choose_kernel.hpp"

namespace heddle::layout::kernel {
namespace {

using namespace std::literals;

constexpr std::array<Description, all_kernels> descriptions = {{
    {"copy", "one copy by the C library"},
    {"unrolled", "plain moves, four blocks at a time"},
    {"single", "plain moves, one block at a time"},
    {"ahead", "plain moves, four blocks at a time, those to come fetched ahead"},
    {"masked", "whole moves, loaded under a mask"},
    {"packed-under-mask", "blocks read under a mask and stored in whole moves, each covering what the one before spoilt"},
    {"packed-under-mask-ahead", "the same, blocks to come fetched ahead"},
    {"unpacked-under-mask", "blocks read in whole moves and stored under a mask"},
    {"unpacked-under-mask-ahead", "the same, blocks to come fetched ahead"},
    {"windows", "several blocks by one permute of the bytes of 64-byte windows"},
    {"windows-ahead", "the same, windows to come fetched ahead"},
    {"two-vectors", "a whole vector and, overlapping it, half of one"},
    {"two-vectors-masked", "a whole vector and, overlapping it, half or all of another, loaded under masks"},
    {"vectors", "a few vectors and the one that ends the block"},
    {"long-blocks", "a loop of vectors for each block"},
    {"library", "each block by the C library"},
    {"few-stores", "blocks in small stores, repeated: fewer lines under way"},
    {"few-loads", "one block at a time, stored repeatedly: fewer lines under way"},
    {"units", "blocks in units of 16 bytes, line by line"},
    {"units-twice", "blocks in units of 16 bytes, line by line, each block twice"},
    {"units-double", "blocks in units of 32 bytes, line by line"},
    {"thin", "pass after pass along the longer loop"},
    {"squares", "squares transposed in registers"},
    {"streamed", "squares transposed in registers and stored past the caches, where rows begin on lines"},
    {"staged", "through a buffer in the first-level cache and past the others, where rows begin on lines"},
    {"tiles", "loops over tiles of 8 × 8 blocks"},
    {"rows", "row after row"},
    {"listed", "plain moves, four blocks at a time"},
    {"listed-ahead", "plain moves, blocks to come fetched ahead"},
    {"listed-lanes", "four blocks into one vector"},
    {"listed-under-mask", "one move a block, under a mask"},
    {"listed-long", "a copy for each block"},
    {"pieces-16", "16 bytes a piece, whatever its length"},
    {"pieces-32", "32 bytes a piece, whatever its length"},
    {"pieces-64", "64 bytes a piece, whatever its length"},
    {"pieces-any", "a copy of its own length for each piece"},
    {"record-windows", "several records by one permute of the bytes of 64-byte windows"},
    {"record-windows-ahead", "the same, windows to come fetched ahead"},
    {"record-steps", "records by permutes of 64-byte windows, step by step over a few of them"},
    {"record-fields", "records field by field, over as many as stay in the first-level cache"},
    {"record-whole", "one record after the other"},
}};
static_assert(descriptions.back().name != nullptr);

std::string words(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}
std::string number(std::int64_t n) { return std::to_string(n); }
std::string bytes(Bytes n) { return number(n) + " B"; }

std::string sets(Count count, Bytes stride, Bytes block, const Thresholds& by, std::string_view where) {
  return words({number(count), " blocks ", bytes(stride), " apart ", where, " share ", number(sets_shared(stride, block)),
                " of 64 sets of the first-level cache, of ", number(by.ways), " lines each"});
}

}  // namespace

const Description& describe(Kernel kernel) noexcept { return descriptions[static_cast<std::size_t>(kernel)]; }

std::string why(const NestFacts& facts, Choice choice, const Thresholds& by) {
  const Dim &outer = facts.outer, &inner = facts.inner;
  const Bytes block = facts.block, stride = longer_stride(inner), wide = widest_move(facts.isa);
  const Count blocks = outer.count * inner.count;
  const std::string apart =
      words({number(blocks), blocks == 1 ? " block of " : " blocks of ", bytes(block), " every ", bytes(stride)});
  const std::string span = bytes(span_of(outer, inner)), total = bytes(blocks * block);
  switch (choice.because) {
    case Because::one_piece:
      return words({"one piece of ", bytes(block)});
    case Because::stores_collide:
      return sets(inner.count, inner.to, block, by, "at the destination");
    case Because::loads_collide:
      return sets(inner.count, inner.from, block, by, "at the source");
    case Because::pages_collide:
      return words(
          {number(inner.count), " blocks of ", bytes(block), ", each in a page of its own, at the same place in each"});
    case Because::short_vectors:
      return words({bytes(block), " are more than a vector of ", bytes(wide), " and at most ",
                    block <= wide + wide / 2 ? "one and a half" : "two"});
    case Because::own_pages:
      return words({apart, ": pages of their own, over ", span, ", more than ", bytes(by.memory_from), ", and each has ",
                    bytes(by.library_from), " or more"});
    case Because::few_vectors:
      return words({bytes(block), " are at most 8 vectors of ", bytes(wide)});
    case Because::many_vectors:
      return words({bytes(block), " are more than 8 vectors of ", bytes(wide)});
    case Because::neighbours:
      return words({apart, ": several lie within ", inner.to == block ? "two windows" : "a window", " of 64 B, and ",
                    number(blocks), " are no fewer than ", number(by.windows_from)});
    case Because::odd_length:
      return words({bytes(block), " is no multiple of 4"});
    case Because::from_memory:
      return words({apart, " over ", span, ", more than ", bytes(by.memory_from), ": from memory, mostly holes"});
    case Because::on_many_lines:
      return words({apart, ": on lines of their own, and no fewer than ", number(by.many_lines)});
    case Because::close:
      return words({apart, ": less than 128 B apart, the prefetchers keep up"});
    case Because::near:
      return words({apart, " over ", span, ", no more than ", bytes(by.inner_cache), ": the first-level cache holds them"});
    case Because::from_second_cache:
      return stride >= 512 ? words({apart, ": 512 B apart or more, the prefetcher follows a single load"})
                           : words({apart, " over ", span, ", more than ", bytes(by.inner_cache),
                                    ": the prefetcher follows a single load"});
    case Because::one_side_packed:
      return words({bytes(block), " take one move under a mask, and the other side is packed"});
    case Because::lines_unwanted:
      return words({apart, " over ", span, ", no more than ", bytes(by.memory_from),
                    ": a load under a mask sets off no prefetch of lines that nobody wants"});
    case Because::short_loop:
      return words({"a loop of ", number(outer.count < inner.count ? outer.count : inner.count), " is too short for squares"});
    case Because::large_transpose:
      return words({total, " to be written in another order, no less than ", bytes(by.stream_from),
                    ", in rows a whole number of lines apart"});
    case Because::whole_elements:
      return words({number(outer.count), " × ", number(inner.count), " elements of ", bytes(block),
                    ", side by side at the destination and, in another order, at the source"});
    case Because::other_elements:
      return words({number(outer.count), " × ", number(inner.count), " blocks of ", bytes(block),
                    " in another order: no register holds squares of them"});
    case Because::long_elements:
      return words({bytes(block), " in another order are a line or more each"});
    default:
      return {};
  }
}

std::string why(const ListFacts& facts, Choice choice, const Thresholds& by) {
  const std::string blocks = words({number(facts.blocks), " blocks of ", bytes(facts.block)});
  switch (choice.because) {
    case Because::far_list:
      return words({blocks, ", no fewer than ", number(by.list_from), ", over ", bytes(facts.reach), ", more than ",
                    bytes(by.list_memory_from)});
    case Because::lanes:
      return words({blocks, ": four fit into a vector"});
    case Because::one_side_packed:
      return words({bytes(facts.block), " take one move under a mask, and the other side is packed"});
    case Because::long_list_blocks:
      return words({bytes(facts.block), " are more than a line"});
    case Because::plain_list:
      return facts.reach > 0 ? words({blocks, " over ", bytes(facts.reach), ", no more than ", bytes(by.list_memory_from)})
                             : words({blocks, ": plain moves do"});
    default:
      return {};
  }
}

std::string why(const PiecesFacts& facts, Choice choice) {
  if (choice.because != Because::longest_piece) return {};
  return words({"the longest has ", bytes(facts.longest)});
}

std::string why(const RecordFacts& facts, Choice choice, const Thresholds& by) {
  const std::string records = words({number(facts.count), " records of ", bytes(facts.size), " in ", bytes(facts.span)});
  switch (choice.because) {
    case Because::window_of_records:
      return words({records, " every ", bytes(facts.stride), ": several lie within ",
                    facts.direction == Direction::pack ? "two windows" : "a window", " of 64 B"});
    case Because::permutes:
      return words({records, ": ", number(facts.steps), facts.steps == 1 ? " step each" : " steps each"});
    case Because::no_permutes:
      return words({records, ", without byte permutes (", name(facts.isa), ")"});
    case Because::long_records:
      return words({bytes(facts.size), " are no less than ", bytes(by.whole_records_from)});
    default:
      return {};
  }
}

}  // namespace heddle::layout::kernel
