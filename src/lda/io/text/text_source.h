#pragma once

#include "lda/corpus/marked_words.h"
#include "lda/io/bytes/byte_source.h"
#include "lda/io/text/text_corpus.h"
#include "papilio/communicator.h"
#include "papilio/corpus_formats.h"
#include "papilio/texts.h"

namespace papilio::lda {

// Reads all documents of a source into `corpus`; `caller` begins
// error messages. A part (null: all) is of lines or JSON lines.
void read_text_source(const TextSource& source, const TextOptions& options, const char* caller, TextCorpus& corpus,
                      const FilePart* part = nullptr);

// The same for one form each.
void read_lines(const TextSource& source, const TextOptions& options, const char* caller, TextCorpus& corpus,
                const FilePart* part);
void read_table(const TextSource& source, const TextOptions& options, const char* caller, TextCorpus& corpus);
void read_json_lines(const TextSource& source, const TextOptions& options, const char* caller, TextCorpus& corpus,
                     const FilePart* part);
void read_json_array(const TextSource& source, const TextOptions& options, const char* caller, TextCorpus& corpus);
void read_folder(const TextSource& source, const TextOptions& options, const char* caller, TextCorpus& corpus);

// Finds and joins the phrases of the documents that `text` has read, and leaves out stop words and short words. The
// documents go to `sink`, with words numbered by first occurrence. Returns the vocabulary and completes text.report().
// Throws FormatError if phrases do not fit the memory limit, and InvalidArgument as find_phrases does.
std::vector<std::string> join_text_phrases(TextCorpus& text, std::span<const std::int64_t> document_offsets,
                                           MarkedWords words, DocumentSink& sink, const Origin& origin);

// The corpus of what the sink has received, without the words that the options leave out.
Corpus finish_corpus(CorpusSink& sink, TextCorpus& text, const TextOptions& options, const char* format,
                     const Origin& origin, ReadReport& report);

// The corpus of a source; the options have been checked.
Corpus read_documents(const TextSource& source, const TextOptions& options, const char* caller, ReadReport& report);

// The same over ranks. Each reads a part of lines or JSON lines and gets its documents, which follow those of the ranks
// before, and the vocabulary of all. Rank 0 knows all words that are left out. No phrases. Collective.
Corpus read_parts_of_documents(const TextSource& source, const TextOptions& options, const char* caller,
                               ReadReport& report, Communicator& ranks);

// A text of that form, with the columns and other settings that read_corpus's options give.
TextSource text_source_of(TextForm form, const std::string& path, const CorpusOptions& options);

// The name of the form in ReadReport.
const char* format_name(TextForm form);

}  // namespace papilio::lda
