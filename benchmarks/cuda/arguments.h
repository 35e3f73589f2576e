#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

// The options that the benchmarks of a GPU have in common.
struct Arguments {
  std::string cases;  // names between commas: all of them unless --cases names some
  bool takes_docword = false, takes_bins = false;
  std::string json = {}, docword = {};
  std::int64_t bins = 0;  // one number of bins only; 0: all
  double limit = 1e9;
  bool quick = false;

  bool wants(const std::string& which) const {
    return ("," + cases + ",").find("," + which + ",") != std::string::npos;
  }

  // Whether all arguments are known, each with its value.
  bool parse(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      const std::string name = argv[i];
      if (name == "--quick") {
        quick = true;
        continue;
      }
      if (i + 1 == argc) return false;
      const char* value = argv[++i];
      if (name == "--json")
        json = value;
      else if (name == "--docword" && takes_docword)
        docword = value;
      else if (name == "--bins" && takes_bins)
        bins = std::atoll(value);
      else if (name == "--cases")
        cases = value;
      else if (name == "--limit")
        limit = std::atof(value);
      else
        return false;
    }
    return true;
  }
};
