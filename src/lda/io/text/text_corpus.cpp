#include "lda/io/text/text_corpus.h"

#include <fmt/format.h>

#include <algorithm>

#include "execution/cpu/fresh_memory.h"
#include "execution/cpu/parallel_for.h"
#include "lda/corpus/corpus_builder.h"
#include "lda/corpus/marked_words.h"

namespace papilio::lda {
namespace {

constexpr int most_pieces = 64;
constexpr std::size_t least_piece_bytes = std::size_t{1} << 12;
constexpr std::size_t most_piece_bytes = std::size_t{1} << 20;

// A piece keeps the words of earlier blocks up to this multiple of a piece's text.
constexpr std::size_t texts_of_kept_words = 4;

// The most distinct left-out words that a rank remembers per reason: more
// than are reported, because other ranks may have reported theirs before.
constexpr std::int64_t most_left_out_words_of_rank = 16 * most_left_out_words;

// The memory of an empty document in a block.
constexpr std::size_t bytes_per_place = sizeof(std::size_t) + sizeof(std::string_view);

// Phrases may contain words that are too short to stay.
TextOptions options_of_tokens(TextOptions options) {
  if (options.phrases.used()) options.min_token_length = 1;
  return options;
}

std::int64_t memory_of(const std::vector<std::string>& words) {
  std::int64_t bytes = 0;
  for (const std::string& word : words) bytes += static_cast<std::int64_t>(sizeof word + word.capacity());
  return bytes;
}

}  // namespace

void CorpusSink::append(std::span<const std::int32_t> words) {
  tokens_ += std::ssize(words);
  while (!words.empty()) {
    if (next_ == end_) {
      execution::FreshArray<std::int32_t>& slab = execution::add_slab(slabs_);
      next_ = slab.data();
      end_ = next_ + slab.size();
    }
    const std::size_t count = std::min(words.size(), static_cast<std::size_t>(end_ - next_));
    next_ = std::copy_n(words.begin(), count, next_);
    words = words.subspan(count);
  }
}

void CorpusSink::end_document() { offsets_.push_back(tokens_); }

std::int64_t CorpusSink::memory() const {
  return bytes_per_token * tokens_ + bytes_per_document * (std::ssize(offsets_) - 1);
}

// Slabs are freed one by one, so that only few words exist twice.
Corpus CorpusSink::take() {
  Corpus corpus;
  corpus.document_offsets = std::move(offsets_);
  corpus.words.reserve(static_cast<std::size_t>(tokens_));
  execution::prefer_huge_pages_within(corpus.words.data(), corpus.words.capacity() * sizeof(std::int32_t));
  for (std::size_t s = 0; s < slabs_.size(); ++s) {
    const execution::FreshArray<std::int32_t> slab = std::move(slabs_[s]);
    const std::int32_t* const end = s + 1 == slabs_.size() ? next_ : slab.data() + slab.size();
    corpus.words.insert(corpus.words.end(), slab.data(), end);
  }
  *this = CorpusSink();
  return corpus;
}

// A piece takes up to 32 times its text, if all words are short and distinct, besides the words that it keeps; together
// they take little more than a quarter of the limit.
TextCorpus::TextCorpus(const TextOptions& options, DocumentSink& sink)
    : options_(options),
      memory_limit_(options.max_memory),
      memory_(memory_limit_),
      sink_(sink),
      stop_words_(index_stop_words(options.stop_words)),
      rules_(options),
      stop_word_counts_(stop_words_.words().size()),
      bytes_of_stop_words_(stop_words_.memory() + memory_of(options.stop_words)) {
  const int pieces = std::min(execution::thread_count(options.threads), most_pieces);
  for (int i = 0; i < pieces; ++i) pieces_.emplace_back(options);
  piece_bytes_ = std::clamp(static_cast<std::size_t>(memory_limit_.bytes()) / (128 * pieces_.size()), least_piece_bytes,
                            most_piece_bytes);
}

void TextCorpus::append(std::span<const std::string_view> texts, const Place& place, bool goes_on) {
  Queue queue = queue_of(texts, goes_on);
  while (!queue.texts.empty()) {
    share_out(queue, place);
    execution::parallel_for(std::ssize(pieces_), 1, options_.threads, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) tokenize(pieces_[static_cast<std::size_t>(i)]);
    });
    for (Piece& piece : pieces_) append_if_room(piece, place);
  }
}

void TextCorpus::append_if_room(Piece& piece, const Place& place) {
  append(piece, place);
  piece.bytes = piece.memory();
  if (!memory_.set(memory())) {
    memory_limit_.refuse(place.origin, place.line, report_.tokens_kept, report_.documents);
  }
}

void TextCorpus::append_name(std::string_view name) {
  names_.emplace_back(name);
  bytes_of_names_ += static_cast<std::int64_t>(sizeof(std::string) + names_.back().capacity());
}

TextCorpus::Queue TextCorpus::queue_of(std::span<const std::string_view> texts, bool goes_on) {
  Queue queue = {texts, goes_on};
  for (const std::string_view text : texts) queue.bytes += std::ssize(text) + 1;
  return queue;
}

// Gives each piece its share of the next block, about equally many bytes; the last piece gets the rest.
void TextCorpus::share_out(Queue& queue, const Place& place) {
  std::int64_t left = std::min(queue.bytes, static_cast<std::int64_t>(block_bytes()));
  std::int64_t pieces_left = std::ssize(pieces_);
  for (Piece& piece : pieces_) {
    const std::int64_t share = left / pieces_left--;
    const std::int64_t before = queue.bytes;
    share_out(share, queue, place, piece);
    left -= before - queue.bytes;
  }
}

void TextCorpus::share_out(std::int64_t bytes, Queue& queue, const Place& place, Piece& piece) const {
  piece.parts.clear();
  const std::int64_t before = queue.bytes;
  while (!queue.texts.empty() && before - queue.bytes < bytes) {
    piece.parts.push_back(take_part(queue, place, piece.tokenizer));
  }
}

TextCorpus::Part TextCorpus::take_part(Queue& queue, const Place& place, const Tokenizer& tokenizer) const {
  const std::string_view rest = queue.texts.front().substr(queue.taken);
  const std::string_view part = rest.substr(0, tokenizer.part_size(rest, piece_bytes_));
  if (part.size() > piece_bytes_ && !memory_limit_.holds(Tokenizer::memory_for(part.size()))) {
    memory_limit_.refuse(place.origin, place.line,
                         fmt::format("a {} of {} bytes", tokenizer.needs_lines() ? "line" : "word", part.size()));
  }
  queue.bytes -= std::ssize(part);
  if (part.size() < rest.size()) {
    queue.taken += part.size();
    return {part, false};
  }
  queue.taken = 0;
  queue.bytes -= 1;
  queue.texts = queue.texts.subspan(1);
  return {part, !(queue.texts.empty() && queue.last_goes_on)};
}

void TextCorpus::tokenize(Piece& piece) const {
  piece.tokenizer.left_out().clear();
  if (piece.words.memory() > static_cast<std::int64_t>(texts_of_kept_words * piece_bytes_)) {
    piece.words.clear();
    piece.number_of.clear();
  }
  piece.tokens.clear();
  piece.ends.clear();
  piece.invalid_utf8 = 0;
  if (options_.phrases.used()) return tokenize_with_marks(piece);
  for (const Part& part : piece.parts) {
    piece.invalid_utf8 += piece.tokenizer.tokenize(
        part.text, [&](std::string_view token) { piece.tokens.push_back(piece.words.number(token)); });
    piece.ends.push_back(std::ssize(piece.tokens));
  }
}

// Takes all words, including the short ones, which phrases may contain.
void TextCorpus::tokenize_with_marks(Piece& piece) {
  Tokenizer& tokenizer = piece.tokenizer;
  piece.before.clear();
  piece.after.clear();
  for (const Part& part : piece.parts) {
    const std::size_t first = piece.tokens.size();
    piece.before.emplace_back();
    piece.invalid_utf8 += tokenizer.tokenize(part.text, [&](std::string_view token) {
      if (piece.tokens.size() == first) piece.before.back() = tokenizer.between();
      const bool is_marked = tokenizer.between().parts && piece.tokens.size() > first;
      const std::int32_t word = piece.words.number(token);
      piece.tokens.push_back(is_marked ? marked(word) : word);
    });
    piece.ends.push_back(std::ssize(piece.tokens));
    piece.after.push_back(tokenizer.between());
  }
}

// Marks the first token of a part unless it is a neighbour of the last token before the part.
void TextCorpus::mark_first(const Piece& piece, std::size_t part, std::int64_t begin) {
  if (begin == piece.ends[part]) {
    between_.add(piece.after[part]);
  } else {
    between_.add(piece.before[part]);
    if (between_.parts) numbers_.front() = marked(numbers_.front());
    between_ = piece.after[part];
  }
  if (piece.parts[part].ends_document) between_ = {.parts = true};
}

WordFate TextCorpus::fate(const std::string& word) {
  if (rules_.is_too_short(word)) return WordFate::too_short;
  return stop_word(word) >= 0 ? WordFate::stop_word : WordFate::stays;
}

void TextCorpus::count_left_out(const std::string& word, std::int64_t tokens) {
  if (rules_.is_too_short(word)) return left_out_.too_short.add(word, tokens);
  if (const std::int32_t stop = stop_word(word); stop >= 0) stop_word_counts_[static_cast<std::size_t>(stop)] += tokens;
}

// The word's number in the list of stop words, or -1.
std::int32_t TextCorpus::stop_word(const std::string& word) {
  if (options_.stop_words.empty()) return -1;
  return stop_words_.find(options_.fold_case ? word : folding_.fold(word));
}

// Pieces come in order, so words are numbered by first occurrence in the whole text.
void TextCorpus::number_words(Piece& piece) {
  const std::vector<std::string>& words = piece.words.words();
  for (std::size_t w = piece.number_of.size(); w < words.size(); ++w) {
    const std::int32_t stop = options_.phrases.used() ? -1 : stop_word(words[w]);
    piece.number_of.push_back(stop >= 0 ? -1 - stop : words_.number(words[w]));
  }
}

void TextCorpus::append(Piece& piece, const Place& place) {
  const bool keeps_all = options_.phrases.used();
  number_words(piece);
  std::int64_t token = 0;
  for (std::size_t i = 0; i < piece.parts.size(); ++i) {
    const std::int64_t begin = token;
    numbers_.clear();
    for (; token < piece.ends[i]; ++token) {
      const std::int32_t word = piece.tokens[static_cast<std::size_t>(token)];
      const std::int32_t number = piece.number_of[static_cast<std::size_t>(unmarked(word))];
      if (number >= 0) {
        numbers_.push_back(is_marked(word) ? marked(number) : number);
      } else {
        ++stop_word_counts_[static_cast<std::size_t>(-1 - number)];
      }
    }
    if (keeps_all) mark_first(piece, i, begin);
    sink_.append(numbers_);
    report_.tokens_kept += std::ssize(numbers_);
    document_tokens_ += std::ssize(numbers_);
    if (document_tokens_ > most_document_tokens) {
      refuse_document(place.origin, place.line, documents_before_ + report_.documents + 1, document_tokens_);
    }
    if (!piece.parts[i].ends_document) continue;
    sink_.end_document();
    ++report_.documents;
    document_tokens_ = 0;
  }
  report_.tokens_read += std::ssize(piece.tokens);
  report_.invalid_utf8 += piece.invalid_utf8;
  left_out_.add(piece.tokenizer.left_out());
}

void TextCorpus::begin_part(std::int64_t documents_before) {
  documents_before_ = documents_before;
  left_out_ = TokenTally(most_left_out_words_of_rank);
}

void TextCorpus::complete_report(Communicator* ranks) {
  report_.unspaced_tokens = left_out_.unspaced;
  if (ranks != nullptr) {
    ranks->add_up(stop_word_counts_);
    left_out_.add_up(most_left_out_words, *ranks);
  }
  left_out_.tell(report_.left_out);
  if (options_.words == WordRule::icu) report_.icu_version = icu_version();
  report_.left_out[LeftOutReason::stop_word] =
      pick_words(stop_words_.words(), stop_word_counts_, [&](std::size_t w) { return stop_word_counts_[w] > 0; });
}

TextCorpus::Piece::Piece(const TextOptions& options) : tokenizer(options_of_tokens(options)) {
  if (options.phrases.used()) tokenizer.watch_between();
}

std::int64_t TextCorpus::Piece::memory() const {
  return words.memory() + tokenizer.left_out().memory() +
         static_cast<std::int64_t>(
             parts.capacity() * sizeof(Part) + (number_of.capacity() + tokens.capacity()) * sizeof(std::int32_t) +
             ends.capacity() * sizeof(std::int64_t) + (before.capacity() + after.capacity()) * sizeof(TextBetween));
}

std::int64_t TextCorpus::memory() const {
  std::int64_t bytes =
      sink_.memory() + 2 * words_.memory() + 2 * bytes_of_names_ + bytes_of_stop_words_ + left_out_.memory();
  for (const Piece& piece : pieces_) bytes += piece.bytes;
  return bytes;
}

// A text as large as a block is not copied.
void TextBlock::append(std::string_view text, std::int64_t line, bool goes_on) {
  if (open_ || goes_on || text.size() >= corpus_.block_bytes()) {
    flush();
    corpus_.append({&text, 1}, {origin_, line}, goes_on);
    open_ = goes_on;
    return;
  }
  text_ += text;
  ends_.push_back(text_.size());
  line_ = line;
  if (text_.size() + bytes_per_place * ends_.size() >= corpus_.block_bytes()) flush();
}

void TextBlock::flush() {
  std::vector<std::string_view> texts;
  texts.reserve(ends_.size());
  std::size_t begin = 0;
  for (const std::size_t end : ends_) {
    texts.push_back(std::string_view(text_).substr(begin, end - begin));
    begin = end;
  }
  if (!texts.empty()) corpus_.append(texts, {origin_, line_});
  text_.clear();
  ends_.clear();
}

}  // namespace papilio::lda
