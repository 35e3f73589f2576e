#pragma once

#include <string_view>

#include "papilio/corpus_formats.h"

namespace papilio::lda {

// The format that the first bytes of a file suggest; text if they suggest none. `whole`: they are the whole file, so
// that its last line counts too.
CorpusFormat format_of_content(std::string_view bytes, bool whole);

// Whether a JSON file, by its name, with these first bytes is an array rather than lines of objects.
bool begins_as_json_array(std::string_view bytes);

}  // namespace papilio::lda
