#include <fmt/format.h>

#include <string>
#include <string_view>

#include "lda/io/text/json_array_reader.h"
#include "lda/io/text/json_record.h"
#include "lda/io/text/text_source.h"

namespace papilio::lda {
namespace {

// Checks that an element is a string or an object, that it is what the first one is, and that strings are not asked for
// fields. `first` is the first byte of the elements before, or 0.
void check_kind(JsonText& element, char first, const TextSource& source) {
  const char kind = element.peek();
  if (first == '{' && kind != '{') element.fail("an object like the elements before");
  if (first == '"' && kind != '"') element.fail("a string like the elements before");
  if (kind != '{' && kind != '"') element.fail("an object or a string");
  const std::string& asked = source.text.empty() ? source.id : source.text;
  if (kind == '"' && !asked.empty()) element.fail(fmt::format("an object with a field {}", lda::quoted(asked)));
}

}  // namespace

void read_json_array(const TextSource& source, const TextOptions& options, const char* caller, TextCorpus& corpus) {
  JsonArrayReader reader({caller, source.path}, corpus.memory_limit(), options.max_line_bytes, options.threads);
  JsonRecord record(source.text, source.id, corpus.memory_limit());
  JsonText& element = reader.element();
  TextBlock block(corpus, reader.origin());
  std::string text;
  char first = '\0';
  while (reader.next_element()) {
    check_kind(element, first, source);
    first = element.peek();
    if (first == '{') {
      record.take(element);
      if (!source.id.empty()) corpus.append_name(record.id());
    } else {
      text.clear();
      element.take_string(&text);
    }
    reader.end_element();
    block.append(first == '{' ? std::string_view(record.text()) : text, reader.line());
  }
  block.flush();
}

}  // namespace papilio::lda
