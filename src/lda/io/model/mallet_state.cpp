#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <map>
#include <span>
#include <string_view>

#include "base/check.h"
#include "execution/check_view.h"
#include "lda/corpus/utf8.h"
#include "lda/io/bytes/gzip_file.h"
#include "lda/io/bytes/line_reader.h"
#include "lda/io/bytes/memory_limit.h"
#include "lda/io/bytes/number.h"
#include "lda/model/state.h"
#include "papilio/mallet.h"

namespace papilio {
namespace lda {
namespace {

constexpr const char* writer = "papilio::write_mallet_state";
constexpr std::string_view state_blanks = " \t";
constexpr std::string_view no_source = "NA";
constexpr std::int64_t most_documents = std::int64_t{1} << 40;
constexpr std::int32_t most_topics = 1 << 24;

void require_one_field(std::string_view text, const char* what, std::size_t number) {
  base::require(!text.empty() && text.find_first_of(" \t\r\n") == std::string_view::npos,
                "{}: {} {} is {}, expected a name without blanks", writer, what, number, lda::quoted(text));
  base::require(find_ill_formed(text) == std::string_view::npos, "{}: {} {} is {}, expected UTF-8", writer, what,
                number, lda::quoted(text));
}

// The reader takes all that stands between the document's number and the position, without the blanks around it.
void require_source(std::string_view name, std::size_t document) {
  const bool comes_back = name.empty() || (name != no_source && name.find_first_of("\r\n") == name.npos &&
                                           state_blanks.find(name.front()) == state_blanks.npos &&
                                           state_blanks.find(name.back()) == state_blanks.npos);
  base::require(comes_back,
                "{}: the name of document {} is {}, expected one without line ends and without blanks around it, other "
                "than {}, which stands for no name",
                writer, document, lda::quoted(name), no_source);
}

// Cuts off the last field of a line and the blanks after it; returns the field.
std::string_view take_last(std::string_view& line) {
  line = line.substr(0, line.find_last_not_of(state_blanks) + 1);
  const std::size_t before = line.find_last_of(state_blanks);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const std::string_view field = line.substr(begin);
  line = line.substr(0, begin);
  return field;
}

std::string_view take_first(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(state_blanks), line.size()));
  const std::size_t end = std::min(line.find_first_of(state_blanks), line.size());
  const std::string_view field = line.substr(0, end);
  line.remove_prefix(end);
  return field;
}

class StateReader {
 public:
  StateReader(const std::string& path, std::int64_t max_memory)
      : memory_limit_(max_memory),
        memory_(memory_limit_),
        reader_({"papilio::read_mallet_state", path}, memory_limit_, std::int64_t{1} << 30) {}

  MalletState read() {
    std::string_view line;
    while (reader_.next_line(line)) {
      if (line.starts_with("#")) {
        read_comment(line);
      } else if (line.find_first_not_of(state_blanks) != std::string_view::npos) {
        read_token(line);
      }
    }
    finish();
    return std::move(state_);
  }

 private:
  // "#alpha : 0.1 0.1 ...", "#beta : 0.01"; other comments are ignored.
  void read_comment(std::string_view line) {
    const std::string_view all = line;
    line.remove_prefix(1);
    const std::string_view name = take_first(line);
    if (name != "alpha" && name != "beta") return;
    std::string_view colon = take_first(line);
    if (colon != ":")
      reader_.format_error(2, fmt::format("expected \"#{} : numbers\", got {}", name, lda::quoted(all)));
    std::vector<double> values;
    for (std::string_view field = take_first(line); !field.empty(); field = take_first(line)) {
      values.push_back(read_prior(all, field));
      bytes_ += 2 * sizeof(double);
      check_memory();
    }
    if (name == "alpha") {
      if (values.empty() || values.size() > most_topics) {
        reader_.format_error(0, fmt::format("expected an alpha for each topic, got {} numbers", values.size()));
      }
      state_.topics.alpha = std::move(values);
    } else {
      if (values.size() != 1) reader_.format_error(0, fmt::format("expected one beta, got {}", values.size()));
      state_.topics.beta = values.front();
    }
  }

  double read_prior(std::string_view line, std::string_view field) {
    double value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size() || !(value > 0) || !(value <= 1e6)) {
      reader_.format_error(field.data() - line.data() + 1,
                           fmt::format("expected a prior, 0 < value <= 1e6, got {}", lda::quoted(field)));
    }
    return value;
  }

  // "document source position type-number type topic"; the source may hold blanks.
  void read_token(std::string_view line) {
    const std::string_view all = line;
    const std::string_view document = take_first(line);
    const std::string_view topic = take_last(line), type = take_last(line), type_number = take_last(line),
                           position = take_last(line);
    if (position.empty() || position.data() == document.data()) {
      reader_.format_error(
          0, fmt::format("expected \"document source position type-number type topic\", got {}", lda::quoted(all)));
    }
    const std::int64_t d = number(all, document, "document", most_documents);
    number(all, position, "position", std::numeric_limits<std::int64_t>::max());
    const auto w = static_cast<std::int32_t>(
        number(all, type_number, "type number", std::numeric_limits<std::int32_t>::max() - 1));
    const auto k = static_cast<std::int32_t>(number(all, topic, "topic", most_topics - 1));
    reader_.require_utf8(type);
    start_document(d, line);
    name_type(w, type);
    state_.corpus.words.push_back(w);
    state_.topics.z.push_back(k);
    state_.topic_count = std::max(state_.topic_count, k + 1);
    if ((state_.corpus.tokens() & 1023) == 0) check_memory();
  }

  std::int64_t number(std::string_view line, std::string_view field, const char* what, std::int64_t most) {
    std::int64_t value = 0;
    if (parse_whole(field, value) != NumberForm::whole || value < 0 || value > most) {
      reader_.format_error(field.data() - line.data() + 1,
                           fmt::format("expected a {} from 0 to {}, got {}", what, most, lda::quoted(field)));
    }
    return value;
  }

  void start_document(std::int64_t d, std::string_view source) {
    auto& offsets = state_.corpus.document_offsets;
    const std::int64_t last = std::ssize(offsets) - 1;  // documents begun; offsets hold their beginnings, from 1 on
    if (d < last - 1) {
      reader_.format_error(1, fmt::format("expected document {} or a later one, got {}", last - 1, d));
    }
    if (d < last) return;
    if (d > last + skipped_allowed_ + state_.corpus.tokens()) {
      reader_.format_error(1, fmt::format("expected a document near {}, got {}", last, d));
    }
    source.remove_prefix(std::min(source.find_first_not_of(state_blanks), source.size()));
    source = source.substr(0, source.find_last_not_of(state_blanks) + 1);
    bytes_ += static_cast<std::int64_t>(source.size()) + bytes_per_document_ * (d - last + 1);
    check_memory();
    // While reading, offsets[j + 1] is where document j begins; finish() turns these into ends.
    for (std::int64_t j = last; j <= d; ++j) {
      offsets.push_back(state_.corpus.tokens());
      names_.emplace_back(j == d && source != no_source ? source : std::string_view());
    }
    any_name_ |= source != no_source && !source.empty();
  }

  void name_type(std::int32_t w, std::string_view type) {
    auto& names = state_.corpus.vocabulary;
    const auto index = static_cast<std::size_t>(w);
    if (index >= names.size()) {
      const std::int64_t claims = std::int64_t{1} << 20;
      if (w > claims + 16 * state_.corpus.tokens()) {
        reader_.format_error(
            0, fmt::format("type number {} is far beyond the {} tokens so far", w, state_.corpus.tokens()));
      }
      bytes_ += static_cast<std::int64_t>(2 * sizeof(std::string) * (index + 1 - names.size()));
      check_memory();
      names.resize(index + 1);
    }
    if (names[index].empty()) {
      names[index] = type;
      bytes_ += static_cast<std::int64_t>(type.size());
    } else if (names[index] != type) {
      reader_.format_error(
          0, fmt::format("type number {} is {} here and {} before", w, lda::quoted(type), lda::quoted(names[index])));
    }
  }

  void check_memory() {
    const std::int64_t bytes = bytes_ + 16 * state_.corpus.tokens();
    if (!memory_.set(bytes)) {
      memory_limit_.refuse(reader_.origin(), reader_.line_number(), state_.corpus.tokens(), state_.corpus.documents());
    }
  }

  void finish() {
    Corpus& corpus = state_.corpus;
    const auto fail = [&](const std::string& message) { reader_.origin().format_error(0, 0, message); };
    if (corpus.words.empty()) fail("expected a line for each token, got none");
    check_memory();
    corpus.document_offsets.erase(corpus.document_offsets.begin() + 1);  // document 0 begins at 0
    corpus.document_offsets.push_back(corpus.tokens());
    leave_out_unused_types();
    if (any_name_) corpus.document_names = std::move(names_);
    const auto priors = static_cast<std::int64_t>(state_.topics.alpha.size());
    if (priors != 0 && priors < state_.topic_count) {
      fail(fmt::format("there are {} alphas, but a token has topic {}", priors, state_.topic_count - 1));
    }
    if (priors != 0) state_.topic_count = static_cast<std::int32_t>(priors);
  }

  // A vocabulary may number types that no token has; their spelling is unknown.
  void leave_out_unused_types() {
    Corpus& corpus = state_.corpus;
    std::vector<std::int32_t> renumbered(corpus.vocabulary.size());
    std::size_t kept = 0;
    for (std::size_t w = 0; w < corpus.vocabulary.size(); ++w) {
      renumbered[w] = static_cast<std::int32_t>(kept);
      if (corpus.vocabulary[w].empty()) continue;
      if (kept != w) corpus.vocabulary[kept] = std::move(corpus.vocabulary[w]);
      ++kept;
    }
    corpus.vocabulary.resize(kept);
    for (std::int32_t& w : corpus.words) w = renumbered[static_cast<std::size_t>(w)];
  }

  static constexpr std::int64_t skipped_allowed_ = std::int64_t{1} << 20;
  // An offset and a name, in vectors with room to grow.
  static constexpr std::int64_t bytes_per_document_ = 2 * (sizeof(std::int64_t) + sizeof(std::string));

  MemoryLimit memory_limit_;
  MemoryShare memory_;
  LineReader reader_;
  MalletState state_;
  std::vector<std::string> names_;
  bool any_name_ = false;
  std::int64_t bytes_ = 0;
};

}  // namespace
}  // namespace lda

void require_mallet_names(const CorpusView& corpus) {
  corpus.verify();
  for (std::size_t w = 0; w < corpus.vocabulary.size(); ++w) lda::require_one_field(corpus.vocabulary[w], "word", w);
  for (std::size_t d = 0; d < corpus.document_names.size(); ++d) lda::require_source(corpus.document_names[d], d);
}

void write_mallet_state(const CorpusView& corpus, std::span<const std::int32_t> z, std::span<const double> alpha,
                        double beta, const std::string& path) {
  require_mallet_names(corpus);
  execution::require_span("write_mallet_state", "alpha", alpha);
  lda::require_topics(corpus, z, static_cast<std::int32_t>(alpha.size()), "write_mallet_state");
  lda::GzipFile file(path, lda::writer);
  std::string text = "#doc source pos typeindex type topic\n#alpha :";
  for (const double a : alpha) fmt::format_to(std::back_inserter(text), " {}", a);
  fmt::format_to(std::back_inserter(text), "\n#beta : {}\n", beta);
  for (std::int64_t d = 0; d < corpus.documents(); ++d) {
    const auto row = static_cast<std::size_t>(d);
    const bool named = !corpus.document_names.empty() && !corpus.document_names[row].empty();
    const std::string_view source = named ? std::string_view(corpus.document_names[row]) : lda::no_source;
    const std::int64_t begin = corpus.document_offsets[row];
    for (std::int64_t i = begin; i < corpus.document_offsets[row + 1]; ++i) {
      const std::int32_t w = corpus.words[static_cast<std::size_t>(i)];
      fmt::format_to(std::back_inserter(text), "{} {} {} {} {} {}\n", d, source, i - begin, w,
                     corpus.vocabulary[static_cast<std::size_t>(w)], z[static_cast<std::size_t>(i)]);
    }
    if (text.size() > (std::size_t{1} << 16)) {
      file.write(text);
      text.clear();
    }
  }
  file.write(text);
  file.commit();
}

MalletState read_mallet_state(const std::string& path, std::int64_t max_memory) {
  base::require(max_memory >= 0, "papilio::read_mallet_state: max_memory is {}, expected 0 or more", max_memory);
  return lda::StateReader(path, max_memory).read();
}

ChainState match_topics(const MalletState& state, const CorpusView& corpus) {
  const CorpusView from = state.corpus.view();
  constexpr const char* caller = "papilio::match_topics";
  from.verify();
  corpus.verify();
  lda::require_topics(from, state.topics.z, state.topic_count, "match_topics");
  base::require(corpus.documents() >= from.documents(), "{}: the state has {} documents, the corpus {}", caller,
                from.documents(), corpus.documents());
  std::map<std::string_view, std::int32_t> numbers;
  for (std::size_t w = 0; w < corpus.vocabulary.size(); ++w) {
    numbers.emplace(corpus.vocabulary[w], static_cast<std::int32_t>(w));
  }
  std::vector<std::int32_t> number_here;  // of each type of the state; -1: unknown
  for (const std::string& word : from.vocabulary) {
    const auto found = numbers.find(word);
    number_here.push_back(found == numbers.end() ? -1 : found->second);
  }
  ChainState topics = state.topics;
  topics.sweep = 0;
  topics.z.assign(corpus.words.size(), 0);
  using Token = std::pair<std::int32_t, std::int64_t>;  // the word's number here, and the token
  std::vector<Token> wanted, given;
  for (std::int64_t d = 0; d < corpus.documents(); ++d) {
    const auto row = static_cast<std::size_t>(d);
    wanted.clear();
    given.clear();
    const std::int64_t tokens_here = corpus.document_offsets[row + 1] - corpus.document_offsets[row];
    const std::int64_t tokens_there =
        d < from.documents() ? from.document_offsets[row + 1] - from.document_offsets[row] : 0;
    base::require(tokens_here == tokens_there,
                  "{}: document {} has {} tokens in the corpus and {} in the state, or different words", caller, d,
                  tokens_here, tokens_there);
    for (std::int64_t i = corpus.document_offsets[row]; i < corpus.document_offsets[row + 1]; ++i) {
      wanted.emplace_back(corpus.words[static_cast<std::size_t>(i)], i);
    }
    for (std::int64_t i = d < from.documents() ? from.document_offsets[row] : 0;
         d < from.documents() && i < from.document_offsets[row + 1]; ++i) {
      given.emplace_back(number_here[static_cast<std::size_t>(from.words[static_cast<std::size_t>(i)])], i);
    }
    std::sort(wanted.begin(), wanted.end());
    std::sort(given.begin(), given.end());
    const auto same_word = [](const Token& a, const Token& b) { return a.first == b.first; };
    base::require(std::equal(wanted.begin(), wanted.end(), given.begin(), given.end(), same_word),
                  "{}: document {} has {} tokens in the corpus and {} in the state, or different words", caller, d,
                  wanted.size(), given.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      topics.z[static_cast<std::size_t>(wanted[i].second)] = state.topics.z[static_cast<std::size_t>(given[i].second)];
    }
  }
  return topics;
}

}  // namespace papilio
