#pragma once

#include <string>
#include <string_view>

// A safetensors file with other hashes, those that fit what it holds, so that more than their comparison is reached;
// nothing where the bytes are too far from such a file.
std::string with_sound_hashes(std::string_view file);

// The same for a corpus file.
std::string with_sound_corpus_hashes(std::string_view file);
