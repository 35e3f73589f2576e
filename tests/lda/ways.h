#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "papilio/lda.h"

namespace papilio::testing {

struct Way {
  Sampler sampler;
  Schedule schedule;

  friend std::ostream& operator<<(std::ostream& out, const Way& way) {
    return out << name(way.sampler) << ", " << name(way.schedule);
  }
};

// Every sampler, under both schedules where they differ.
inline std::vector<Way> all_ways() {
  std::vector<Way> ways;
  for (const SamplerChoice& sampler : samplers()) {
    ways.push_back({sampler.value, Schedule::parallel});
    if (sampler.phi == Parameter::integrated_out) ways.push_back({sampler.value, Schedule::sequential});
  }
  return ways;
}

// Prints in test names.
inline std::string name_of(const ::testing::TestParamInfo<Way>& way) {
  return std::string(name(way.param.sampler)) + "_" + std::string(name(way.param.schedule));
}

}  // namespace papilio::testing
