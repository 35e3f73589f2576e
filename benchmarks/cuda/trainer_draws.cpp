#include "trainer_draws.h"

#include "lda/training/dense/parallel_cuda.h"

namespace {

std::vector<papilio::lda::TopicItem> items_of(const Tokens& tokens, std::int32_t at_most) {
  std::vector<papilio::lda::TopicItem> items;
  for (std::int64_t t = 0; t < tokens.count();) {
    const std::int32_t document = tokens.documents[static_cast<std::size_t>(t)];
    std::int32_t count = 1;
    while (count < at_most && t + count < tokens.count() &&
           tokens.documents[static_cast<std::size_t>(t + count)] == document)
      ++count;
    items.push_back({.first = t, .document = document, .count = count});
    t += count;
  }
  papilio::lda::order_items(items.data(), static_cast<std::int64_t>(items.size()));
  return items;
}

DeviceVector<float> padded_rows(const float* from, std::int64_t rows, std::int32_t K) {
  const std::int64_t stride = papilio::lda::topic_stride(K);
  DeviceVector<float> to(rows * stride);
  copy_rows(to.data(), stride * 4, from, std::int64_t{K} * 4, rows);
  return to;
}

}  // namespace

struct TrainerDraws::Data {
  DeviceVector<papilio::lda::TopicItem> items;
  DeviceVector<float> theta, phi;
  DeviceVector<std::int32_t> z;
  papilio::lda::TopicDraw draw;
};

TrainerDraws::TrainerDraws(const Tokens& tokens, const std::int32_t* words, std::int32_t K, const float* theta,
                           const float* phi)
    : data_(std::make_unique<Data>(Data{.items = DeviceVector(items_of(tokens, papilio::lda::tokens_per_item(K))),
                                        .theta = padded_rows(theta, tokens.document_count, K),
                                        .phi = padded_rows(phi, tokens.vocabulary_size, K),
                                        .z = DeviceVector(std::vector<std::int32_t>(tokens.words.size())),
                                        .draw = {}})) {
  data_->draw = {.items = data_->items.data(),
                 .item_count = data_->items.size(),
                 .theta = data_->theta.data(),
                 .theta_stride = papilio::lda::topic_stride(K),
                 .phi = data_->phi.data(),
                 .phi_stride = papilio::lda::topic_stride(K),
                 .words = words,
                 .z = data_->z.data(),
                 .topics = K,
                 .seed = 1};
}

TrainerDraws::~TrainerDraws() = default;

void TrainerDraws::queue() { papilio::lda::queue_parallel_draws(data_->draw, stream()); }

const DeviceVector<std::int32_t>& TrainerDraws::z() const { return data_->z; }
