#include "papilio/output_file.h"

#include "base/check.h"
#include "lda/io/bytes/atomic_file.h"

namespace papilio {

struct OutputFile::File {
  lda::AtomicFile file;
  bool committed = false;

  void require_open(const char* function) const {
    base::require(!committed, "papilio::OutputFile::{}: commit was called before; a file is written once", function);
  }
};

OutputFile::OutputFile(const std::string& path)
    : file_(new File{lda::AtomicFile(path, "papilio::OutputFile"), false}) {}
OutputFile::~OutputFile() = default;

void OutputFile::write(std::string_view text) {
  file_->require_open("write");
  file_->file.write(text);
}

void OutputFile::commit() {
  file_->require_open("commit");
  file_->committed = true;
  file_->file.commit();
}

}  // namespace papilio
