#pragma once

#include "lda/corpus/marked_words.h"
#include "lda/io/bytes/byte_source.h"
#include "lda/io/text/text_corpus.h"
#include "papilio/communicator.h"
#include "papilio/corpus_formats.h"
#include "papilio/texts.h"

namespace papilio::lda {

// Reads all documents of a source into `corpus`; `caller` begins the messages of errors. A part (null: all) is one of
// lines or JSON lines.
void read_text_source(const TextSource& source, const TextOptions& options, const char* caller, TextCorpus& corpus,
                      const FilePart* part = nullptr);

// The same for each form.
void read_lines(const TextSource& source, const TextOptions& options, const char* caller, TextCorpus& corpus,
                const FilePart* part);
void read_table(const TextSource& source, const TextOptions& options, const char* caller, TextCorpus& corpus);
void read_json_lines(const TextSource& source, const TextOptions& options, const char* caller, TextCorpus& corpus,
                     const FilePart* part);
void read_folder(const TextSource& source, const TextOptions& options, const char* caller, TextCorpus& corpus);

// Finds and joins the phrases of documents that `text` has read, and leaves out stop words and short words. The
// documents go to `sink`, their words numbered by first occurrence; returns the vocabulary and completes text.report().
// Throws FormatError where phrases do not fit into the memory limit, and InvalidArgument as find_phrases does.
std::vector<std::string> join_text_phrases(TextCorpus& text, std::span<const std::int64_t> document_offsets,
                                           MarkedWords words, DocumentSink& sink, const Origin& origin);

// The corpus of what has gone to the sink, without the words that the options leave out.
Corpus finish_corpus(CorpusSink& sink, TextCorpus& text, const TextOptions& options, const char* format,
                     const Origin& origin, ReadReport& report);

// The corpus of a source; options are checked.
Corpus read_documents(const TextSource& source, const TextOptions& options, const char* caller, ReadReport& report);

// The same over ranks, of which each reads a part of lines or JSON lines and gets its documents, which follow those of
// the ranks before, and the vocabulary of all. Rank 0 knows all words that are left out. No phrases. Collective.
Corpus read_parts_of_documents(const TextSource& source, const TextOptions& options, const char* caller,
                               ReadReport& report, Communicator& ranks);

// Text of that form, where options of read_corpus say.
TextSource text_source_of(TextForm form, const std::string& path, const CorpusOptions& options);

// What ReadReport calls the form.
const char* format_name(TextForm form);

}  // namespace papilio::lda
