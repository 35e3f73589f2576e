// Draws one category from each of two rows through the installed library, and
// prints them with a random word from the installed kernel headers.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <papilio/random/philox.h>
#include <papilio/sampling.h>
#include <papilio/version.h>

int main() {
  const std::vector<float> weights = {1, 2, 1, 0, 0, 5};
  std::vector<std::int32_t> drawn(2);
  papilio::sample_categorical(papilio::MatrixWeights<float>{{weights.data(), 2, 3}}, drawn, {.seed = 7});

  const auto block = papilio::random::philox4x32<std::uint32_t>({{0, 0, 0, 0}}, 0, 0);
  std::printf("papilio %s drew %d and %d; Philox of nothing is %08x\n", papilio::version(), drawn[0], drawn[1],
              block.word[0]);

  const bool sound = drawn[0] >= 0 && drawn[0] < 3 && drawn[1] == 2 && block.word[0] == 0x6627e8d5u;
  return sound ? 0 : 1;
}
