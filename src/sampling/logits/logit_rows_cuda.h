#pragma once

#include <cstdint>

#include "sampling/rows/device_rows.h"

namespace papilio::sampling {

// The rows of weights that rows of logits become, in a workspace where that is given.
DeviceRows weights_of_logits(const DeviceRows& logits, void* workspace);

// Bytes of workspace that they take.
std::int64_t logits_workspace_on_cuda(const DeviceRows& logits);

// Queues the making of those weights.
void weigh_logits_on_cuda(const DeviceDraw& draw, double temperature);

}  // namespace papilio::sampling
