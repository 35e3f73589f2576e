#pragma once

#include <cstdint>
#include <vector>

namespace papilio::lda {

// A topic for each token, uniform over K topics: that of token i comes from random block i.
std::vector<std::int32_t> initial_topics(std::int64_t tokens, std::int32_t topics, std::uint64_t seed, int threads);

}  // namespace papilio::lda
