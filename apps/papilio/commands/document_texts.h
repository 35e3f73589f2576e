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

// How the documents of a corpus begin, to be shown.

// Returns the texts of the documents with these numbers, which ascend.
using DocumentTexts = std::function<std::vector<std::string>(std::span<const std::int64_t> documents)>;

// Where the texts are: in `texts` (--texts) if that is not empty, else in the corpus itself; nowhere, if that holds
// counts or is standard input.
std::optional<papilio::TextSource> find_document_texts(const CorpusArguments& corpus, const std::string& texts);

// Reads at most `characters` characters of each. Empty without a source, which `command` then says on standard error,
// and what to do about it. The corpus must outlive the result. With `texts`, throws CommandError (bad_data) where these
// are not those of the corpus: another number of documents, other names, or other words.
DocumentTexts document_texts(const std::optional<papilio::TextSource>& source, const CorpusArguments& corpus,
                             const papilio::CorpusView& view, const std::string& texts, int characters,
                             const char* command);
