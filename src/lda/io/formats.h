#pragma once

#include "lda/io/format/format.h"

namespace papilio::lda {

// The format of that number. Throws InvalidArgument where there is none.
const Format& format_of(CorpusFormat format);

}  // namespace papilio::lda
