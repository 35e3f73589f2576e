#pragma once

#include "lda/io/format/format.h"

namespace papilio::lda {

// The format with that number. Throws InvalidArgument if there is none.
const Format& format_of(CorpusFormat format);

// How read_corpus reads a path: the format, and the options with everything they leave open filled in. Throws
// InvalidArgument for options that do not fit.
struct ChosenFormat {
  const Format& format;
  CorpusOptions options;
};
ChosenFormat choose_format(const std::string& path, const CorpusOptions& options);

}  // namespace papilio::lda
