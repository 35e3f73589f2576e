#include <algorithm>
#include <string_view>

#include "lda/io/bytes/line_reader.h"
#include "lda/io/text/json_record.h"
#include "lda/io/text/text_source.h"

namespace papilio::lda {

void read_json_lines(const TextSource& source, const TextOptions& options, const char* caller, TextCorpus& corpus,
                     const FilePart* part) {
  LineReader reader({caller, source.path}, corpus.memory_limit(), options.max_line_bytes,
                    LineReader::default_block_bytes, options.threads, part);
  JsonRecord record(source.text.empty() ? "text" : source.text, source.id, corpus.memory_limit());
  TextBlock block(corpus, reader.origin());
  std::string_view line;
  while (reader.next_line(line)) {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    record.parse(line, reader);
    if (!source.id.empty()) corpus.append_name(record.id());
    block.append(record.text(), reader.line_number());
  }
  block.flush();
}

}  // namespace papilio::lda
