#include "lda/io/model/agreed.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "execution/ranks/collectives.h"
#include "lda/io/model/other_format.h"

namespace papilio::lda {
namespace {

// "KIND CODE message"; "" if nothing was thrown.
std::string thrown_by(base::FunctionRef<void()> work) {
  try {
    work();
    return "";
  } catch (const RankError&) {
    throw;
  } catch (const OtherFormat& error) {
    return fmt::format("O 0 {}", error.what());
  } catch (const FormatError& error) {
    return fmt::format("F 0 {}", error.what());
  } catch (const IoError& error) {
    return fmt::format("I {} {}", error.code, error.what());
  } catch (const InvalidArgument& error) {
    return fmt::format("A 0 {}", error.what());
  } catch (const Error& error) {
    return fmt::format("E 0 {}", error.what());
  }
}

[[noreturn]] void throw_like(const std::string& thrown, const std::string& of_rank) {
  int code = 0;
  const char* const end = thrown.data() + thrown.size();
  const char* const message = std::from_chars(thrown.data() + 2, end, code).ptr + 1;
  const std::string what = std::string(message, end) + of_rank;
  switch (thrown.front()) {
    case 'O':
      throw OtherFormat(what);
    case 'F':
      throw FormatError(what);
    case 'I':
      throw IoError(what, code);
    case 'A':
      throw InvalidArgument(what);
    default:
      throw Error(what);
  }
}

// Takes the first line off a text.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(text.size(), end + 1));
  return line;
}

}  // namespace

void agreed(Communicator* ranks, base::FunctionRef<void()> work) {
  if (ranks == nullptr) return work();
  const std::vector<std::string> thrown = execution::gather_texts(*ranks, thrown_by(work));
  for (std::size_t rank = 0; rank < thrown.size(); ++rank) {
    if (!thrown[rank].empty()) throw_like(thrown[rank], fmt::format(" (rank {} of {})", rank, thrown.size()));
  }
}

void require_same_lines(const std::string& lines, Communicator& ranks, std::string_view function) {
  const std::vector<std::string> all = execution::gather_texts(ranks, lines);
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    std::string_view expected = all[0];
    std::string_view found = all[rank];
    while (!expected.empty() || !found.empty()) {
      const std::string_view of_first = next_line(expected);
      const std::string_view of_rank = next_line(found);
      base::require(of_first == of_rank,
                    "papilio::{}: ranks differ: rank {} has \"{}\", rank 0 \"{}\"; expected the same on "
                    "every rank",
                    function, rank, of_rank, of_first);
    }
  }
}

}  // namespace papilio::lda
