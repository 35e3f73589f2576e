#include "lda/io/model/checkpoint_parts.h"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <new>
#include <string_view>
#include <system_error>

#include "lda/io/bytes/origin.h"
#include "lda/io/bytes/output_target.h"
#include "lda/io/bytes/part_names.h"

namespace papilio::lda {
namespace {

Metadata metadata_of(const PartsOfCheckpoint& parts, std::int64_t rank) {
  const auto r = static_cast<std::size_t>(rank);
  return {{"format", "papilio-checkpoint-part"},
          {"identity", parts.identity},
          {"sweep", std::to_string(parts.sweep)},
          {"first_token", std::to_string(parts.first_tokens[r])},
          {"end_token", std::to_string(parts.first_tokens[r + 1])}};
}

std::vector<std::int32_t> read_part(const PartsOfCheckpoint& parts, std::int64_t rank) {
  SafetensorsFile file(parts.path_of(rank), "load_checkpoint");
  for (const auto& [key, value] : metadata_of(parts, rank)) {
    if (file.metadata(key) != value) {
      file.fail(fmt::format("{} is {}, expected {}: the part of another checkpoint", key,
                            lda::quoted(file.metadata(key)), value));
    }
  }
  file.require_tensors({"z"});
  const auto r = static_cast<std::size_t>(rank);
  return file.read_small_numbers("z", parts.first_tokens[r + 1] - parts.first_tokens[r], parts.topics);
}

// The sweep in a part's file name, which begins with its checkpoint's name; -1 for other names.
std::int64_t sweep_of(std::string_view name, std::string_view checkpoint) {
  if (!name.starts_with(checkpoint)) return -1;
  name.remove_prefix(checkpoint.size());
  if (!name.starts_with(sweep_of_part)) return -1;
  name.remove_prefix(sweep_of_part.size());
  std::int64_t sweep = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), sweep);
  const std::string_view rest(end, static_cast<std::size_t>(name.data() + name.size() - end));
  return error == std::errc() && rest.starts_with(rank_of_part) ? sweep : -1;
}

}  // namespace

std::string PartsOfCheckpoint::path_of(std::int64_t rank) const {
  return fmt::format("{}{}{}{}{}{}{}", follow_links(checkpoint), sweep_of_part, sweep, rank_of_part, rank,
                     ranks_of_part, ranks());
}

void write_part(const PartsOfCheckpoint& parts, int rank, const TensorView& z) {
  write_safetensors(parts.path_of(rank), metadata_of(parts, rank), {z}, "save_checkpoint");
}

std::vector<std::int32_t> read_parts(const PartsOfCheckpoint& parts, std::int64_t first, std::int64_t end) {
  std::vector<std::int32_t> z;
  z.reserve(static_cast<std::size_t>(end - first));
  for (std::int64_t rank = 0; rank < parts.ranks(); ++rank) {
    const std::int64_t part_first = parts.first_tokens[static_cast<std::size_t>(rank)];
    const std::int64_t begin = std::max(first, part_first);
    const std::int64_t behind = std::min(end, parts.first_tokens[static_cast<std::size_t>(rank) + 1]);
    if (begin >= behind) continue;
    const std::vector<std::int32_t> of_rank = read_part(parts, rank);
    z.insert(z.end(), of_rank.begin() + (begin - part_first), of_rank.begin() + (behind - part_first));
  }
  return z;
}

void remove_parts(const std::string& checkpoint, const std::set<std::int64_t>& kept_sweeps) noexcept {
  try {
    const std::string path = follow_links(checkpoint);
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "./" : path.substr(0, slash + 1);
    const std::string_view own_name = std::string_view(path).substr(slash == std::string::npos ? 0 : slash + 1);
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(folder.c_str()), ::closedir);
    if (!entries) return;
    std::vector<std::string> old;
    while (const dirent* const entry = ::readdir(entries.get())) {
      const std::int64_t sweep = sweep_of(entry->d_name, own_name);
      if (sweep >= 0 && kept_sweeps.count(sweep) == 0) old.push_back(folder + entry->d_name);
    }
    for (const std::string& part : old) ::unlink(part.c_str());
  } catch (const std::bad_alloc&) {
    return;
  }
}

}  // namespace papilio::lda
