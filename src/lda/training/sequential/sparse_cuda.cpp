#include "lda/training/sequential/sparse_cuda.h"

#include "execution/cuda/check.h"

namespace papilio::lda {

void SequentialSparseTables::set(const CorpusView& corpus, std::int32_t topics, cudaStream_t stream) {
  const WordPlaces order(corpus, topic_list_offsets(corpus, topics));
  tokens.upload(order.tokens.data(), tokens.size(), stream);
  places.upload(order.lists.data(), places.size(), stream);
  word_offsets.upload(order.offsets.data(), word_offsets.size(), stream);
  list_offsets.upload(order.list_offsets.data(), list_offsets.size(), stream);
  tree.clear(stream);
  execution::check(cudaStreamSynchronize(stream), "a copy to the device");
}

SequentialSparse SequentialSparseTables::arrays(std::int32_t topics) {
  SequentialSparse arrays;
  arrays.topics = topics;
  arrays.tokens = tokens.data();
  arrays.z = z.data();
  arrays.places = places.data();
  arrays.word_offsets = word_offsets.data();
  arrays.list_offsets = list_offsets.data();
  arrays.lists = lists.data();
  arrays.q = q.data();
  arrays.tree = TopicTree::over(tree.data(), topics);
  return arrays;
}

}  // namespace papilio::lda
