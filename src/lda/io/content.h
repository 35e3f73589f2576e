#pragma once

#include <string_view>

#include "papilio/corpus_formats.h"

namespace papilio::lda {

// The format that the first bytes of a file suggest; text if they suggest none. `whole`: they are the whole file, so
// that its last line counts too.
CorpusFormat format_of_content(std::string_view bytes, bool whole);

// For a file that is JSON by its name: whether these first bytes begin an array, not lines of objects.
bool begins_as_json_array(std::string_view bytes);

}  // namespace papilio::lda
