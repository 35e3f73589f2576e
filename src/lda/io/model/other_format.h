#pragma once

#include "papilio/error.h"

namespace papilio::lda {

// An intact file, but not one of ours: no reason to look at the previous one.
struct OtherFormat : FormatError {
  using FormatError::FormatError;
};

}  // namespace papilio::lda
