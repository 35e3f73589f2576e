#include <string>

#include "checkpoint_case.h"

// checkpoint_seed CASE PATH: writes a small checkpoint, from which the fuzzer of load_checkpoint starts; with priors of
// their own where the case has few topics.
int main(int argc, char** argv) {
  if (argc != 3) return 64;
  const auto choice = static_cast<std::uint8_t>(std::stoi(argv[1]));
  papilio::ChainState topics = checkpoint_topics(choice);
  if (choice == 0) topics.alpha = {0.5, 0.25};
  if (choice == 0) topics.beta = 0.125;
  papilio::save_checkpoint(topics, checkpoint_corpus(), checkpoint_options(choice), argv[2]);
}
