#pragma once

#include "lda/io/text/text_corpus.h"
#include "papilio/corpus_formats.h"
#include "papilio/texts.h"

namespace papilio::lda {

// Reads all documents of a source into `corpus`; `caller` begins the messages of errors.
void read_text_source(const TextSource& source, const TextOptions& options, const char* caller, TextCorpus& corpus);

// The same for each form.
void read_lines(const TextSource& source, const TextOptions& options, const char* caller, TextCorpus& corpus);
void read_table(const TextSource& source, const TextOptions& options, const char* caller, TextCorpus& corpus);
void read_json_lines(const TextSource& source, const TextOptions& options, const char* caller, TextCorpus& corpus);
void read_folder(const TextSource& source, const TextOptions& options, const char* caller, TextCorpus& corpus);

// The corpus of what has gone to the sink, without the words that the options leave out.
Corpus finish_corpus(CorpusSink& sink, TextCorpus& text, const TextOptions& options, const char* format,
                     ReadReport& report);

// The corpus of a source; options are checked.
Corpus read_documents(const TextSource& source, const TextOptions& options, const char* caller, ReadReport& report);

// Text of that form, where options of read_corpus say.
TextSource text_source_of(TextForm form, const std::string& path, const CorpusOptions& options);

// What ReadReport calls the form.
const char* format_name(TextForm form);

}  // namespace papilio::lda
