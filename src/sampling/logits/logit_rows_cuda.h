#pragma once

#include <cstdint>

#include "sampling/rows/device_rows.h"

namespace papilio::sampling {

// The rows of weights that these rows of logits become. They are in the workspace, if one is given.
DeviceRows weights_of_logits(const DeviceRows& logits, void* workspace);

// The bytes of workspace that they take.
std::int64_t logits_workspace_on_cuda(const DeviceRows& logits);

// Queues the computation of those weights.
void weigh_logits_on_cuda(const DeviceDraw& draw, double temperature);

}  // namespace papilio::sampling
