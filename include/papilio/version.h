#pragma once

// The version of these headers. `papilio::version()` is that of the library that is linked.
#define PAPILIO_VERSION_MAJOR 0
#define PAPILIO_VERSION_MINOR 1
#define PAPILIO_VERSION_PATCH 0

namespace papilio {

// Returns the library's version, "0.1.0".
const char* version() noexcept;

}  // namespace papilio
