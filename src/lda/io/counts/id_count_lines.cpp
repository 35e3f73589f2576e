#include "lda/io/counts/id_count_lines.h"

#include <fmt/format.h>

#include <utility>

#include "lda/io/counts/vocabulary_file.h"
#include "lda/io/format/format.h"

namespace papilio::lda {

IdCountLines::IdCountLines(const std::string& path, const CorpusOptions& options, const Rules& rules)
    : memory_limit_(options.text.max_memory),
      vocabulary_memory_(memory_limit_),
      reader_({reader_name, path}, memory_limit_, options.text.max_line_bytes, LineReader::default_block_bytes,
              options.text.threads),
      rules_(rules),
      named_(!options.vocabulary.empty()),
      bag_(options.text, memory_limit_) {
  if (named_) vocabulary_ = read_vocabulary({reader_name, options.vocabulary}, options.text, vocabulary_memory_);
}

void IdCountLines::add_pair(const FieldLine& line, std::string_view field) {
  const std::size_t colon = field.find(':');
  if (colon == std::string_view::npos) line.refuse(field, fmt::format("{} is not a pair", lda::quoted(field)));
  const std::int64_t first = rules_.first_id.value_or(0);
  // While the first id is unknown, an id one beyond the number of words may still prove right.
  const std::int64_t last = !named_ ? most_words - 1 : std::ssize(vocabulary_) - (rules_.first_id ? 1 - first : 0);
  const std::int64_t id = line.number(field.substr(0, colon), "id", first, last);
  const std::int64_t count = line.number(field.substr(colon + 1), "count", rules_.least_count, most_count);
  if (id < smallest_id_) smallest_id_ = id;
  if (id > largest_id_) {
    largest_id_ = id;
    largest_at_ = reader_.line_number();
  }
  if (count == 0) return;
  bag_.add(documents_, id, count);
  if (bag_.entries() % 1024 == 0) bag_.require_room(reader_, documents_);  // a line may be long
}

void IdCountLines::end_document() {
  ++documents_;
  bag_.require_room(reader_, documents_);
}

// The vocabulary; without one, numbers up to the largest id, if that is in proportion to what was read.
std::vector<std::string> IdCountLines::name_words(std::int64_t first) {
  const std::int64_t words = largest_id_ < 0 ? 0 : largest_id_ - first + 1;
  if (named_) {
    if (words > std::ssize(vocabulary_)) {
      reader_.origin().format_error(
          largest_at_, 0,
          fmt::format("expected ids from {} to {} ({} words in the vocabulary), got {}", first,
                      first + std::ssize(vocabulary_) - 1, vocabulary_.size(), largest_id_));
    }
    return std::move(vocabulary_);
  }
  require_believable(reader_.origin(), largest_at_, fmt::format("id {}", largest_id_), words, "words", bag_.entries());
  bag_.require_room(reader_, documents_, words * bytes_per_number);
  return numbers_as_words(first, words);
}

Corpus IdCountLines::make_corpus(const char* format, ReadReport& report) && {
  const std::int64_t first = rules_.first_id.value_or(smallest_id_ == 0 ? 0 : 1);
  std::vector<std::string> words = name_words(first);
  return std::move(bag_).make_corpus(reader_.origin(), documents_, std::move(words), first, format, report);
}

}  // namespace papilio::lda
