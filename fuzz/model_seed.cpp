#include "papilio/model.h"

// Writes a small model, from which the fuzzer of load_model starts.
int main(int argc, char** argv) {
  if (argc != 2) return 64;
  papilio::Model model;
  model.topics = 2;
  model.vocabulary = {"cats", "dogs", "caf\u00e9"};
  model.alpha = {0.1, 0.2};
  model.beta = 0.01;
  model.n_wk = {3, 0, 0, 2, 1, 1};
  model.n_k = {4, 3};
  model.settings = {{"seed", "0"}};
  papilio::save_model(model, argv[1]);
}
