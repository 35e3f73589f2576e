#pragma once

#include <string>
#include <string_view>

#include "papilio/output_file.h"

namespace papilio::lda {

// The folder of a path; "." for a name alone.
std::string folder_of(std::string_view path);

// Where `path` leads when links are followed; `path` itself if that cannot be determined.
std::string follow_links(const std::string& path);

// output_target, but returns errno instead of throwing: 0, or why the path cannot be followed.
int find_target(const std::string& path, OutputTarget& target);

// `path` followed by `ending`. A name too long for the file
// system is shortened: a hash of the whole name replaces its end.
std::string path_beside(const std::string& path, std::string_view ending);

// The name before the ending in path_beside(path, an ending of `ending_bytes` bytes), without the folder.
std::string stem_beside(const std::string& path, std::size_t ending_bytes);

}  // namespace papilio::lda
