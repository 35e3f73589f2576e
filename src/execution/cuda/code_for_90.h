#pragma once

namespace papilio::execution {

// Whether the current device runs code that was compiled for compute capability 9.0 or later. Only such code has
// clusters (blocks that share their memory) and waits for the kernel before (dependent_launch.cuh). A device of 9.0 may
// run older code: a build for earlier devices, translated from its PTX.
bool runs_code_for_90();

}  // namespace papilio::execution
