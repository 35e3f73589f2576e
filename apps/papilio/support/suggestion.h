#pragma once

#include <span>
#include <string>
#include <string_view>

// The candidate that `typed` most likely stands for: the one with the fewest letters to insert, delete, change or swap;
// empty if none is near. Cost: the product of the lengths, for each candidate that is not much longer.
std::string nearest(std::string_view typed, std::span<const std::string> candidates);

// `; did you mean "--topics"?`, or nothing.
std::string did_you_mean(std::string_view typed, std::span<const std::string> candidates);

// The same for a file that does not exist, among the files of its folder.
std::string did_you_mean_file(const std::string& path);
