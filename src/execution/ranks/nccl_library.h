#pragma once

#include <cstddef>
#include <string>

#include "execution/cuda/check.h"

namespace papilio::execution {

// What papilio uses of NCCL, NVIDIA's library for sums over GPUs. It is loaded when it is needed: a build
// needs neither its header nor its library. Types and values are those of its C interface from version 2.7 on.
struct NcclId {
  char bytes[128];
};
using NcclComm = struct ncclComm*;

inline constexpr int nccl_success = 0;
inline constexpr int nccl_in_progress = 7;
inline constexpr int nccl_int32 = 2;
inline constexpr int nccl_int64 = 4;
inline constexpr int nccl_sum = 0;

struct Nccl {
  int (*get_version)(int* version) = nullptr;
  int (*get_unique_id)(NcclId* id) = nullptr;
  int (*comm_init_rank)(NcclComm* comm, int ranks, NcclId id, int rank) = nullptr;
  int (*comm_destroy)(NcclComm comm) = nullptr;
  int (*comm_abort)(NcclComm comm) = nullptr;
  int (*comm_get_async_error)(NcclComm comm, int* error) = nullptr;
  int (*all_reduce)(const void* from, void* to, std::size_t count, int type, int operation, NcclComm comm,
                    cudaStream_t stream) = nullptr;
  const char* (*get_error_string)(int error) = nullptr;
};

// The library in this process. It is looked for when it is first asked for, and stays loaded.
struct NcclSearch {
  Nccl functions;
  std::string name;        // "NCCL 2.28.9"; empty if there is none
  std::string absence;     // why there is none
  bool is_wanted = false;  // PAPILIO_NCCL names a file: if that fails, sums are not made in another way
};
const NcclSearch& nccl_search();

}  // namespace papilio::execution
