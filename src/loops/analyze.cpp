#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <optional>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "loops/analyze.h"
#include "loops/check/check.h"
#include "loops/claims/claims.h"
#include "loops/clang/process.h"
#include "loops/clang/translate.h"
#include "loops/clang/tree.h"
#include "loops/dependence/deadline.h"
#include "loops/dependence/solver.h"
#include "loops/emit/emit.h"
#include "loops/program/calls.h"
#include "loops/verdict/conditions.h"
#include "loops/verdict/judge.h"
#include "loops/verdict/summaries.h"
#include "papilio/error.h"
#include "papilio/loops.h"

namespace papilio::loops {
namespace {

constexpr std::uintmax_t largest_file = 64u << 20;

void check_options(std::string_view text, const std::string& file, const Options& options) {
  base::require(text.find('\0') == std::string_view::npos, "papilio::loops::analyze_text: text has a zero byte");
  base::require(text.size() <= largest_file, "papilio::loops::analyze_text: text has {} bytes, expected at most {}",
                text.size(), largest_file);
  base::require(file.find('\0') == std::string::npos, "papilio::loops::analyze_text: file has a zero byte");
  base::require(std::isfinite(options.seconds) && options.seconds > 0 && options.seconds <= 3600,
                "papilio::loops::analyze_text: seconds is {}, expected more than 0 and at most 3600", options.seconds);
  base::require(std::isfinite(options.deadline) && options.deadline >= 0 && options.deadline <= 3600,
                "papilio::loops::analyze_text: deadline is {}, expected 0 to 3600", options.deadline);
  base::require(options.operations > 0, "papilio::loops::analyze_text: operations is {}, expected more than 0",
                options.operations);
  const auto kinds = {"", "interchange", "move_inward", "strip_mine", "tile", "distribute", "privatize"};
  base::require(std::find(kinds.begin(), kinds.end(), options.transform) != kinds.end(),
                "papilio::loops::emit_openmp: transform is \"{}\", expected a kind of Transformation",
                options.transform);
  base::require(options.tile >= 1 && options.tile <= (1 << 30),
                "papilio::loops::emit_openmp: tile is {}, expected 1 to 2^30", options.tile);
  base::require(!options.clang.empty(), "papilio::loops::analyze_text: clang is empty, expected a program's name");
  for (const std::string& argument : options.arguments) {
    base::require(argument.find('\0') == std::string::npos,
                  "papilio::loops::analyze_text: an argument has a zero byte");
  }
}

// Throws the first error among clang's messages, with its place.
[[noreturn]] void refuse(const std::string& messages, const std::string& file) {
  const std::size_t at = messages.find(" error: ");
  const std::size_t begin = at == std::string::npos ? 0 : messages.rfind('\n', at) + 1;
  const std::size_t end = std::min(messages.find('\n', begin), messages.size());
  std::string line = messages.substr(begin, end - begin);
  Position place;
  if (line.starts_with("<stdin>:")) {
    line.erase(0, 8);
    place.line = std::atoi(line.c_str());
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos) place.column = std::atoi(line.c_str() + colon + 1);
    line = fmt::format("{}:{}", file, line);
  }
  throw FormatError(line.empty() ? file + ": clang failed" : line, place.line, place.column);
}

}  // namespace

std::string_view name(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::parallel:
      return "parallel";
    case Verdict::parallel_with_clauses:
      return "parallel_with_clauses";
    case Verdict::parallel_if:
      return "parallel_if";
    case Verdict::scan:
      return "scan";
    case Verdict::sequential:
      return "sequential";
    case Verdict::not_proven:
      return "not_proven";
  }
  return "unknown";
}

namespace {

Tree tree_of(std::string_view text, const std::string& file, const Options& options, Deadline& deadline) {
  std::vector<std::string> command = {options.clang, "-x", "c", "-std=gnu17", "-w", "-fno-crash-diagnostics"};
  const std::string folder = std::filesystem::path(file).parent_path().string();
  command.push_back("-iquote" + (folder.empty() ? std::string(".") : folder));
  command.insert(command.end(), options.arguments.begin(), options.arguments.end());
  command.insert(command.end(), {"-Xclang", "-ast-dump=json", "-fsyntax-only", "-"});
  ProcessLimits limits;
  limits.seconds = limits.cpu_seconds = std::max(options.seconds, 4 * options.deadline);
  limits.name = fmt::format("{}: error: {}", file, options.clang);
  limits.advice = "; try a longer --deadline";
  limits.output_bytes = std::numeric_limits<std::size_t>::max();  // none of it is kept
  std::size_t written = 0, reached = 0;                           // bytes of the tree, and of the text
  limits.watch = [&](double seconds) {
    deadline.set_seconds_of_clang(seconds);
    deadline.set_tree(written, reached);
    deadline.check(false);
  };
  Process clang(command, text, limits);
  Tree tree;
  std::optional<FormatError> fault;
  try {
    tree = read_tree(
        [&](std::size_t at) {
          reached = at;
          const std::string_view part = clang.read();
          written += part.size();
          return part;
        },
        "<stdin>");
  } catch (const FormatError& error) {
    fault = error;
  }
  const ProcessResult result = clang.end();
  deadline.set_seconds_of_clang(result.cpu_seconds);
  deadline.set_tree(written, text.size());
  if (result.status != 0) refuse(result.messages, file);  // perhaps this is why it is not a tree
  if (fault) throw *fault;
  return tree;
}

void plant_bad_counters(Accesses& accesses) {
  for (Loop& loop : accesses.loops) {
    for (auto& [v, counter] : loop.counters) {
      counter.last = *Polynomial::sum(counter.first, Polynomial::constant(counter.sign));
    }
  }
}

// As the functions are in the text, without the statements of functions that they call.
std::vector<std::int64_t> statements_per_function(const Program& program) {
  std::vector<std::int64_t> counts;
  for (const Function& function : program.functions) {
    counts.push_back(static_cast<std::int64_t>(size_of(function.body)));
  }
  return counts;
}

// The results of an analysis, for code that writes text from them.
struct Analysis {
  Program program;
  std::vector<Judged> functions;
  Report report;
};

Analysis analysis_of(std::string_view text, const std::string& file, const Options& options, Fault fault) {
  check_options(text, file, options);
  const bool matrix = options.matrix || text.find("pragma") != std::string_view::npos;  // claims need the matrix
  Analysis analysis;
  Deadline deadline(file, options.deadline);
  Program& program = analysis.program =
      translate(tree_of(text, file, options, deadline), [&] { deadline.check(false); });
  const std::vector<std::int64_t> statements = statements_per_function(program);
  expand_calls(program);

  Solver solver(static_cast<unsigned long>(options.operations),
                std::accumulate(statements.begin(), statements.end(), std::int64_t{0}), &deadline);
  Report& report = analysis.report;
  const auto is_wanted = [&](const Function& f) { return options.function.empty() || f.name == options.function; };
  auto left = std::count_if(program.functions.begin(), program.functions.end(), is_wanted);
  const bool found = options.function.empty() || left > 0;
  for (const Function& function : program.functions) {
    if (!is_wanted(function)) continue;
    deadline.begin(fmt::format("{} (line {})", function.name, function.place.line));
    deadline.check(false);
    solver.begin_function(left--, statements[static_cast<std::size_t>(&function - program.functions.data())]);
    const int first = static_cast<int>(report.loops.size());
    Judged& judged = analysis.functions.emplace_back(Judged{&function, find_accesses(program, function), {}});
    if (fault == Fault::bad_counter) plant_bad_counters(judged.accesses);
    for (std::size_t l = 0; l < judged.accesses.loops.size() && !options.transform.empty(); ++l) {
      View view;
      view.root = static_cast<int>(l);
      for (const Access& a : judged.accesses.list) {
        if (std::find(a.loops.begin(), a.loops.end(), view.root) != a.loops.end()) view.accesses.push_back(&a);
      }
      add_overlaps(program, judged.accesses, view, judged.overlaps.emplace_back());
    }
    int next = first;
    for (const Loop& loop : judged.accesses.loops) judged.reports.push_back(loop.is_inlined ? -1 : next++);
    for (LoopReport& loop : judge(program, function, judged.accesses, solver, {matrix, fault})) {
      if (loop.parent >= 0) loop.parent += first;
      for (Transformation& t : loop.transformations) {
        for (int& other : t.loops) other += other >= 0 ? first : 0;
      }
      report.loops.push_back(std::move(loop));
    }
  }
  if (options.matrix) {
    solver.begin_function(1);
    for (const Function& function : program.functions) {
      if (!function.is_called || !is_wanted(function)) continue;
      for (Summary& s : summarize(program, function, solver)) report.summaries.push_back(std::move(s));
    }
  }
  base::require(found, "papilio::loops::analyze_text: there is no function {} in {}", options.function, file);
  report.claims = judge_claims(text, report);
  return analysis;
}

}  // namespace

Report analyze_with(std::string_view text, const std::string& file, const Options& options, Fault fault) {
  return analysis_of(text, file, options, fault).report;
}

std::string_view name(ClaimStatus status) noexcept {
  switch (status) {
    case ClaimStatus::holds:
      return "holds";
    case ClaimStatus::racy:
      return "racy";
    case ClaimStatus::not_proven:
      return "not_proven";
  }
  return "unknown";
}

std::string_view name(CheckStatus status) noexcept {
  switch (status) {
    case CheckStatus::same:
      return "same";
    case CheckStatus::different:
      return "different";
    case CheckStatus::not_checked:
      return "not_checked";
  }
  return "unknown";
}

CheckReport check_emission(std::string_view text, const Emission& emission, const std::string& file,
                           const Options& options, const CheckOptions& check) {
  check_options(text, file, options);
  base::require(std::isfinite(check.seconds) && check.seconds > 0 && check.seconds <= 3600,
                "papilio::loops::check_emission: seconds is {}, expected more than 0 and at most 3600", check.seconds);
  base::require(!check.compiler.empty() && check.compiler.find('\0') == std::string::npos,
                "papilio::loops::check_emission: compiler is empty or has a zero byte, expected a program's name");
  Deadline deadline(file, options.deadline);
  return compare_programs(text, emission, file, read_signatures(tree_of(text, file, options, deadline)), options,
                          check);
}

Emission emit_openmp(std::string_view text, const std::string& file, const Options& options) {
  Options all = options;
  all.matrix = true;  // it is needed to find transformations
  const Analysis analysis = analysis_of(text, file, all, Fault::none);
  return emit(text, analysis.program, analysis.functions, analysis.report, options);
}

Report analyze_text(std::string_view text, const std::string& file, const Options& options) {
  return analyze_with(text, file, options, Fault::none);
}

Report analyze_file(const std::string& path, const Options& options) {
  std::error_code failure;
  const std::uintmax_t size = std::filesystem::file_size(path, failure);
  if (failure) throw IoError(path + ": " + failure.message(), failure.value());
  if (size > largest_file)
    throw IoError(fmt::format("{}: {} bytes, expected at most {}", path, size, largest_file), EFBIG);
  std::string text(static_cast<std::size_t>(size), '\0');
  std::ifstream stream(path, std::ios::binary);
  if (!stream.read(text.data(), static_cast<std::streamsize>(size)) && size > 0) {
    throw IoError(path + ": cannot be read", EIO);
  }
  return analyze_text(text, path, options);
}

}  // namespace papilio::loops
