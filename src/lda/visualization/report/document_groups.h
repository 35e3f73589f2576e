#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace papilio::lda {

// The groups that documents fall into.
struct DocumentGroups {
  bool are_dates = false;              // successive periods: days, months, years, decades or centuries
  std::vector<std::string> names;      // "sci.space"; "2019-03", "1980s"
  std::vector<std::int32_t> group_of;  // D, or -1
  std::int64_t documents_of_rest = 0;  // of groups beyond the largest, which have the last name, "(others)"
};

// At most 60 periods of the finest kind where all labels are dates, and otherwise the 40 labels with the most
// documents, sorted by name. A date is YYYY, YYYY-MM or YYYY-MM-DD, at the end of the label or before "T" or a blank.
DocumentGroups group_documents(std::span<const std::string> labels);

}  // namespace papilio::lda
