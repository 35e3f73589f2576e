#pragma once

#include <cstdint>

#include "execution/cuda/memory.h"
#include "lda/training/memory/document_range_cuda.h"
#include "lda/training/sequential/sparse_kernel.h"
#include "lda/training/sequential/word_places.h"
#include "papilio/corpus.h"

namespace papilio::lda {

// The order of tokens and the lists of documents, in the memory of a CUDA device. for_each: see
// memory/device_tables_cuda.h.
struct SequentialSparseTables {
  execution::DeviceArray<std::uint32_t> tokens;
  execution::DeviceArray<std::int32_t> z;
  execution::DeviceArray<std::int64_t> places, word_offsets, list_offsets;
  execution::DeviceArray<DocumentTopic> lists;
  execution::DeviceArray<double> q, tree;
  execution::DeviceArray<std::int64_t> counts;  // 2: entries of all lists when the sweep began; tokens from documents

  template <class Use>
  void for_each_table(const CorpusView& corpus, std::int32_t topics, Use use) {
    use(tokens, corpus.tokens(), "tokens by word");
    use(z, corpus.tokens(), "tokens by word");
    use(places, corpus.tokens(), "tokens by word");
    use(word_offsets, corpus.vocabulary_size() + 1, "tokens by word");
    use(list_offsets, corpus.documents() + 1, "topics of documents");
    use(lists, topic_list_offsets(corpus, topics).back(), "topics of documents");
    use(q, topics, "the topics' masses");
    use(tree, TopicTree::size(topics), "the topics' masses");
    use(counts, std::int64_t{2}, "sums of a sweep");
  }

  // Copies what the corpus decides; waits for it.
  void set(const CorpusView& corpus, std::int32_t topics, cudaStream_t stream);

  // With the pointers to these tables; the rest is the caller's.
  SequentialSparse arrays(std::int32_t topics);
};

// One sweep of sparse_kernel.h, by one block, of which one thread draws. It is slow, and exists so that a device can do
// all that the CPU does. The range holds the whole corpus; `words` is V. counts receives what SequentialSparseTables
// says.
void queue_sequential_sparse_draws(const DocumentRange& range, const SequentialSparse& draw, std::int64_t words,
                                   std::int64_t* counts);

}  // namespace papilio::lda
