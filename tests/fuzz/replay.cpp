// fuzz_replay TARGET FOLDER: runs a fuzz target on each file of the folder, in the order of their names. A target that
// finds a fault ends the process; the last name printed is then the input's.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "targets.h"

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<char> read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
  if (!file.is_open() || bytes.size() != fs::file_size(path)) throw fs::filesystem_error("cannot read", path, {});
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: fuzz_replay TARGET FOLDER\n", stderr);
    return 64;
  }
  const auto all = targets();
  const auto target = std::find_if(all.begin(), all.end(), [&](const Target& t) { return t.name == argv[1]; });
  if (target == all.end()) {
    std::fprintf(stderr, "fuzz_replay: there is no target %s\n", argv[1]);
    return 64;
  }
  const std::vector<fs::path> files = files_of(argv[2]);
  for (const fs::path& path : files) {
    std::puts(path.filename().c_str());
    std::fflush(stdout);
    const std::vector<char> bytes = read(path);
    target->run(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  std::printf("%zu inputs\n", files.size());
  return files.empty() ? 1 : 0;
}
