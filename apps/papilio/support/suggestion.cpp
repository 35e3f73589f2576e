#include "support/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>
#include <vector>

#include "support/text.h"

namespace {

constexpr std::size_t longest_name = 255;

// How many insertions, deletions, changes and swaps of neighbours turn one word into the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest(std::string_view typed, std::span<const std::string> candidates) {
  if (typed.size() > longest_name) {
    return "";
  }
  const std::size_t most = std::max<std::size_t>(1, typed.size() / 4);
  std::string found;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (const std::string& candidate : candidates) {
    const std::size_t longer = std::max(candidate.size(), typed.size()) - std::min(candidate.size(), typed.size());
    constexpr std::size_t enough_to_mean_it = 5;  // "--out" may be short for "--output"
    const bool begins_alike = typed.size() >= enough_to_mean_it && candidate.starts_with(typed);
    if (candidate == typed || (longer > most && !begins_alike)) {
      continue;
    }
    const std::size_t changes = distance(typed, candidate);
    if (changes < fewest && (changes <= most || begins_alike)) {
      fewest = changes;
      found = candidate;
    }
  }
  return found;
}

std::string did_you_mean(std::string_view typed, std::span<const std::string> candidates) {
  const std::string meant = nearest(typed, candidates);
  return meant.empty() ? "" : fmt::format("; did you mean {}?", printable(meant));
}

std::string did_you_mean_file(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr std::size_t most_files = 10'000;
  std::error_code error;
  const fs::path folder = fs::path(path).parent_path();
  const std::string name = fs::path(path).filename().string();
  if (name.empty() || fs::exists(fs::symlink_status(path, error))) {
    return "";
  }
  std::vector<std::string> names;
  for (fs::directory_iterator file(folder.empty() ? "." : folder, error), end; !error && file != end;
       file.increment(error)) {
    names.push_back(file->path().filename().string());
    if (names.size() == most_files) break;
  }
  std::sort(names.begin(), names.end());
  const std::string meant = nearest(name, names);
  return meant.empty() ? "" : fmt::format("; did you mean {}?", printable((folder / meant).string()));
}
