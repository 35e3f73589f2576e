#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "papilio/corpus.h"
#include "support/corpus_arguments.h"

// What hints depend on besides the corpus.
struct HintContext {
  std::int32_t topics = 0;                         // to be trained; 0: not relevant
  std::string stop_words_option = "--stopwords";   // the option that takes a language
  std::span<const std::int64_t> word_counts = {};  // of the corpus, if they are known
};

// Advice if a corpus looks like a classic mistake: one document, documents of three words, another encoding than UTF-8,
// more topics than documents, stop words among the most frequent words and none left out. One line each, in this order;
// none for a corpus that looks right. Depends only on the corpus and how it was read.
std::vector<std::string> hints(const CorpusArguments& arguments, const papilio::CorpusView& corpus,
                               const papilio::ReadReport& report, const HintContext& context = {});

// Prints them as messages.
void tell_hints(const CorpusArguments& arguments, const papilio::CorpusView& corpus, const papilio::ReadReport& report,
                const HintContext& context = {});
