#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace papilio::lda {

// The groups that documents fall into.
struct DocumentGroups {
  bool are_dates = false;              // consecutive periods: days, months, years, decades or centuries
  std::vector<std::string> names;      // "sci.space"; "2019-03", "1980s"
  std::vector<std::int32_t> group_of;  // D, or -1
  std::int64_t documents_of_rest = 0;  // in groups beyond the largest; these have the last name, "(others)"
};

// If all labels are dates, at most 60 periods of the finest kind; otherwise the 40 labels with the most documents,
// sorted by name. A date is YYYY, YYYY-MM or YYYY-MM-DD, at the end of the label or before "T" or a blank.
DocumentGroups group_documents(std::span<const std::string> labels);

}  // namespace papilio::lda
