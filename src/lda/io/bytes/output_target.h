#pragma once

#include <string>
#include <string_view>

#include "papilio/output_file.h"

namespace papilio::lda {

// "." for a name alone.
std::string folder_of(std::string_view path);

// Where the links that `path` names lead; `path` itself where that cannot be told.
std::string follow_links(const std::string& path);

// output_target, with the value of errno in place of an exception: 0, or why the path cannot be followed.
int find_target(const std::string& path, OutputTarget& target);

// `path` with `ending` after it. A name that would then be too long for the file system is shortened: its end gives
// way to a hash of the whole name.
std::string path_beside(const std::string& path, std::string_view ending);

// The name before the ending in path_beside(path, an ending of that many bytes), without the folder.
std::string stem_beside(const std::string& path, std::size_t ending_bytes);

}  // namespace papilio::lda
