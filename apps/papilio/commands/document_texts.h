#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "papilio/corpus.h"
#include "papilio/texts.h"
#include "support/corpus_arguments.h"

// The beginnings of a corpus's documents, to be shown.

// Returns the texts of the documents with these numbers, which are in ascending order.
using DocumentTexts = std::function<std::vector<std::string>(std::span<const std::int64_t> documents)>;

// Where the texts are: in `texts` (--texts) if that is not empty, else in
// the corpus itself; nothing if that has only counts or is standard input.
std::optional<papilio::TextSource> find_document_texts(const CorpusArguments& corpus, const std::string& texts);

// Reads at most `characters` characters of each document. Without a source, says on standard error, in the name of
// `command`, what to do about it, and returns an empty function. The corpus must outlive the result. With `texts`,
// throws CommandError (bad_data) unless they fit the corpus: number of documents, names, and words.
DocumentTexts document_texts(const std::optional<papilio::TextSource>& source, const CorpusArguments& corpus,
                             const papilio::CorpusView& view, const std::string& texts, int characters,
                             const char* command);
