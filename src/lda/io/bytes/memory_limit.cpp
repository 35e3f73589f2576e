#include "lda/io/bytes/memory_limit.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <limits>

namespace papilio::lda {
namespace {

constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The number at the beginning of a file; no_limit for "max", for a missing file, and for numbers out of range.
std::int64_t limit_in(const std::string& path) {
  const std::string text = text_of(path);
  std::int64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  return error == std::errc() && bytes > 0 ? bytes : no_limit;
}

// The least limit of a group and the groups that contain it, in files called `names` below `root`. Inside a container
// the path of the group may be the host's, whose files are not there; those of the root are.
std::int64_t least_limit(const std::string& root, std::string group, std::initializer_list<const char*> names) {
  std::int64_t least = no_limit;
  for (;;) {
    for (const char* name : names) least = std::min(least, limit_in(fmt::format("{}{}/{}", root, group, name)));
    const std::size_t slash = group.rfind('/');
    if (slash == std::string::npos) return least;
    group.resize(slash);
  }
}

std::int64_t machine_memory() {
  const std::int64_t all =
      std::max(std::int64_t{::sysconf(_SC_PHYS_PAGES)}, std::int64_t{1}) * ::sysconf(_SC_PAGE_SIZE);
  return std::min(all, control_group_limit("/proc/self/cgroup", "/sys/fs/cgroup"));
}

}  // namespace

std::int64_t control_group_limit(const std::string& groups, const std::string& root) {
  std::int64_t least = no_limit;
  std::string_view rest;
  const std::string text = text_of(groups);
  for (rest = text; !rest.empty();) {  // lines "number:controllers:path"; version 2 has no controllers
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = fmt::format(",{},", line.substr(first + 1, second - first - 1));
    std::string path(line.substr(second + 1));
    if (path == "/") path.clear();
    if (controllers == ",,") {
      // Above memory.high the system slows a group instead of ending it. Next to version 1, version 2 is in "unified".
      for (const std::string& folder : {root, root + "/unified"}) {
        least = std::min(least, least_limit(folder, path, {"memory.max", "memory.high"}));
      }
    } else if (controllers.find(",memory,") != controllers.npos) {
      least = std::min(least, least_limit(root + "/memory", path, {"memory.limit_in_bytes"}));
    }
  }
  return least;
}

MemoryLimit::MemoryLimit(std::int64_t max_memory) : bytes_(max_memory > 0 ? max_memory : machine_memory() / 2) {}

void MemoryLimit::refuse(const Origin& at, std::int64_t line, std::int64_t tokens, std::int64_t documents) const {
  refuse(at, line, fmt::format("the corpus up to here ({} tokens, {} documents)", tokens, documents));
}

void MemoryLimit::refuse(const Origin& at, std::int64_t line, std::string_view what) const {
  at.format_error(line, 0,
                  fmt::format("{} needs more than {} bytes of memory, the limit for reading; raise it with max_memory "
                              "(--max-memory; by default half of the machine's memory or of the container's)",
                              what, bytes_));
}

}  // namespace papilio::lda
