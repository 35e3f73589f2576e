#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "input_file.h"

// Fails as a target can fail, so that a test can see that this is noticed.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = as_text(data, size);
  require(text != "check");
  if (text == "throw") throw std::runtime_error("as asked");
  return 0;
}
