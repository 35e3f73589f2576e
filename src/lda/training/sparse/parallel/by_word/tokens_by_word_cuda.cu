#include <algorithm>
#include <bit>
#include <cstddef>
#include <cub/device/device_radix_sort.cuh>

#include "base/math.h"
#include "execution/cuda/check.h"
#include "execution/cuda/staged_copies.h"
#include "lda/training/sparse/parallel/by_word/tokens_by_word_cuda.h"

// Parts of the tokens, taken in the order of documents, are sorted by word; the sort is stable, so the order within a
// word is kept. The tokens of a word in a part then go to the word's next free places.

namespace papilio::lda {
namespace {

using execution::check;
using execution::DeviceArray;

constexpr int order_threads = 256;
constexpr int tokens_per_tile = 1024;

using Words = cub::DoubleBuffer<std::uint32_t>;
using Places = cub::DoubleBuffer<std::uint64_t>;  // document * 2^32 + place

unsigned blocks_for(std::int64_t work) {
  const std::int64_t most = std::int64_t{execution::multiprocessors()} * 16;
  return static_cast<unsigned>(std::clamp<std::int64_t>(base::ceil_div<std::int64_t>(work, order_threads), 1, most));
}

__device__ std::int64_t this_thread() { return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ std::int64_t all_threads() { return std::int64_t{gridDim.x} * blockDim.x; }

// The lanes of a warp whose words are the same count it together.
__global__ void __launch_bounds__(order_threads)
    count_occurrences(const std::int32_t* words, std::int64_t tokens, std::uint32_t* counts) {
  for (std::int64_t i = this_thread(); i < tokens; i += all_threads()) {
    const std::int32_t word = words[i];
    const unsigned same = __match_any_sync(__activemask(), word);
    if (static_cast<int>(threadIdx.x % 32) == __ffs(static_cast<int>(same)) - 1) {
      atomicAdd(counts + word, static_cast<unsigned>(__popc(same)));
    }
  }
}

struct Documents {  // the arrays of a DocumentOrder
  const std::uint32_t* first_tokens;
  const std::uint32_t* begins;
  std::int32_t count;
};

// The last document in [low, high) that begins at `token` or before it.
__device__ std::int32_t document_of(const Documents& documents, std::uint32_t token, std::int32_t low,
                                    std::int32_t high) {
  while (high - low > 1) {
    const std::int32_t middle = low + (high - low) / 2;
    (documents.begins[middle] <= token ? low : high) = middle;
  }
  return low;
}

__global__ void __launch_bounds__(order_threads)
    number_tokens(const std::int32_t* words, Documents documents, std::int64_t first, std::int64_t tokens,
                  std::uint32_t* words_of_part, std::uint64_t* places) {
  __shared__ std::int32_t ends[2];
  const std::int64_t begin = std::int64_t{blockIdx.x} * tokens_per_tile;
  const std::int64_t end = min(begin + tokens_per_tile, tokens);
  if (threadIdx.x < 2) {
    const std::int64_t token = first + (threadIdx.x == 0 ? begin : end - 1);
    ends[threadIdx.x] = document_of(documents, static_cast<std::uint32_t>(token), 0, documents.count);
  }
  __syncthreads();
  for (std::int64_t i = begin + threadIdx.x; i < end; i += order_threads) {
    const auto token = static_cast<std::uint32_t>(first + i);
    const std::int32_t document = document_of(documents, token, ends[0], ends[1] + 1);
    const std::uint32_t place = token - documents.begins[document];
    words_of_part[i] = static_cast<std::uint32_t>(words[std::int64_t{documents.first_tokens[document]} + place]);
    places[i] = std::uint64_t{static_cast<std::uint32_t>(document)} << 32 | place;
  }
}

__global__ void __launch_bounds__(order_threads)
    find_begins(const std::uint32_t* words, std::int64_t tokens, std::uint32_t* begins) {
  for (std::int64_t i = this_thread(); i < tokens; i += all_threads()) {
    if (i == 0 || words[i] != words[i - 1]) begins[words[i]] = static_cast<std::uint32_t>(i);
  }
}

template <class Number>
__global__ void __launch_bounds__(order_threads)
    put_in_place(const std::uint32_t* words, const std::uint64_t* places, std::int64_t tokens,
                 const std::uint32_t* begins, const std::uint32_t* next, std::int32_t* document, Number* place) {
  for (std::int64_t i = this_thread(); i < tokens; i += all_threads()) {
    const std::uint32_t word = words[i];
    const std::uint32_t at = next[word] + (static_cast<std::uint32_t>(i) - begins[word]);
    document[at] = static_cast<std::int32_t>(places[i] >> 32);
    place[at] = static_cast<Number>(places[i]);
  }
}

__global__ void __launch_bounds__(order_threads)
    go_on(const std::uint32_t* words, std::int64_t tokens, const std::uint32_t* begins, std::uint32_t* next) {
  for (std::int64_t i = this_thread(); i < tokens; i += all_threads()) {
    const std::uint32_t word = words[i];
    if (i + 1 == tokens || words[i + 1] != word) next[word] += static_cast<std::uint32_t>(i) + 1 - begins[word];
  }
}

int bits_of(std::int64_t words) {
  return std::max(1,
                  static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(words, 1) - 1))));
}

std::int64_t bytes_to_sort(std::int64_t tokens, std::int64_t words) {
  Words some_words;
  Places some_places;
  std::size_t bytes = 0;
  check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, some_words, some_places, tokens, 0, bits_of(words)),
        "asking for what sorting needs");
  return static_cast<std::int64_t>(bytes);
}

// How often each word of the corpus occurs.
std::vector<std::uint32_t> occurrences(const DeviceArray<std::int32_t>& words, std::int64_t tokens,
                                       DeviceArray<std::uint32_t>& counts, cudaStream_t stream) {
  counts.clear(stream);
  if (tokens > 0) {
    count_occurrences<<<blocks_for(tokens), order_threads, 0, stream>>>(words.data(), tokens, counts.data());
    execution::check_launch("counting words");
  }
  std::vector<std::uint32_t> found(static_cast<std::size_t>(counts.size()));
  counts.download(found.data(), counts.size(), stream);
  check(cudaStreamSynchronize(stream), "a copy from the device");
  return found;
}

class Sorter {
 public:
  Sorter(std::int64_t part_tokens, std::int64_t words, cudaStream_t stream)
      : bits_(bits_of(words)),
        stream_(stream),
        words_{DeviceArray<std::uint32_t>(part_tokens, "tokens"), DeviceArray<std::uint32_t>(part_tokens, "tokens")},
        places_{DeviceArray<std::uint64_t>(part_tokens, "tokens"), DeviceArray<std::uint64_t>(part_tokens, "tokens")},
        workspace_(std::max<std::int64_t>(bytes_to_sort(part_tokens, words), 1), "tokens") {}

  std::uint32_t* words() { return words_[0].data(); }
  std::uint64_t* places() { return places_[0].data(); }

  struct Sorted {
    const std::uint32_t* words;
    const std::uint64_t* places;
  };
  Sorted queue(std::int64_t tokens) {
    Words words(words_[0].data(), words_[1].data());
    Places places(places_[0].data(), places_[1].data());
    auto bytes = static_cast<std::size_t>(workspace_.bytes());
    check(cub::DeviceRadixSort::SortPairs(workspace_.data(), bytes, words, places, tokens, 0, bits_, stream_),
          "sorting tokens");
    return {words.Current(), places.Current()};
  }

 private:
  const int bits_;
  const cudaStream_t stream_;
  DeviceArray<std::uint32_t> words_[2];
  DeviceArray<std::uint64_t> places_[2];
  DeviceArray<std::byte> workspace_;
};

DeviceArray<std::uint32_t> numbers_on_device(const std::vector<std::uint32_t>& numbers, cudaStream_t stream) {
  DeviceArray<std::uint32_t> array(std::max<std::int64_t>(static_cast<std::int64_t>(numbers.size()), 1), "tokens");
  array.upload(numbers.data(), static_cast<std::int64_t>(numbers.size()), stream);
  check(cudaStreamSynchronize(stream), "a copy to the device");
  return array;
}

}  // namespace

template <class Number>
TokensByWord<Number> order_by_word(const CorpusView& corpus, const DocumentOrder& documents, int threads,
                                   cudaStream_t stream, std::int64_t part_tokens) {
  const std::int64_t tokens = corpus.tokens(), word_count = corpus.vocabulary_size();
  const std::int64_t room = std::max<std::int64_t>(tokens, 1);
  part_tokens = std::min(part_tokens, room);
  TokensByWord<Number> result{DeviceArray<std::int32_t>(room, "tokens"), DeviceArray<Number>(room, "tokens"), {0}};

  DeviceArray<std::int32_t> words(room, "tokens");
  const std::int64_t bytes = tokens * std::int64_t{sizeof(std::int32_t)};
  execution::StagedCopies(bytes, threads, stream).upload(words.data(), corpus.words.data(), tokens);
  DeviceArray<std::uint32_t> next(std::max<std::int64_t>(word_count, 1), "words");
  DeviceArray<std::uint32_t> begins(std::max<std::int64_t>(word_count, 1), "words");
  std::vector<std::uint32_t> counts = occurrences(words, tokens, next, stream);
  counts.resize(static_cast<std::size_t>(word_count));
  for (std::uint32_t& count : counts) {
    result.word_offsets.push_back(result.word_offsets.back() + count);
    count = static_cast<std::uint32_t>(result.word_offsets.end()[-2]);
  }
  next.upload(counts.data(), word_count, stream);

  const auto first_tokens = numbers_on_device(documents.first_tokens, stream);
  const auto begins_of_documents = numbers_on_device(documents.begins, stream);
  const Documents all = {first_tokens.data(), begins_of_documents.data(),
                         static_cast<std::int32_t>(documents.begins.size())};

  Sorter sorter(part_tokens, word_count, stream);
  for (std::int64_t first = 0; first < tokens; first += part_tokens) {
    const std::int64_t part = std::min(part_tokens, tokens - first);
    number_tokens<<<static_cast<unsigned>(base::ceil_div<std::int64_t>(part, tokens_per_tile)), order_threads, 0,
                    stream>>>(words.data(), all, first, part, sorter.words(), sorter.places());
    execution::check_launch("numbering tokens");
    const Sorter::Sorted sorted = sorter.queue(part);
    const unsigned blocks = blocks_for(part);
    find_begins<<<blocks, order_threads, 0, stream>>>(sorted.words, part, begins.data());
    execution::check_launch("finding words");
    put_in_place<Number><<<blocks, order_threads, 0, stream>>>(
        sorted.words, sorted.places, part, begins.data(), next.data(), result.document.data(), result.place.data());
    execution::check_launch("placing tokens");
    go_on<<<blocks, order_threads, 0, stream>>>(sorted.words, part, begins.data(), next.data());
    execution::check_launch("placing tokens");
  }
  check(cudaStreamSynchronize(stream), "ordering tokens");  // what is freed now is no longer in use
  return result;
}

template <class Number>
std::int64_t bytes_to_order_by_word(std::int64_t tokens, std::int64_t words, std::int64_t documents,
                                    std::int64_t part_tokens) {
  part_tokens = std::min(part_tokens, std::max<std::int64_t>(tokens, 1));
  constexpr std::int64_t per_token = 2 * sizeof(std::int32_t) + sizeof(Number);
  constexpr std::int64_t per_token_of_part = 2 * (sizeof(std::uint32_t) + sizeof(std::uint64_t));
  return per_token * tokens + per_token_of_part * part_tokens + bytes_to_sort(part_tokens, words) +
         2 * std::int64_t{sizeof(std::uint32_t)} * (words + documents);
}

template TokensByWord<std::uint16_t> order_by_word(const CorpusView&, const DocumentOrder&, int, cudaStream_t,
                                                   std::int64_t);
template TokensByWord<std::uint32_t> order_by_word(const CorpusView&, const DocumentOrder&, int, cudaStream_t,
                                                   std::int64_t);
template std::int64_t bytes_to_order_by_word<std::uint16_t>(std::int64_t, std::int64_t, std::int64_t, std::int64_t);
template std::int64_t bytes_to_order_by_word<std::uint32_t>(std::int64_t, std::int64_t, std::int64_t, std::int64_t);

}  // namespace papilio::lda
