#include "lda/training/sequential/sparse_cuda.h"

#include "execution/cuda/check.h"
#include "lda/training/sequential/word_places.h"

namespace papilio::lda {

void SequentialSparseTables::set(const CorpusView& corpus, std::int32_t topics, cudaStream_t stream) {
  const WordPlaces places(corpus);
  const std::vector<std::int64_t> offsets = topic_list_offsets(corpus, topics);
  tokens.upload(places.tokens.data(), tokens.size(), stream);
  documents.upload(places.documents.data(), documents.size(), stream);
  word_offsets.upload(places.offsets.data(), word_offsets.size(), stream);
  list_offsets.upload(offsets.data(), list_offsets.size(), stream);
  tree.clear(stream);
  execution::check(cudaStreamSynchronize(stream), "a copy to the device");
}

SequentialSparse SequentialSparseTables::arrays(std::int32_t topics) {
  SequentialSparse arrays;
  arrays.topics = topics;
  arrays.tokens = tokens.data();
  arrays.documents = documents.data();
  arrays.word_offsets = word_offsets.data();
  arrays.list_offsets = list_offsets.data();
  arrays.lists = lists.data();
  arrays.list_sizes = list_sizes.data();
  arrays.q = q.data();
  arrays.tree = TopicTree::over(tree.data(), topics);
  return arrays;
}

}  // namespace papilio::lda
