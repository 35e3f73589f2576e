#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "execution/check_view.h"
#include "execution/cpu/parallel_for.h"
#include "primitives/device_calls.h"
#include "primitives/status.h"

// What the public calls check before they start, and how they finish.

namespace papilio::primitives {

template <class T>
void require_array(const char* function, const char* what, const VectorView<T>& array, Device device) {
  base::require(array.device == device, "papilio::{}: {} is on {}, the output on {}", function, what,
                array.device.name(), device.name());
  execution::require_vector(function, what, array);
}

// Checks the options' threads and status word. `device` is that of the output.
template <class Options>
void require_options(const char* function, const Options& options, Device device) {
  execution::thread_count(options.threads);
  base::require(options.status.empty() || options.status.size == 1,
                "papilio::{}: status must have one entry, or none; got {}", function, options.status.size);
  require_array(function, "status", options.status, options.status.empty() ? options.status.device : device);
}

// The options in the form that goes to a device; the workspace must have `bytes`.
template <class Options>
DeviceCall device_call(const char* function, const Options& options, Device device, std::int64_t bytes) {
  const VectorView<std::byte>& workspace = options.workspace;
  base::require(workspace.size >= bytes, "papilio::{}: workspace must have {} bytes ({}_workspace_bytes); got {}",
                function, bytes, function, workspace.size);
  if (bytes > 0) {
    require_array(function, "workspace", workspace, device);
    constexpr std::uintptr_t alignment = 256;
    base::require(reinterpret_cast<std::uintptr_t>(workspace.data) % alignment == 0,
                  "papilio::{}: workspace is at address {:#x}, expected a multiple of {}", function,
                  reinterpret_cast<std::uintptr_t>(workspace.data), alignment);
  }
  return {device, options.cuda_stream, bytes > 0 ? workspace.data : nullptr,
          options.status.empty() ? nullptr : options.status.data};
}

// Checks that the operator exists and takes values of T.
template <class T>
void require_operator(const char* function, ReduceOp op) {
  for (const ReduceOpChoice& row : reduce_ops()) {
    if (row.value != op) continue;
    base::require(row.floats || std::is_integral_v<T>, "papilio::{}: {} is for integers only", function, row.name);
    return;
  }
  throw InvalidArgument(fmt::format("papilio::{}: unknown operator {}", function, static_cast<int>(op)));
}

// Ends a call on the CPU: what it found goes to the status word or, if none, is thrown with the text of `message()`.
template <class Message>
void finish(const VectorView<std::int64_t>& status, const PrimitiveStatus& found, Message message) {
  const bool wrong = found.error != PrimitiveError::none;
  if (!status.empty()) {
    *status.data = wrong ? status_word(found.error, found.place) : no_error;
  } else if (wrong) {
    throw InvalidArgument(message());
  }
}

// Finds the first offset that is out of range, if any: offsets must rise from at least 0 to at most `items`.
PrimitiveStatus check_offsets(VectorView<const std::int64_t> offsets, std::int64_t items, int threads);

// "papilio::FUNCTION: offset 3 is 9, expected 4 <= offset <= 8"
std::string offset_message(const char* function, VectorView<const std::int64_t> offsets, std::int64_t items,
                           std::int64_t place);

// "int32", ...
template <class T>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<T, std::int32_t>) return "int32";
  if constexpr (std::is_same_v<T, std::int64_t>) return "int64";
  if constexpr (std::is_same_v<T, float>) return "float";
  return "double";
}

}  // namespace papilio::primitives
