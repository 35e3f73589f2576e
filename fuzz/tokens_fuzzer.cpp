#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "papilio/error.h"
#include "tokens_case.h"
#include "tokens_checks.h"
#include "tokens_drafts.h"
#include "tokens_in_shards.h"

namespace papilio::fuzz_tokens {

// The rows as one batch, as a batch of several threads and each alone, as what they are and as floats.
template <class T>
Told draw_whole(const StridedLogits<T>& logits, const Choices& choices) {
  Told told(logits.rows), split(logits.rows), each(logits.rows), floats(logits.rows);
  const std::vector<T> before = logits.memory;
  sample_tokens(logits.view(), told.results(0, logits.rows), choices.filters(), choices.options(1));
  sample_tokens(logits.view(), split.results(0, logits.rows), choices.filters(), choices.options(choices.threads));
  for (std::int64_t i = 0; i < logits.rows; ++i) {
    TokenOptions options = choices.options(1);
    options.first_position += static_cast<std::uint64_t>(i);
    sample_tokens(logits.one_row(i), each.results(i, 1), choices.of_row(i), options);
    const std::vector<float> row = logits.row(i);
    sample_tokens(MatrixView<const float>(row.data(), 1, logits.columns), floats.results(i, 1), choices.of_row(i),
                  options);
  }
  require(told == split);
  require(told == each);
  require(told == floats);
  require(same_bits(before, logits.memory));
  return told;
}

template <class T>
void check_tokens_case(Bytes& bytes) {
  const std::int64_t rows = 1 + bytes.below(5), size = bytes.below(256);
  const std::int64_t columns = size < 220 ? 1 + size % 80 : 100 + (size - 220) * 37;
  const std::int64_t shards = 1 + bytes.below(8);
  const StridedLogits<T> logits(bytes, rows, columns);
  const Choices choices(bytes, rows, columns);
  const Told told = draw_whole(logits, choices);
  std::vector<ExpectedRow> expected;
  for (std::int64_t i = 0; i < rows; ++i) {
    expected.emplace_back(logits.row(i), choices, i);
    const std::uint64_t position = choices.position + static_cast<std::uint64_t>(i);
    check_row(expected.back(), told, i, testing::oracle_number(choices.seed, choices.stream, position));
  }
  check_shards(logits, choices, told, expected, shards);
  check_drafts(bytes, logits, choices, told, expected);
}

}  // namespace papilio::fuzz_tokens

// The first byte chooses the type of the logits, the next ones shapes, filters, masks, biases, shards and drafts. Every
// row has the status, token and kept set of a plain oracle; tokens are the same in any batch, type and number of
// shards; a draft keeps and adds nothing that the filters remove.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace papilio;
  using namespace papilio::fuzz_tokens;
  if (size < 2) return 0;
  Bytes bytes(as_text(data, size));
  const std::int64_t type = bytes.below(3);
  if (type == 0) check_tokens_case<float>(bytes);
  if (type == 1) check_tokens_case<Half>(bytes);
  if (type == 2) check_tokens_case<BFloat16>(bytes);
  return 0;
}
