// faulty FAULT < FILE.c: the report of an analysis with a planted fault, as JSON. FAULT is a number of loops::Fault; 0
// plants none.

#include <cstdlib>
#include <iostream>
#include <iterator>
#include <string>

#include "loops/analyze.h"

int main(int argc, char** argv) {
  const auto fault = static_cast<papilio::loops::Fault>(argc > 1 ? std::atoi(argv[1]) : 0);
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  papilio::loops::Options options;
  options.matrix = false;
  options.seconds = 120;
  std::cout << papilio::loops::to_json(papilio::loops::analyze_with(text, "stdin", options, fault));
}
