#pragma once

#include "sampling/rows/device_rows.h"
#include "sampling/tokens/token_call_cuda.h"

namespace papilio::sampling {

// Whether rows without filters of such a call are drawn from by intervals: tokens alone are asked for, of enough rows
// of some length that are not masked or changed. `call.on_chip` is known.
bool has_intervals(Storage storage, const TokenCall& call);

// Draws from those rows, on the current device.
void draw_by_intervals(Storage storage, const TokenCall& call, void* stream);

}  // namespace papilio::sampling
