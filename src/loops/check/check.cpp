#include "loops/check/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "loops/check/harness.h"
#include "loops/clang/process.h"
#include "loops/source/tokens.h"
#include "papilio/error.h"

namespace papilio::loops {
namespace {

namespace fs = std::filesystem;

// A folder that is removed when this object is, unless it is the caller's.
class Folder {
 public:
  explicit Folder(const std::string& kept) : is_kept_(!kept.empty()) {
    if (is_kept_) {
      path_ = fs::absolute(kept);
      return;
    }
    std::string name = (fs::temp_directory_path() / "loopdep-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw IoError("cannot make a folder " + name, errno);
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    if (!is_kept_) fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }

  void write(const std::string& name, std::string_view text) const {
    std::ofstream out(path_ / name, std::ios::binary);
    out << text;
    if (!out.flush()) throw IoError((path_ / name).string() + " cannot be written", EIO);
  }

 private:
  fs::path path_;
  bool is_kept_;
};

// What a run printed, by case.
std::map<int, std::vector<std::string>> cases_of(const std::string& output) {
  std::map<int, std::vector<std::string>> found;
  std::istringstream lines(output);
  int at = -1;
  std::vector<std::string> part;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("case ")) {
      at = std::atoi(line.c_str() + 5);
      part.clear();
    } else if (line == "end") {
      found[at] = std::move(part);
      part = {};
    } else {
      part.push_back(line);
    }
  }
  return found;
}

// The functions in which a loop is changed, and those that call them, found by the names
// in the text. The value is true if this changes the order of floating-point operations.
std::map<std::string, bool> concerned(std::string_view text, const Emission& emission, const Signatures& signatures) {
  std::map<std::string, bool> found;
  for (const EmittedLoop& l : emission.loops) {
    if (l.is_changed) found[l.function] |= l.is_reordered;
  }
  const Source source(text);
  std::map<std::string, std::set<std::string>> words;  // of each function
  int depth = 0;
  std::string function, last_word, before;
  for (int t = 0; source.kind(t) != Token::Kind::end; ++t) {
    const std::string word(source.text_of(t));
    if (depth == 0 && word == "(" && t > 0) before = std::string(source.text_of(t - 1));
    if (word == "(" || word == "{" || word == "[") {
      if (word == "{" && depth == 0) function = before;
      ++depth;
    }
    if (word == ")" || word == "}" || word == "]") --depth;
    if (source.kind(t) == Token::Kind::word && depth > 0) words[function].insert(word);
  }
  for (bool grows = true; grows;) {
    grows = false;
    for (const Signature& s : signatures.functions) {
      for (const auto& [name, is_reordered] : std::map(found)) {
        if (name == s.name || !words[s.name].contains(name)) continue;
        const auto [at, is_new] = found.try_emplace(s.name, is_reordered);
        grows = grows || is_new || (is_reordered && !at->second);
        at->second = at->second || is_reordered;
      }
    }
  }
  return found;
}

constexpr double bound_of_double = 1e-9, bound_of_float = 1e-3;
constexpr double slack_alone = 2;    // a case that took too long gets this many times the limit, alone
constexpr double least_waits = 100;  // per second of processor time, for a program that keeps starting threads

class Checker {
 public:
  Checker(const Signatures& signatures, const Options& options, const CheckOptions& check, const std::string& file)
      : signatures_(signatures), options_(options), check_(check), folder_(check.folder) {
    std::error_code ignored;
    const fs::path parent = fs::path(file).parent_path();
    include_ = fs::absolute(parent.empty() ? fs::path(".") : parent, ignored).string();
  }

  // Builds the three programs. Returns what the compiler says if it rejects one, else nothing.
  std::string build(std::string_view text, const Emission& emission) {
    folder_.write("original.c", text);
    folder_.write("emitted.c", emission.text);
    folder_.write("original_harness.c", harness(signatures_, "original.c"));
    folder_.write("emitted_harness.c", harness(signatures_, "emitted.c"));
    for (const auto& [source, program, more] :
         {std::tuple("original", "sanitized", sanitize_),
          std::tuple("original", "original", std::vector<std::string>{}),
          // Variables without a value get the same one as in the sanitized program.
          std::tuple("emitted", "emitted", std::vector<std::string>{"-fopenmp", "-ftrivial-auto-var-init=pattern"})})
      if (std::string error = compile(source, program, more); !error.empty()) return error;
    return "";
  }

  CheckedFunction compare(std::size_t number, bool is_reordered) {
    const Signature& s = signatures_.functions[number];
    CheckedFunction f{s.name, CheckStatus::not_checked, "", 0, is_reordered};
    if (!s.fault.empty()) return f.detail = s.fault, f;
    std::string why;
    std::map<int, std::vector<std::string>> sound;
    const std::set<int> valid = valid_cases(number, sound, why);
    auto wanted = run("original", number, valid, 1);
    // In the sanitized program, variables without a value have another one than here.
    const auto uses_no_value = [&](const auto& one) { return one.second != sound[one.first]; };
    if (std::erase_if(wanted, uses_no_value) > 0 && why.empty()) why = "it uses a variable that has no value";
    for (const int k : valid) f.cases += wanted.contains(k) ? 1 : 0;
    if (f.cases == 0) {
      f.detail = "found no arguments with which it runs without a fault: " + why;
      return f;
    }
    return compare_with(wanted, f, number);
  }

 private:
  // The same, for the arguments for which it is known what the original does.
  CheckedFunction compare_with(std::map<int, std::vector<std::string>> wanted, CheckedFunction f, std::size_t number) {
    const bool is_reordered = f.is_reordered;
    const auto differs = [&](int at, int threads, const std::string& difference) {
      if (has_hidden_fault(number, at)) {  // then nothing is expected
        wanted.erase(at);
        if (--f.cases > 0) return compare_with(wanted, f, number);
        f.status = CheckStatus::not_checked;
        f.detail = "found no arguments with which it runs without a fault: it reads outside of its arrays";
        return f;
      }
      f.status = CheckStatus::different;
      f.detail = fmt::format("case {}, {} threads: {}", at, threads, difference);
      return f;
    };
    f.status = CheckStatus::same;
    for (const int threads : {1, 2, 8}) {
      std::set<int> compared;
      for (const auto& [k, lines] : wanted) compared.insert(k);
      const auto found = run("emitted", number, compared, threads);
      const bool was_stopped = is_stopped_;
      std::set<int> late;
      for (const auto& [k, lines] : wanted) {
        const auto at = found.find(k);
        if (at == found.end() && was_stopped && threads > 1) {  // it ended with one thread: threads cost time
          late.insert(k);
          continue;
        }
        const std::string difference = at == found.end() ? not_ended() : difference_of(lines, at->second, is_reordered);
        if (!difference.empty()) return differs(k, threads, difference);
      }
      for (const int k : std::set(late)) {  // again, each one alone
        const auto alone = run("emitted", number, {k}, threads, slack_alone);
        const bool has_ended = alone.contains(k);
        if (!has_ended && is_stopped_ && !hangs(last_)) continue;
        late.erase(k);
        const std::string difference =
            has_ended ? difference_of(wanted[k], alone.at(k), is_reordered) : not_ended_alone();
        if (!difference.empty()) return differs(k, threads, difference);
      }
      if (late.size() == wanted.size()) return differs(*late.begin(), threads, not_ended());
      for (const int k : late) wanted.erase(k);
    }
    if (const int late = f.cases - static_cast<int>(wanted.size()); late > 0)
      f.detail = fmt::format("{} left out, because it does not end in time", late);
    f.cases = static_cast<int>(wanted.size());
    return f;
  }

  std::string compile(const std::string& source, const std::string& program, const std::vector<std::string>& more) {
    std::vector<std::string> command = {check_.compiler,     "-std=gnu17",        "-O1", "-w", "-fno-strict-aliasing",
                                        "-ffp-contract=off", "-iquote" + include_};
    command.insert(command.end(), options_.arguments.begin(), options_.arguments.end());
    command.insert(command.end(), more.begin(), more.end());
    command.insert(command.end(), {fmt::format("{}_harness.c", source), "-o", program, "-lm"});
    ProcessLimits limits = limits_of(60, 0);
    limits.seconds = 240, limits.cpu_seconds = 60;  // `seconds` is for the programs
    limits.environment = {fmt::format("PATH={}", check_.path), "LC_ALL=C"};
    const ProcessResult result = run_process(command, "", limits);
    return result.status == 0
               ? ""
               : fmt::format("the {} program does not compile: {}", source, first_error(result.messages));
  }

  // Whether the original has a fault that its optimised programs do not
  // show, because the compiler drops reads whose values nobody needs.
  bool has_hidden_fault(std::size_t function, int at) {
    std::vector<std::string> more = sanitize_;
    more.emplace_back("-O0");
    is_plain_built_ = is_plain_built_ || compile("original", "plain", more).empty();
    if (!is_plain_built_) return false;
    std::string messages;
    output_of("plain", function, at, at, 1, messages);
    return messages.find("ERROR: AddressSanitizer: ") != std::string::npos ||
           messages.find("runtime error: ") != std::string::npos;
  }

  static bool waits_for_ever(const ProcessResult& r) { return r.cpu_seconds < 0.01 * r.seconds; }

  // Whether a program that a time limit stopped would never have ended. One that its threads only slow down keeps
  // waiting for them.
  static bool hangs(const ProcessResult& r) {
    return waits_for_ever(r) || static_cast<double>(r.waits) < least_waits * r.cpu_seconds;
  }

  std::string not_ended_alone() const {
    if (!is_stopped_) return not_ended();
    return waits_for_ever(last_) ? "it waits for ever" : "it does not end";
  }

  std::string not_ended() const { return is_stopped_ ? "it does not end in time" : "it ends with an error"; }

  ProcessLimits limits_of(double seconds, std::size_t memory) const {
    ProcessLimits limits;
    limits.seconds = std::min(seconds, check_.seconds) * 4;  // clock time
    limits.cpu_seconds = std::ceil(std::min(seconds, check_.seconds));
    limits.memory_bytes = memory;
    limits.output_bytes = 64u << 20;
    limits.processes = 8192;
    limits.folder = folder_.path().string();
    return limits;
  }

  static std::string first_error(const std::string& messages) {
    const std::size_t at = messages.find("error");
    const std::size_t begin = at == std::string::npos ? 0 : messages.rfind('\n', at) + 1;
    return messages.substr(begin, std::min<std::size_t>(messages.find('\n', begin) - begin, 300));
  }

  std::map<int, std::vector<std::string>> run(const std::string& program, std::size_t function,
                                              const std::set<int>& cases, int threads, double slack = 1) {
    std::map<int, std::vector<std::string>> all;
    is_stopped_ = false;
    for (auto k = cases.begin(); k != cases.end();) {  // runs of neighbouring cases
      auto last = k;
      while (std::next(last) != cases.end() && *std::next(last) == *last + 1) ++last;
      const auto some = cases_of(output_of(program, function, *k, *last, threads, all_messages_, slack));
      all.insert(some.begin(), some.end());
      k = std::next(last);
    }
    return all;
  }

  std::string output_of(const std::string& program, std::size_t function, int first, int last, int threads,
                        std::string& messages, double slack = 1) {
    const bool is_sanitized = program == "sanitized" || program == "plain";
    ProcessLimits limits = limits_of(is_sanitized ? 3 : 10, is_sanitized ? 0 : std::size_t{4096} << 20);
    limits.may_be_killed = true;
    limits.seconds *= slack;
    limits.cpu_seconds = std::ceil(limits.cpu_seconds * slack);
    limits.environment = {"LC_ALL=C", "OMP_WAIT_POLICY=passive"};  // waiting must not use processor time
    const std::string path = (folder_.path() / program).string();
    try {
      const ProcessResult result = run_process(
          {path, std::to_string(function), std::to_string(first), std::to_string(last), std::to_string(threads)}, "",
          limits);
      last_ = result;
      is_stopped_ = is_stopped_ || result.status == 128 + SIGXCPU || result.status == 128 + SIGKILL;
      messages = result.messages.empty() && result.status > 128
                     ? fmt::format("it is ended by signal {}", result.status - 128)
                     : result.messages;
      return result.output;
    } catch (const IoError&) {
      throw;
    } catch (const Error& error) {  // a limit; what the program printed before is lost
      messages = error.what();
      return "";
    }
  }

  // Finds the cases that the original runs through without a fault that a sanitizer sees.
  std::set<int> valid_cases(std::size_t function, std::map<int, std::vector<std::string>>& sound, std::string& why) {
    std::set<int> valid;
    for (int first = 0; first < harness_cases;) {
      std::string messages;
      const auto found = cases_of(output_of("sanitized", function, first, harness_cases - 1, 1, messages));
      for (const auto& [k, lines] : found) valid.insert(k);
      sound.insert(found.begin(), found.end());
      const int failed = found.empty() ? first : found.rbegin()->first + 1;
      if (failed < harness_cases && why.empty()) why = fault_of(messages);
      first = failed + 1;
    }
    return valid;
  }

  static std::string fault_of(const std::string& messages) {
    for (const char* const mark : {"runtime error: ", "ERROR: AddressSanitizer: "}) {
      const std::size_t at = messages.find(mark);
      if (at != std::string::npos) return messages.substr(at, messages.find('\n', at) - at);
    }
    return messages.substr(0, messages.find('\n'));
  }

  static std::string difference_of(const std::vector<std::string>& wanted, const std::vector<std::string>& found,
                                   bool is_reordered) {
    std::map<std::string, std::string> a, b;
    for (const auto& [lines, to] : {std::pair(&wanted, &a), std::pair(&found, &b)}) {
      for (const std::string& line : *lines) {
        const std::size_t at = line.find(" = ");
        if (at != std::string::npos) (*to)[line.substr(0, at)] = line.substr(at + 3);
      }
    }
    for (const auto& [name, value] : a) {
      const auto other = b.find(name);
      if (other == b.end()) return fmt::format("{} is {}, and is not changed by the emitted program", name, value);
      if (value != other->second && !(is_reordered && is_close(value, other->second))) {
        return fmt::format("{} is {}, and {} from the emitted program", name, value, other->second);
      }
    }
    for (const auto& [name, value] : b) {
      if (!a.contains(name)) return fmt::format("{} is {} from the emitted program, and not changed", name, value);
    }
    return "";
  }

  static bool is_close(const std::string& a, const std::string& b) {
    if (a.find_first_of("pni") == std::string::npos) return false;  // no floating-point numbers
    const long double x = std::strtold(a.c_str(), nullptr), y = std::strtold(b.c_str(), nullptr);
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
    // A number that fits into the 24 bits of a float is taken for a float.
    const bool is_float = x == static_cast<float>(x) && y == static_cast<float>(y);
    const long double bound = is_float ? bound_of_float : bound_of_double;
    return std::fabs(x - y) <= bound * std::max<long double>(1, std::fabs(x));
  }

  const std::vector<std::string> sanitize_ = {"-fsanitize=address,undefined", "-fno-sanitize-recover=all",
                                              "-ftrivial-auto-var-init=pattern"};
  const Signatures& signatures_;
  const Options& options_;
  const CheckOptions& check_;
  std::string include_;
  Folder folder_;
  std::string all_messages_;
  ProcessResult last_;
  bool is_plain_built_ = false;
  bool is_stopped_ = false;  // whether a time limit stopped a program of the last run
};

}  // namespace

CheckReport compare_programs(std::string_view text, const Emission& emission, const std::string& file,
                             const Signatures& signatures, const Options& options, const CheckOptions& check) {
  CheckReport report;
  const auto functions = concerned(text, emission, signatures);
  if (functions.empty()) return report;
  Checker checker(signatures, options, check, file);
  const std::string refused = checker.build(text, emission);
  for (std::size_t f = 0; f < signatures.functions.size(); ++f) {
    const auto found = functions.find(signatures.functions[f].name);
    if (found == functions.end()) continue;
    if (!refused.empty()) {
      report.functions.push_back({found->first, CheckStatus::different, refused, 0, found->second});
      if (refused.starts_with("the original")) report.functions.back().status = CheckStatus::not_checked;
    } else {
      report.functions.push_back(checker.compare(f, found->second));
    }
  }
  return report;
}

}  // namespace papilio::loops
