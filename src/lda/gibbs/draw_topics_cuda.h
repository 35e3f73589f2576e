#pragma once

#include <cstdint>

#include "base/math.h"

// Draws of topics by a CUDA device: one kernel for what MeanForMode::draw_topics does
// with sample_categorical, and the same draws, bit for bit.

namespace papilio::lda {

// A run of tokens of one document.
struct TopicItem {
  std::int64_t first;     // its first token, an index into words and z
  std::int32_t document;  // the row of theta of its document
  std::int32_t count;     // tokens
};

// From one row of theta or phi to the next: the topics and zeros up to a multiple of
// 4, or of 128 where there are more than 128 topics.
constexpr std::int64_t topic_stride(std::int32_t topics) {
  return base::round_up<std::int64_t>(topics, topics <= 128 ? 4 : 128);
}

// Pointers are to memory of the current device.
struct TopicDraw {
  const TopicItem* items = nullptr;
  std::int64_t item_count = 0;
  const float* theta = nullptr;
  std::int64_t theta_stride = 0;  // topic_stride(topics), as is phi's
  const float* phi = nullptr;
  std::int64_t phi_stride = 0;
  const std::int32_t* words = nullptr;
  std::int32_t* z = nullptr;  // the old topics, replaced by the new ones
  std::int32_t topics = 0;
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;      // of random numbers
  std::int64_t first_token = 0;  // the number in the corpus of the token that words[0] and z[0] belong to
  std::int32_t* n_wk = nullptr;  // null: counts stay; else a token that changes its topic moves its count
  std::int64_t n_wk_stride = 0;
};

// The most tokens that an item should have, 32 to 128, by the number of topics.
std::int32_t tokens_an_item(std::int32_t topics);

// Puts items into the order in which the kernel is fastest: the longest first, so that
// those that share a warp are of like length and none is left over at the end.
void order_items(TopicItem* items, std::int64_t count);

// Queues the draws of all items on a stream (a cudaStream_t) of the current device.
void queue_topic_draws(const TopicDraw& draw, void* cuda_stream);

}  // namespace papilio::lda
