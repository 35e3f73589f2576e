#include "lda/io/model/count_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

#include "base/math.h"
#include "execution/cpu/parallel_for.h"
#include "lda/io/bytes/memory_limit.h"
#include "lda/io/model/safetensors_parts.h"

namespace papilio::lda {
namespace {

constexpr std::size_t least_table = 4096;  // entries
constexpr std::int64_t entries_per_task = std::int64_t{1} << 16;

// Calls f(first row, end) for parts of a table's rows, on all threads.
template <class F>
void for_rows(std::int64_t rows, std::int64_t columns, F f) {
  execution::parallel_for(rows, base::ceil_div(entries_per_task, columns), 0, f);
}

std::int64_t count_positive(const std::int32_t* first, std::int64_t count) {
  std::int32_t found = 0;  // enough: a row has at most 2^31 - 1 entries
  for (std::int64_t i = 0; i < count; ++i) found += first[i] != 0 ? 1 : 0;
  return found;
}

// Reads the counts, whichever type they have in the file.
std::vector<std::int32_t> read_counts(SafetensorsFile& file, std::int64_t size) {
  const std::string& type = file.type(counts_tensor);
  for (const int bits : {8, 16}) {
    const std::int64_t numbers = std::int64_t{1} << bits;
    if (type == smallest_dtype(numbers)) return file.read_small_numbers(counts_tensor, size, numbers);
  }
  return file.read_small_numbers(counts_tensor, size, std::int64_t{1} << 31);
}

void require_offsets(const SafetensorsFile& file, const std::vector<std::int64_t>& offsets, std::int64_t entries,
                     std::int64_t topics) {
  for (std::size_t w = 0; w < offsets.size(); ++w) {
    const std::int64_t least = w == 0 ? 0 : offsets[w - 1];
    const std::int64_t most = w == 0 ? 0 : std::min(entries, least + topics);
    if (offsets[w] < least || offsets[w] > most) {
      file.fail(fmt::format("tensor \"{}\": entry {} is {}, expected {} to {}", count_offsets_tensor, w, offsets[w],
                            least, most));
    }
  }
  if (offsets.back() != entries) {
    file.fail(fmt::format("tensor \"{}\" ends with {}, but there are {} counts", count_offsets_tensor, offsets.back(),
                          entries));
  }
}

// Whether the entries [begin, end) form a row: topics ascend, counts are positive.
bool is_row(const CompressedCounts& sparse, std::int64_t begin, std::int64_t end, std::int32_t topics) {
  std::int32_t before = -1;
  bool is_sound = true;
  for (auto e = static_cast<std::size_t>(begin); e < static_cast<std::size_t>(end); ++e) {
    is_sound = is_sound && sparse.topics[e] > before && sparse.counts[e] > 0;
    before = sparse.topics[e];
  }
  return is_sound && before < topics;
}

}  // namespace

std::vector<TensorView> CompressedCounts::tensors(std::int32_t topic_count) const {
  const auto largest = std::max_element(counts.begin(), counts.end());
  return {tensor_view(count_offsets_tensor, {std::ssize(offsets)}, offsets),
          small_numbers_view(count_topics_tensor, topics, topic_count),
          small_numbers_view(counts_tensor, counts, largest == counts.end() ? 1 : std::int64_t{*largest} + 1)};
}

// At most a quarter of the entries are written, which take up to 8 bytes each instead of 4.
bool is_written_sparse(const std::vector<std::int32_t>& n_wk) {
  if (n_wk.size() < least_table) return false;
  std::atomic<std::int64_t> positive = 0;
  for_rows(std::ssize(n_wk), 1, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t here = 0;
    for (std::int64_t first = begin; first < end; first += entries_per_task) {
      here += count_positive(n_wk.data() + first, std::min(entries_per_task, end - first));
    }
    positive += here;
  });
  return positive <= std::ssize(n_wk) / 4;
}

CompressedCounts compressed_counts(const std::vector<std::int32_t>& n_wk, std::int32_t topics) {
  const std::int64_t words = std::ssize(n_wk) / topics;
  CompressedCounts sparse;
  sparse.offsets.resize(static_cast<std::size_t>(words) + 1);
  const auto row = [&](std::int64_t w) { return n_wk.data() + w * topics; };
  for_rows(words, topics, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t w = begin; w < end; ++w) {
      sparse.offsets[static_cast<std::size_t>(w) + 1] = count_positive(row(w), topics);
    }
  });
  for (std::size_t w = 1; w < sparse.offsets.size(); ++w) sparse.offsets[w] += sparse.offsets[w - 1];
  sparse.topics.resize(static_cast<std::size_t>(sparse.offsets.back()));
  sparse.counts.resize(sparse.topics.size());
  for_rows(words, topics, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t w = begin; w < end; ++w) {
      auto entry = static_cast<std::size_t>(sparse.offsets[static_cast<std::size_t>(w)]);
      for (std::int32_t k = 0; k < topics; ++k) {
        if (row(w)[k] == 0) continue;
        sparse.topics[entry] = k;
        sparse.counts[entry++] = row(w)[k];
      }
    }
  });
  return sparse;
}

std::vector<std::int32_t> read_compressed_counts(SafetensorsFile& file, std::int64_t words, std::int32_t topics) {
  const std::int64_t most_bytes = MemoryLimit(0).bytes();
  if (words > most_bytes / static_cast<std::int64_t>(sizeof(std::int32_t)) / topics) {
    file.fail(
        fmt::format("counts of {} words x {} topics need more than {} bytes, half of the machine's memory or of "
                    "the container's",
                    words, topics, most_bytes));
  }
  const Shape shape = file.shape(count_topics_tensor);
  if (shape.size() != 1) file.fail(fmt::format("tensor \"{}\" is not a list", count_topics_tensor));
  CompressedCounts sparse;
  sparse.offsets = file.read<std::int64_t>(count_offsets_tensor, {words + 1});
  require_offsets(file, sparse.offsets, shape[0], topics);
  sparse.topics = file.read_small_numbers(count_topics_tensor, shape[0], topics);
  sparse.counts = read_counts(file, shape[0]);
  std::vector<std::int32_t> n_wk(static_cast<std::size_t>(words) * static_cast<std::size_t>(topics));
  std::atomic<std::int64_t> wrong = words;  // the first wrong word
  for_rows(words, topics, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t w = begin; w < end; ++w) {
      const auto word = static_cast<std::size_t>(w);
      if (!is_row(sparse, sparse.offsets[word], sparse.offsets[word + 1], topics)) {
        for (std::int64_t before = wrong; w < before && !wrong.compare_exchange_weak(before, w);) continue;
        return;
      }
      for (auto e = static_cast<std::size_t>(sparse.offsets[word]);
           e < static_cast<std::size_t>(sparse.offsets[word + 1]); ++e) {
        n_wk[word * static_cast<std::size_t>(topics) + static_cast<std::size_t>(sparse.topics[e])] = sparse.counts[e];
      }
    }
  });
  if (wrong < words) {
    file.fail(fmt::format("the counts of word {} are not positive, or their topics do not ascend from 0 to {}",
                          wrong.load(), topics - 1));
  }
  return n_wk;
}

}  // namespace papilio::lda
