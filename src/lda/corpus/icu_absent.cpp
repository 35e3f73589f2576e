#include "base/check.h"
#include "lda/corpus/word_finder.h"
#include "papilio/error.h"
#include "papilio/word_rules.h"

namespace papilio {

std::unique_ptr<lda::WordFinder> lda::make_boundary_finder() {
  throw InvalidArgument("papilio: this build has no ICU; install libicu-dev and build papilio again");
}

std::string_view icu_version() noexcept { return ""; }

}  // namespace papilio
