#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

// The launch shapes of dense draws: which kernel draws from how many topics. All were chosen by measurements.
//
// A row of theta and phi is spread over G neighbouring threads, in N vectors of four topics each: 4 G N topics.
// `blocks` is how many blocks a multiprocessor should hold at once, which trades registers for work in flight.

namespace papilio::lda {

// For draws of all tokens at once, with T tokens of an item together. If a warp has a row, `together` rows of phi are
// loaded before the first is added up. With more than 1,024 topics a warp has a segment, or all of them.
struct ParallelShape {
  std::int32_t topics;  // at most
  int G, N, T;
  int blocks;
  int together;
  std::int32_t tokens_per_item;  // at most
};
inline constexpr ParallelShape parallel_shapes[] = {
    {.topics = 16, .G = 4, .N = 1, .T = 4, .blocks = 1, .together = 1, .tokens_per_item = 32},
    {.topics = 32, .G = 8, .N = 1, .T = 8, .blocks = 1, .together = 1, .tokens_per_item = 64},
    {.topics = 48, .G = 4, .N = 3, .T = 4, .blocks = 1, .together = 1, .tokens_per_item = 64},
    {.topics = 64, .G = 8, .N = 2, .T = 8, .blocks = 6, .together = 1, .tokens_per_item = 64},
    {.topics = 128, .G = 16, .N = 2, .T = 16, .blocks = 7, .together = 1, .tokens_per_item = 128},
    {.topics = 256, .G = 32, .N = 2, .T = 16, .blocks = 8, .together = 2, .tokens_per_item = 128},
    {.topics = 384, .G = 32, .N = 3, .T = 16, .blocks = 7, .together = 2, .tokens_per_item = 128},
    {.topics = 512, .G = 32, .N = 4, .T = 16, .blocks = 7, .together = 1, .tokens_per_item = 128},
    {.topics = 640, .G = 32, .N = 5, .T = 8, .blocks = 5, .together = 1, .tokens_per_item = 128},
    {.topics = 768, .G = 32, .N = 6, .T = 8, .blocks = 5, .together = 1, .tokens_per_item = 128},
    {.topics = 896, .G = 32, .N = 7, .T = 8, .blocks = 5, .together = 1, .tokens_per_item = 128},
    {.topics = 1024, .G = 32, .N = 8, .T = 8, .blocks = 5, .together = 1, .tokens_per_item = 128},
};
inline constexpr std::int32_t tokens_per_item_of_many_topics = 128;

// With up to 2,048 topics a warp has both segments of a row, and N vectors of the second.
struct TwoSegmentShape {
  std::int32_t topics;  // at most
  int N;
  int blocks;
  int blocks_of_second_draws;
};
inline constexpr TwoSegmentShape two_segment_shapes[] = {
    {.topics = 1152, .N = 1, .blocks = 4, .blocks_of_second_draws = 3},
    {.topics = 1536, .N = 4, .blocks = 4, .blocks_of_second_draws = 3},
    {.topics = 2048, .N = 8, .blocks = 3, .blocks_of_second_draws = 2},
};

// For documents, token by token: a group of G threads has a document. With more than 2,048 topics a warp has one.
struct ByDocumentShape {
  std::int32_t topics;  // at most
  int G, N;
  int blocks;
};
inline constexpr ByDocumentShape by_document_shapes[] = {
    {.topics = 16, .G = 4, .N = 1, .blocks = 8},     {.topics = 32, .G = 4, .N = 2, .blocks = 8},
    {.topics = 64, .G = 8, .N = 2, .blocks = 8},     {.topics = 128, .G = 8, .N = 4, .blocks = 6},
    {.topics = 256, .G = 32, .N = 2, .blocks = 8},   {.topics = 512, .G = 32, .N = 4, .blocks = 6},
    {.topics = 1024, .G = 32, .N = 8, .blocks = 4},  {.topics = 1152, .G = 32, .N = 9, .blocks = 4},
    {.topics = 1536, .G = 32, .N = 12, .blocks = 6}, {.topics = 2048, .G = 32, .N = 16, .blocks = 5},
};

// For second draws of refused tokens, with T tokens of an item together. With more than 1,024 topics see
// two_segment_shapes; with more than 2,048 a warp draws token by token.
struct RemovalShape {
  std::int32_t topics;  // at most
  int G, N, T;
};
inline constexpr RemovalShape removal_shapes[] = {
    {.topics = 16, .G = 4, .N = 1, .T = 4},   {.topics = 64, .G = 8, .N = 2, .T = 8},
    {.topics = 128, .G = 16, .N = 2, .T = 8}, {.topics = 256, .G = 32, .N = 2, .T = 8},
    {.topics = 512, .G = 32, .N = 4, .T = 8}, {.topics = 1024, .G = 32, .N = 8, .T = 8},
};

// The most tokens that an item should have, given the number of topics.
constexpr std::int32_t tokens_per_item(std::int32_t topics) {
  for (const ParallelShape& shape : parallel_shapes) {
    if (topics <= shape.topics) return shape.tokens_per_item;
  }
  return tokens_per_item_of_many_topics;
}

// Calls use.operator()<i>(), where shape i is the first that has room for `topics`. Returns false if none has.
template <const auto& shapes, class Use>
bool with_shape(std::int32_t topics, const Use& use) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return ((topics <= shapes[i].topics && (use.template operator()<i>(), true)) || ...);
  }
  (std::make_index_sequence<std::size(shapes)>());
}

}  // namespace papilio::lda
