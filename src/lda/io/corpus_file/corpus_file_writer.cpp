#include "lda/io/corpus_file/corpus_file_writer.h"

#include <cassert>

#include "lda/corpus/vocabulary.h"
#include "papilio/corpus_file.h"

namespace papilio {
namespace lda {

CorpusFileWriter::CorpusFileWriter(const std::string& path, const char* caller, const CorpusSizes& sizes)
    : layout_(layout_of(sizes)), file_(path, caller) {
  file_.write(layout_.header);
  hashes_.push_back(hash_of(std::as_bytes(std::span(layout_.header))));
}

void CorpusFileWriter::write(std::span<const std::byte> bytes) {
  file_.write(bytes.data(), bytes.size());
  hash_.update(bytes);
  written_ += std::ssize(bytes);
}

void CorpusFileWriter::end_part() {
  assert(part_ < corpus_parts && written_ == layout_.bytes[part_]);
  hashes_.push_back(hash_.digest());
  hash_.reset();
  written_ = 0;
  ++part_;
}

void CorpusFileWriter::commit() {
  assert(part_ + 1 == corpus_parts);
  for (const Digest& digest : hashes_) file_.write(digest.data(), digest.size());
  file_.commit();
}

namespace {

std::int64_t string_bytes(std::span<const std::string> strings) {
  std::int64_t bytes = 0;
  for (const std::string& string : strings) bytes += std::ssize(string);
  return bytes;
}

}  // namespace
}  // namespace lda

void write_corpus_file(const CorpusView& corpus, const std::string& path) {
  corpus.verify();
  lda::require_vocabulary(corpus.vocabulary, "write_corpus_file");
  lda::CorpusSizes sizes;
  sizes.documents = corpus.documents();
  sizes.tokens = corpus.tokens();
  sizes.words = corpus.vocabulary_size();
  sizes.vocabulary_bytes = lda::string_bytes(corpus.vocabulary);
  sizes.named_documents = std::ssize(corpus.document_names);
  sizes.name_bytes = lda::string_bytes(corpus.document_names);
  lda::CorpusFileWriter file(path, "papilio::write_corpus_file", sizes);
  file.write_elements(corpus.document_offsets);
  file.end_part();
  file.write_offsets(corpus.vocabulary);
  file.end_part();
  if (!corpus.document_names.empty()) file.write_offsets(corpus.document_names);
  file.end_part();
  file.write_elements(corpus.words);
  file.end_part();
  file.write_strings(corpus.vocabulary);
  file.end_part();
  file.write_strings(corpus.document_names);
  file.end_part();
  file.commit();
}

}  // namespace papilio
