#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "lda/io/bytes/line_reader.h"
#include "lda/io/text/json_record.h"
#include "lda/io/text/text_source.h"

namespace papilio::lda {
namespace {

// The last line that a reader returned.
class JsonLine : public JsonSource {
 public:
  explicit JsonLine(const LineReader& reader) : reader_(reader) {}
  bool go_on(std::string_view&) override { return false; }
  const char* name_of_end() const override { return "the end of the line"; }
  const Origin& origin() const override { return reader_.origin(); }
  JsonPlace place_of(std::size_t at) const override {
    return {reader_.line_number(), static_cast<std::int64_t>(at) + 1};
  }

 private:
  const LineReader& reader_;
};

// Begins with the line's object, the first thing on it.
void begin_object(std::string_view line, JsonText& json) {
  json.begin(line);
  json.skip_blanks();
  if (json.peek() == '[') json.fail("a JSON object (--format json, in Python format=\"json\", reads an array)");
  if (json.peek() == '{' &&
      std::all_of(line.begin() + static_cast<std::ptrdiff_t>(json.at()) + 1, line.end(), is_json_blank)) {
    json.fail_at(line.size(), "the whole object on this line (jq -c . FILE puts each on a line)");
  }
}

}  // namespace

void read_json_lines(const TextSource& source, const TextOptions& options, const char* caller, TextCorpus& corpus,
                     const FilePart* part) {
  LineReader reader({caller, source.path}, corpus.memory_limit(), options.max_line_bytes,
                    LineReader::default_block_bytes, options.threads, part);
  JsonRecord record(source.text, source.id, corpus.memory_limit());
  MemoryShare memory(corpus.memory_limit());  // of the text and the id, which take at most twice the line
  JsonLine source_of_json(reader);
  JsonText json(source_of_json);
  TextBlock block(corpus, reader.origin());
  std::string_view line;
  while (reader.next_line(line)) {
    if (std::ranges::all_of(line, is_json_blank)) continue;
    if (!memory.set(std::max(2 * std::ssize(line) - uncounted_bytes, std::int64_t{0}))) {
      memory.limit().refuse(reader.origin(), reader.line_number(), fmt::format("an object of {} bytes", line.size()));
    }
    begin_object(line, json);
    record.take(json);
    json.skip_blanks();
    if (!json.at_end()) json.fail("the end of the line after the object");
    if (!source.id.empty()) corpus.append_name(record.id());
    block.append(record.text(), reader.line_number());
  }
  block.flush();
}

}  // namespace papilio::lda
