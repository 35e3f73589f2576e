#include "format_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return check_format(papilio::CorpusFormat::mallet, data, size);
}
