#include <unicode/ubrk.h>
#include <unicode/utext.h>
#include <unicode/uversion.h>

#include "base/check.h"
#include "lda/corpus/word_finder.h"
#include "papilio/word_rules.h"

namespace papilio {
namespace lda {
namespace {

class BoundaryFinder : public WordFinder {
 public:
  // The root locale, so that words do not depend on the environment.
  BoundaryFinder() {
    UErrorCode status = U_ZERO_ERROR;
    boundaries_ = ubrk_open(UBRK_WORD, "", nullptr, 0, &status);
    require(status);
  }
  ~BoundaryFinder() override {
    ubrk_close(boundaries_);
    utext_close(text_);
  }
  BoundaryFinder(const BoundaryFinder&) = delete;
  BoundaryFinder& operator=(const BoundaryFinder&) = delete;

  void find(std::string_view line, Use word, Use rest) override {
    UErrorCode status = U_ZERO_ERROR;
    text_ = utext_openUTF8(text_, line.data(), static_cast<std::int64_t>(line.size()), &status);
    ubrk_setUText(boundaries_, text_, &status);
    require(status);
    std::int32_t begin = ubrk_first(boundaries_);
    for (std::int32_t end = ubrk_next(boundaries_); end != UBRK_DONE; end = ubrk_next(boundaries_)) {
      const std::int32_t kind = ubrk_getRuleStatus(boundaries_);
      const std::string_view part = line.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
      if (kind >= UBRK_WORD_LETTER) {
        word(part);
      } else if (kind >= UBRK_WORD_NUMBER) {
        rest(part);
      }
      begin = end;
    }
  }

 private:
  static void require(UErrorCode status) {
    if (status == U_MEMORY_ALLOCATION_ERROR) throw std::bad_alloc();
    base::require(U_SUCCESS(status), "papilio: ICU {} cannot find words: {} (is its data package incomplete?)",
                  icu_version(), u_errorName(status));
  }

  UBreakIterator* boundaries_ = nullptr;
  UText* text_ = nullptr;
};

}  // namespace

std::unique_ptr<WordFinder> make_boundary_finder() { return std::make_unique<BoundaryFinder>(); }

}  // namespace lda

std::string_view icu_version() noexcept {
  static const std::string version = [] {
    UVersionInfo numbers;
    char text[U_MAX_VERSION_STRING_LENGTH];
    u_getVersion(numbers);
    u_versionToString(numbers, text);
    return std::string(text);
  }();
  return version;
}

}  // namespace papilio
