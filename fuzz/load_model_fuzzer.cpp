#include <cstddef>
#include <cstdint>

#include "input_file.h"
#include "papilio/error.h"
#include "papilio/model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const InputFile file(as_text(data, size));
  try {
    const papilio::Model model = papilio::load_model(file.path());
    model.verify();
    for (std::int32_t k = 0; k < model.topics; ++k) papilio::top_words(model, k, 3);
  } catch (const papilio::FormatError&) {
  }
  return 0;
}
