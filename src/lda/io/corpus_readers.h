#pragma once

#include <string>
#include <string_view>

#include "papilio/corpus_formats.h"
#include "papilio/texts.h"

namespace papilio::lda {

// The readers and writers behind read_corpus and write_corpus: a file a format.
// The vocabulary of `options` is the one to use; empty: words are called by number.

inline constexpr const char* reader_name = "papilio::read_corpus";
inline constexpr const char* writer_name = "papilio::write_corpus";

// LDA-C: a document a line, "M id:count ..." with M pairs.
Corpus read_ldac(const std::string& path, const CorpusOptions& options, ReadReport& report);

// SVMlight and libsvm: a document a line, "label qid:q id:count ... # comment".
Corpus read_svmlight(const std::string& path, const CorpusOptions& options, ReadReport& report);

// A number, or several with commas between.
bool is_svmlight_label(std::string_view field);

// Matrix Market, coordinate and general.
Corpus read_matrix_market(const std::string& path, const CorpusOptions& options, ReadReport& report);

// A sparse matrix by scipy.sparse.save_npz, by rows or by columns.
Corpus read_npz(const std::string& path, const CorpusOptions& options, ReadReport& report);

// The number of documents, then a document a line, its words between blanks as they are.
Corpus read_low(const std::string& path, const CorpusOptions& options, ReadReport& report);

// A document a line: its name, a label, and text.
Corpus read_mallet(const std::string& path, const CorpusOptions& options, ReadReport& report);

// The source that text, csv, tsv, jsonl and folder are.
TextSource text_source_of(const std::string& path, const CorpusOptions& options);

// Whether it is one of these.
bool is_text(CorpusFormat format);

// Whether text stands in columns or fields there: csv, tsv, jsonl.
bool has_columns(CorpusFormat format);

// Each writes the corpus to `path` and, unless `vocabulary` is empty, its words there.
void write_ldac(const CorpusView& corpus, const std::string& path, const std::string& vocabulary);
void write_svmlight(const CorpusView& corpus, const std::string& path, const std::string& vocabulary);
void write_matrix_market(const CorpusView& corpus, const std::string& path, const std::string& vocabulary);
void write_npz(const CorpusView& corpus, const std::string& path, const std::string& vocabulary);

}  // namespace papilio::lda
