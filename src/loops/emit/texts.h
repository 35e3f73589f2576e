#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "loops/emit/candidate.h"
#include "loops/source/macros.h"

namespace papilio::loops {

// The text of a file, and texts in other forms from which some of its loops are rewritten.
class Texts {
 public:
  // `file` must outlive it.
  explicit Texts(const Source& file) : file_(file), macros_(file) {}

  // The loop's text without its own steps in statements that do more; `source` itself
  // if there are none, or if one is not found. `loop` is a candidate with that source.
  const Source& without_steps_of(Candidate loop);

  // The file in which macros that stand for elements are written out within the loop; null if there are none.
  const Source* written_out(const Candidate& loop);

 private:
  struct Made {
    explicit Made(std::string made) : text(std::move(made)) {}
    const std::string text;
    std::unique_ptr<Source> source;
  };

  const Source& file_;
  const Macros macros_;
  std::vector<std::unique_ptr<Made>> made_;
};

}  // namespace papilio::loops
