#include "execution/ranks/nccl_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>
#include <type_traits>

#include "papilio/communicator.h"

namespace papilio {
namespace execution {
namespace {

constexpr const char* variable = "PAPILIO_NCCL";

std::string loader_error() {
  const char* const error = dlerror();
  return error != nullptr ? error : "unknown error of the loader";
}

// "2.28.9" for 22809; before 2.9, numbers had one digit less.
std::string version_text(int version) {
  if (version < 10'000) return fmt::format("{}.{}.{}", version / 1000, version / 100 % 10, version % 100);
  return fmt::format("{}.{}.{}", version / 10'000, version / 100 % 100, version % 100);
}

NcclSearch search() {
  NcclSearch found;
  const char* const value = std::getenv(variable);
  const std::string_view wanted = value != nullptr ? value : "";
  if (wanted == "off") {
    found.absence = "PAPILIO_NCCL is off";
    return found;
  }
  found.is_wanted = !wanted.empty();
  void* const library = dlopen(found.is_wanted ? value : "libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    found.absence = loader_error();
    return found;
  }
  Nccl functions;
  const auto load = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr && found.absence.empty()) found.absence = loader_error();
  };
  load(functions.get_version, "ncclGetVersion");
  load(functions.get_unique_id, "ncclGetUniqueId");
  load(functions.comm_init_rank, "ncclCommInitRank");
  load(functions.comm_destroy, "ncclCommDestroy");
  load(functions.comm_abort, "ncclCommAbort");
  load(functions.comm_get_async_error, "ncclCommGetAsyncError");
  load(functions.all_reduce, "ncclAllReduce");
  load(functions.get_error_string, "ncclGetErrorString");
  int version = 0;
  if (found.absence.empty() && functions.get_version(&version) != nccl_success) {
    found.absence = "libnccl.so.2 does not say its version";
  }
  if (!found.absence.empty()) return found;
  found.functions = functions;
  found.name = "NCCL " + version_text(version);
  return found;
}

}  // namespace

const NcclSearch& nccl_search() {
  static const NcclSearch found = search();
  return found;
}

}  // namespace execution

std::string describe_device_sums() {
  const execution::NcclSearch& found = execution::nccl_search();
  return found.name.empty() ? "host memory: " + found.absence : found.name;
}

}  // namespace papilio
