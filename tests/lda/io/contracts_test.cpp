// What readers, writers, generators and files in memory refuse.

#include "support/contracts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lda/corpora.h"
#include "lda/io/files.h"
#include "lda/ranks.h"
#include "papilio/corpus_file.h"
#include "papilio/corpus_formats.h"
#include "papilio/distributed.h"
#include "papilio/lda.h"
#include "papilio/mallet.h"
#include "papilio/npy.h"
#include "papilio/output_file.h"
#include "papilio/phrases.h"
#include "papilio/seed_words.h"
#include "papilio/stop_words.h"
#include "papilio/texts.h"

namespace papilio {
namespace {

using testing::huge;
using testing::make_corpus;
using testing::misaligned;
using testing::no_enumerator;
using testing::refused;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
const std::string nowhere = "/nonexistent/folder/file";

Corpus sound_corpus() { return make_corpus({{0, 1, 1}, {2, 0}}, 3); }

// A corpus with a word out of range, and one that was moved from.
template <class Call>
void refuses_bad_corpora(const Call& call) {
  Corpus beyond = sound_corpus(), moved_from = sound_corpus();
  beyond.words[1] = 3;
  const Corpus taken = std::move(moved_from);
  EXPECT_TRUE(refused("words[1] is 3, expected 0 <= word < 3", [&] { call(beyond); }));
  EXPECT_TRUE(refused("it is empty", [&] { call(moved_from); }));  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(refused("it is empty", [&] { call(CorpusView()); }));
}

// Options of text that every reader refuses.
template <class Read>
void refuses_bad_text_options(const Read& read) {
  const auto with = [&](auto change) {
    TextOptions options;
    change(options);
    return [&read, options] { read(options); };
  };
  EXPECT_TRUE(refused("min_token_length is 0", with([](auto& o) { o.min_token_length = 0; })));
  EXPECT_TRUE(refused("words is 99", with([](auto& o) { o.words = no_enumerator<WordRule>(); })));
  EXPECT_TRUE(refused("token_pattern is \"(\": missing )", with([](auto& o) { o.token_pattern = "("; })));
  EXPECT_TRUE(refused("min_df is -1", with([](auto& o) { o.min_df = -1; })));
  EXPECT_TRUE(refused("max_df is nan", with([](auto& o) { o.max_df = nan; })));
  EXPECT_TRUE(refused("max_df is 2", with([](auto& o) { o.max_df = 2; })));
  EXPECT_TRUE(refused("max_vocabulary is -1", with([](auto& o) { o.max_vocabulary = -1; })));
  EXPECT_TRUE(refused("max_line_bytes is 0", with([](auto& o) { o.max_line_bytes = 0; })));
  EXPECT_TRUE(refused("max_line_bytes is 9223372036854775807", with([](auto& o) { o.max_line_bytes = huge; })));
  EXPECT_TRUE(refused("max_memory is -1", with([](auto& o) { o.max_memory = -1; })));
  EXPECT_TRUE(refused("threads", with([](auto& o) { o.threads = -1; })));
}

TEST(ReadersContract, SeedWords) {
  const std::vector<std::string> words = {"bank"};
  const std::span<const std::string> no_memory(static_cast<const std::string*>(nullptr), 2);
  SeedWordsReport report;
  EXPECT_THROW(read_seed_words(nowhere, words, {.topics = 2}, &report), IoError);
  EXPECT_TRUE(refused("topics is 0, expected at least 1",
                      [&] { read_seed_words(nowhere, words, SeedWordsOptions{.topics = 0}, &report); }));
  EXPECT_TRUE(refused("weight is 0, expected 1 to 1000000", [&] { read_seed_words(nowhere, words, {.weight = 0}); }));
  EXPECT_TRUE(refused("weight is 1000001", [&] { read_seed_words(nowhere, words, {.weight = 1'000'001}); }));
  EXPECT_TRUE(refused("max_memory is -1", [&] { read_seed_words(nowhere, words, {.max_memory = -1}); }));
  EXPECT_TRUE(refused("vocabulary is null", [&] { read_seed_words(nowhere, no_memory, {}); }));
}

TEST(ReadersContract, WordRule) {
  EXPECT_EQ(name(no_enumerator<WordRule>()), "unknown");
  EXPECT_EQ(word_rules()[0].value, WordRule::letters);
  EXPECT_TRUE(refused("unknown rule for words \"words\"", [] { parse_word_rule("words"); }));
  EXPECT_TRUE(icu_version().empty() || (icu_version()[0] >= '1' && icu_version()[0] <= '9')) << icu_version();
  EXPECT_NE(token_pattern_fault("\xff"), "");
  EXPECT_NE(token_pattern_fault(std::string(1 << 20, '(')), "");
}

TEST(ReadersContract, LeftOut) {
  EXPECT_EQ(name(no_enumerator<LeftOutReason>()), "unknown");
  EXPECT_EQ(left_out_reasons().size(), LeftOut().reasons.size());
  EXPECT_EQ(describe(LeftOut()), "");
  LeftOut left_out;
  left_out[LeftOutReason::unknown] = LeftOutWords{.tokens = huge, .words = 1, .examples = {}};
  EXPECT_EQ(describe(left_out),
            "left out 9,223,372,036,854,775,807 tokens: words that the model does not know "
            "(9,223,372,036,854,775,807 tokens, 1 different)");
  EXPECT_FALSE(seems_unspaced({}));
}

TEST(ReadersContract, CorpusFormat) {
  const auto none = no_enumerator<CorpusFormat>();
  EXPECT_EQ(name(none), "unknown");
  EXPECT_TRUE(refused("no corpus format has the number 99", [&] { is_written(none); }));
  EXPECT_TRUE(refused("no corpus format has the number 99", [&] { has_vocabulary_file(none); }));
  EXPECT_TRUE(refused("no corpus format has the number 99", [&] { read_corpus(nowhere, {.format = none}); }));
  EXPECT_TRUE(refused("no corpus format has the number 99", [&] { write_corpus(sound_corpus(), nowhere, none); }));
  EXPECT_TRUE(
      refused("no corpus format has the number 99", [&] { import_corpus(nowhere, nowhere, {.format = none}); }));
  EXPECT_TRUE(
      refused("corpora are not written as auto", [&] { write_corpus(sound_corpus(), nowhere, CorpusFormat::detect); }));
  EXPECT_TRUE(refused("unknown corpus format \"\"", [] { parse_corpus_format(""); }));
  EXPECT_FALSE(is_written(CorpusFormat::detect));
  EXPECT_EQ(corpus_format_of_name(""), CorpusFormat::detect);
  EXPECT_EQ(corpus_format_of_name("/"), CorpusFormat::detect);
  EXPECT_EQ(find_vocabulary(""), "");
  EXPECT_EQ(find_vocabulary(nowhere), "");
  EXPECT_EQ(detect_corpus_format(nowhere), CorpusFormat::text);
  for (const CorpusFormatChoice& row : corpus_formats()) {
    if (row.value == CorpusFormat::detect) continue;
    EXPECT_EQ(is_written(row.value), row.is_written);
    EXPECT_EQ(has_vocabulary_file(row.value), row.has_vocabulary_file);
    EXPECT_THROW(read_corpus(nowhere, {.format = row.value}), IoError) << row.name;
    EXPECT_THROW(read_corpus("", {.format = row.value}), IoError) << row.name;
    if (!row.is_written) continue;
    refuses_bad_corpora([&](const CorpusView& corpus) { write_corpus(corpus, nowhere, row.value); });
    EXPECT_THROW(write_corpus(sound_corpus(), nowhere, row.value), IoError) << row.name;
  }
}

TEST(ReadersContract, CorpusOptionsAndTextOptions) {
  ReadReport report;
  refuses_bad_text_options([&](const TextOptions& options) { read_lines_of_text(nowhere, options, &report); });
  refuses_bad_text_options([&](const TextOptions& options) { read_uci_bag_of_words(nowhere, "", options, &report); });
  refuses_bad_text_options([&](const TextOptions& options) { read_text({.path = nowhere}, options, &report); });
  refuses_bad_text_options([&](const TextOptions& options) { import_text({.path = nowhere}, nowhere, options); });
  refuses_bad_text_options([&](const TextOptions& options) { corpus_from_texts({}, options, &report); });
  refuses_bad_text_options([&](const TextOptions& options) { read_corpus_file(nowhere, options, &report); });
  for (const CorpusFormatChoice& row : corpus_formats()) {
    if (row.value == CorpusFormat::detect) continue;
    refuses_bad_text_options(
        [&](const TextOptions& options) { read_corpus(nowhere, {.format = row.value, .text = options}, &report); });
  }
  const CorpusOptions second = {.format = CorpusFormat::ldac, .first_id = 2};
  EXPECT_TRUE(refused("first_id", [&] { read_corpus(nowhere, second); }));
  EXPECT_THROW(read_lines_of_text(nowhere), IoError);
  EXPECT_THROW(read_uci_bag_of_words(nowhere, nowhere), IoError);
  EXPECT_THROW(read_word_list(nowhere), IoError);
  EXPECT_FALSE(english_stop_words().empty());
}

TEST(ReadersContract, StopWords) {
  EXPECT_FALSE(stop_word_languages().empty());
  for (const std::string& language : stop_word_languages()) EXPECT_FALSE(stop_words(language).empty());
  for (const std::string_view language : {"", "German", "germany", "de"}) {
    EXPECT_TRUE(refused("expected one of catalan, czech, ", [&] { stop_words(language); })) << language;
  }
  EXPECT_TRUE(refused("language is \"a\\x00\\x1b\"", [] { stop_words(std::string_view("a\0\x1b", 3)); }));
  const Corpus corpus = sound_corpus();
  const std::optional<FrequentStopWords> none = find_frequent_stop_words(corpus);
  EXPECT_FALSE(none);
  refuses_bad_corpora([](const CorpusView& bad) { find_frequent_stop_words(bad); });
  EXPECT_TRUE(refused("threads", [&] { find_frequent_stop_words(corpus, -1); }));
  const std::vector<std::string> words = {"a", "b"};
  const std::vector<std::int64_t> one_count = {1};
  EXPECT_TRUE(refused("counts has 1 entries", [&] { find_frequent_stop_words(words, one_count); }));
  const std::vector<std::int64_t> negative = {1, INT64_MIN}, many = {INT64_MAX, 1};
  EXPECT_TRUE(refused("counts[1] is -9223372036854775808", [&] { find_frequent_stop_words(words, negative); }));
  EXPECT_TRUE(refused("of word 1 add up to 2^63 or more", [&] { find_frequent_stop_words(words, many); }));
  EXPECT_FALSE(find_frequent_stop_words(std::vector<std::string>(20, "\xff"), std::vector<std::int64_t>(20, 1)));
  EXPECT_FALSE(is_papilio_file_name(""));
}

TEST(ReadersContract, TextSourceAndTextForm) {
  const TextSource unknown = {.path = nowhere, .form = no_enumerator<TextForm>()};
  const std::string says = "unknown form of text 99, expected lines, csv, tsv, json_lines, json_array or folder";
  EXPECT_TRUE(refused(says, [&] { read_text(unknown); }));
  EXPECT_TRUE(refused(says, [&] { import_text(unknown, lda::Folder().path("contract.papilio-corpus")); }));
  EXPECT_TRUE(refused("has no columns", [] { read_text({.path = nowhere, .text = "body"}); }));
  for (int form = 0; form <= static_cast<int>(TextForm::folder); ++form) {
    EXPECT_THROW(read_text({.path = nowhere, .form = static_cast<TextForm>(form)}), IoError);
    EXPECT_THROW(read_text({.path = "", .form = static_cast<TextForm>(form)}), IoError);
  }
}

TEST(ReadersContract, CorpusFromTexts) {
  const std::vector<std::string_view> none, empty = {{}, {}}, sound = {"one two", {}};
  EXPECT_EQ(corpus_from_texts(none).documents(), 0);
  EXPECT_EQ(corpus_from_texts(empty).documents(), 2);
  EXPECT_EQ(corpus_from_texts(sound).tokens(), 2);
}

TEST(WritersContract, Writers) {
  refuses_bad_corpora([](const CorpusView& corpus) { write_corpus_file(corpus, nowhere); });
  refuses_bad_corpora([](const CorpusView& corpus) { write_lines_of_text(corpus, nowhere); });
  refuses_bad_corpora([](const CorpusView& corpus) { write_uci_bag_of_words(corpus, nowhere, nowhere); });
  EXPECT_THROW(write_corpus_file(sound_corpus(), nowhere), IoError);
  EXPECT_THROW(write_lines_of_text(sound_corpus(), ""), IoError);
}

TEST(WritersContract, OutputFileAndOutputTarget) {
  const lda::Folder folder;
  EXPECT_THROW(output_target(""), IoError);
  EXPECT_THROW(output_target(nowhere), IoError);
  const OutputTarget target = output_target(folder.path("new"));
  EXPECT_EQ(target.kind, OutputTarget::Kind::nothing);
  EXPECT_EQ(target.descriptor, -1);
  EXPECT_THROW(OutputFile{""}, IoError);
  EXPECT_THROW(OutputFile{nowhere}, IoError);
  EXPECT_THROW(OutputFile{folder.path("")}, IoError);
  OutputFile file(folder.path("new"));
  file.write({});
  file.commit();
  EXPECT_TRUE(refused("OutputFile::write: commit was called before", [&] { file.write("x"); }));
  EXPECT_TRUE(refused("OutputFile::commit: commit was called before", [&] { file.commit(); }));
  EXPECT_EQ(folder.read("new"), "");
}

TEST(WritersContract, OutputReservation) {
  const lda::Folder folder;
  using Existing = OutputReservation::Existing;
  EXPECT_THROW(OutputReservation(nowhere, Existing::kept), IoError);
  EXPECT_TRUE(refused("OutputReservation: unknown Existing 99, expected kept or replaced",
                      [&] { OutputReservation(folder.path("x"), no_enumerator<Existing>()); }));
  const OutputReservation reservation(folder.path("x"), Existing::replaced);
  EXPECT_TRUE(refused("this process has reserved", [&] { OutputReservation(folder.path("x"), Existing::kept); }));
}

TEST(MappedCorpusContract, MappedCorpus) {
  const lda::Folder folder;
  const std::string path = folder.path("contract.papilio-corpus");
  write_corpus_file(sound_corpus(), path);
  MappedCorpus mapped(path);
  EXPECT_TRUE(is_corpus_file(path));
  EXPECT_FALSE(is_corpus_file(nowhere));
  EXPECT_THROW(MappedCorpus{nowhere}, IoError);
  EXPECT_THROW(MappedCorpus{""}, IoError);
  EXPECT_THROW(MappedCorpus{"-"}, FormatError);
  for (const int threads : {-1, 4097}) {
    EXPECT_TRUE(refused("threads must be 0 (all)", [&] { mapped.verify(threads); }));
    testing::on_ranks({.ranks = 1}, [&](Communicator& rank) {
      EXPECT_TRUE(refused("threads must be 0 (all)", [&] { verify_over_ranks(mapped, rank, threads); }));
    });
  }
  MappedCorpus moved_to = std::move(mapped);
  EXPECT_EQ(moved_to.tokens(), 5);
  const std::string says = "MappedCorpus: this object was moved from, so it maps no file; use the one it was moved to";
  EXPECT_TRUE(refused(says, [&] { mapped.documents(); }));  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(refused(says, [&] { mapped.tokens(); }));
  EXPECT_TRUE(refused(says, [&] { mapped.vocabulary_size(); }));
  EXPECT_TRUE(refused(says, [&] { mapped.document_offsets(); }));
  EXPECT_TRUE(refused(says, [&] { mapped.words(); }));
  EXPECT_TRUE(refused(says, [&] { mapped.vocabulary(); }));
  EXPECT_TRUE(refused(says, [&] { mapped.document_names(); }));
  EXPECT_TRUE(refused(says, [&] { mapped.view(); }));
  EXPECT_TRUE(refused(says, [&] { mapped.verify(); }));
  testing::on_ranks({.ranks = 1},
                    [&](Communicator& rank) { EXPECT_TRUE(refused(says, [&] { verify_over_ranks(mapped, rank); })); });
  mapped = std::move(moved_to);
  EXPECT_EQ(mapped.documents(), 2);
}

TEST(GenerateContract, GenerateCorpus) {
  const auto with = [](auto change) {
    GenerateOptions options = {.documents = 2, .vocabulary = 5, .topics = 2, .mean_length = 3};
    change(options);
    return [=] { return generate_corpus(options); };
  };
  const GeneratedCorpus sound = with([](auto&) {})();
  EXPECT_EQ(sound.topics.size(), sound.corpus.words.size());
  for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{-1}, huge}) {
    EXPECT_TRUE(refused("documents is", with([=](auto& o) { o.documents = bad; })));
    EXPECT_TRUE(refused("vocabulary is", with([=](auto& o) { o.vocabulary = bad; })));
  }
  EXPECT_TRUE(refused("topics is 0", with([](auto& o) { o.topics = 0; })));
  EXPECT_TRUE(refused("topics is 6, expected 1 to vocabulary = 5", with([](auto& o) { o.topics = 6; })));
  for (const double bad : {-1.0, nan, HUGE_VAL}) {
    EXPECT_TRUE(refused("mean_length is", with([=](auto& o) { o.mean_length = bad; })));
    EXPECT_TRUE(refused("alpha is", with([=](auto& o) { o.alpha = bad; })));
    EXPECT_TRUE(refused("zipf_exponent is", with([=](auto& o) { o.zipf_exponent = bad; })));
    EXPECT_TRUE(refused("overlap is", with([=](auto& o) { o.overlap = bad; })));
  }
  EXPECT_TRUE(refused("threads is -1", with([](auto& o) { o.threads = -1; })));
}

TEST(ChoicesContract, NumbersThatAreNoEnumerators) {
  EXPECT_EQ(name(no_enumerator<Sampler>()), "unknown");
  EXPECT_EQ(name(no_enumerator<Schedule>()), "unknown");
  EXPECT_EQ(name(no_enumerator<Draws>()), "unknown");
  EXPECT_EQ(name(no_enumerator<Start>()), "unknown");
  EXPECT_TRUE(refused("unknown sampler \"\"", [] { parse_sampler(""); }));
  EXPECT_TRUE(refused("unknown schedule \"\"", [] { parse_schedule(""); }));
  EXPECT_TRUE(refused("parse_draws", [] { parse_draws(""); }));
  EXPECT_TRUE(refused("parse_start", [] { parse_start(""); }));
  for (const SamplerChoice& row : samplers()) EXPECT_LE(row.theta, Parameter::integrated_out);
  EXPECT_FALSE(schedules().empty() || draw_kinds().empty() || starts().empty());
}

TEST(MalletContract, MalletState) {
  const Corpus corpus = sound_corpus();
  const std::vector<std::int32_t> z = {0, 1, 0, 1, 1};
  const std::vector<double> alpha = {0.1, 0.1};
  refuses_bad_corpora([&](const CorpusView& bad) { write_mallet_state(bad, z, alpha, 0.1, nowhere); });
  const auto write = [&](std::span<const std::int32_t> topics, std::span<const double> priors) {
    return [&corpus, topics, priors] { write_mallet_state(corpus, topics, priors, 0.1, nowhere); };
  };
  EXPECT_THROW(write(z, alpha)(), IoError);
  EXPECT_TRUE(refused("z has 0 topics", write({}, alpha)));
  EXPECT_TRUE(refused("the topic of token 0 is 0, expected 0 <= topic < 0", write(z, {})));
  EXPECT_TRUE(refused("alpha is null", write(z, {static_cast<const double*>(nullptr), 2})));
  EXPECT_TRUE(refused("z is at address", write({misaligned(z.data()), 5}, alpha)));
  require_mallet_names(corpus);
  refuses_bad_corpora([](const CorpusView& bad) { require_mallet_names(bad); });
  for (const char* word : {"", "new york", "tab\tbed", "line\n"}) {
    Corpus blank = corpus;
    blank.vocabulary[1] = word;
    EXPECT_TRUE(refused("word 1 is", [&] { require_mallet_names(blank); }));
  }
  Corpus named = corpus;
  named.document_names.assign(static_cast<std::size_t>(corpus.documents()), "a name");
  require_mallet_names(named);
  named.document_names.back() = "two\nlines";
  EXPECT_TRUE(refused("the name of document 1 is", [&] { require_mallet_names(named); }));
  EXPECT_THROW(read_mallet_state(nowhere), IoError);
  EXPECT_TRUE(refused("max_memory is -1", [] { read_mallet_state(nowhere, -1); }));

  MalletState state = {corpus, {.z = z}, 2};
  EXPECT_EQ(match_topics(state, corpus).z.size(), 5u);
  refuses_bad_corpora([&](const CorpusView& bad) { match_topics(state, bad); });
  refuses_bad_corpora([&](const CorpusView& bad) {
    MalletState of = {Corpus{{bad.document_offsets.begin(), bad.document_offsets.end()},
                             {bad.words.begin(), bad.words.end()},
                             {bad.vocabulary.begin(), bad.vocabulary.end()}},
                      {.z = z},
                      2};
    match_topics(of, corpus);
  });
  state.topics.z.pop_back();
  EXPECT_TRUE(refused("z has 4 topics", [&] { match_topics(state, corpus); }));
  state.topics.z.push_back(2);
  EXPECT_TRUE(refused("the topic of token 4 is 2", [&] { match_topics(state, corpus); }));
}

TEST(NpyContract, NpyHeader) {
  EXPECT_TRUE(refused("a size is -1, expected 0 or more", [] { npy_header("<f4", {3, -1}); }));
  EXPECT_TRUE(refused("is not a type", [] { npy_header("<f4'", {3}); }));
  EXPECT_TRUE(
      refused("the shape has too many sizes", [] { npy_header("<f4", std::vector<std::int64_t>(100'000, huge)); }));
  EXPECT_EQ(npy_header("<f4", {}).size() % 64, 0u);
}

TEST(TextsContract, SourceTextsRefuseNumbersOutOfOrder) {
  const std::vector<std::int64_t> twice = {1, 1}, negative = {-1};
  EXPECT_TRUE(refused("documents[1] is 1", [&] { read_source_texts({.path = nowhere}, twice, 10); }));
  EXPECT_TRUE(refused("documents[0] is -1", [&] { read_source_texts({.path = nowhere}, negative, 10); }));
  EXPECT_TRUE(refused("max_bytes is -1", [&] { read_source_texts({.path = nowhere}, {}, -1); }));
  EXPECT_THROW(read_source_texts({.path = nowhere}, {}, 10), IoError);
  EXPECT_TRUE(find_texts(nowhere));
  EXPECT_FALSE(find_texts(nowhere, {.format = CorpusFormat::uci}));
  const SourceTexts none;
  EXPECT_TRUE(none.texts.empty() && none.names.empty());
}

TEST(PhrasesContract, RefuseBadCorporaOptionsAndPhrases) {
  refuses_bad_corpora([](const CorpusView& corpus) { find_phrases(corpus); });
  refuses_bad_corpora([](const CorpusView& corpus) { join_phrases(corpus, std::vector<std::string>{"a b"}); });
  const Corpus corpus = sound_corpus();
  const auto finds = [&](auto change) {
    PhraseOptions options;
    change(options);
    EXPECT_FALSE(options.used());
    return [&corpus, options] { find_phrases(corpus, options); };
  };
  EXPECT_TRUE(refused("phrases.threshold is nan", finds([](PhraseOptions& o) { o.threshold = nan; })));
  EXPECT_TRUE(refused("phrases.min_count is -1", finds([](PhraseOptions& o) { o.min_count = -1; })));
  EXPECT_TRUE(refused("phrases.length is 0", finds([](PhraseOptions& o) { o.length = 0; })));
  EXPECT_TRUE(refused("phrases.delimiter", finds([](PhraseOptions& o) { o.delimiter = " "; })));
  const std::vector<std::string> one_word = {"a"}, not_utf8 = {"a \xff"}, none;
  EXPECT_TRUE(refused("phrases.list[0] has 1 words", [&] { join_phrases(corpus, one_word); }));
  EXPECT_TRUE(refused("phrases.list[0] is not well-formed UTF-8", [&] { join_phrases(corpus, not_utf8); }));
  EXPECT_TRUE(refused("phrases.delimiter", [&] { join_phrases(corpus, none, ""); }));
  EXPECT_TRUE(refused("phrases.delimiter", [&] { phrases_in_vocabulary(not_utf8, "\n"); }));
  EXPECT_TRUE(phrases_in_vocabulary(none).empty());
  const std::vector<Phrase> found = find_phrases(corpus);
  EXPECT_TRUE(found.empty());
  EXPECT_EQ(join_phrases(corpus, none).tokens(), corpus.tokens());
}

}  // namespace
}  // namespace papilio
