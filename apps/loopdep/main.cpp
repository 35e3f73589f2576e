// loopdep FILE.c: which loops may run in parallel, why, and the program that does.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <new>
#include <string>
#include <vector>

#include "papilio/error.h"
#include "papilio/loops.h"

namespace {

namespace loops = papilio::loops;

// Exit codes: those of <sysexits.h>, which the command papilio uses too, and those that CI asks for.
enum Status {
  ok = 0,
  racy = 1,
  different = 2,
  not_checked = 3,
  usage = 64,
  bad_data = 65,
  no_input = 66,
  internal = 70,
  no_memory = 71,
  io_error = 74
};

struct Request {
  std::string file, output, emit;
  std::string color = "auto";
  bool json = false;
  bool sarif = false;
  bool html = false;
  bool explain = false;
  bool check = false;
  std::vector<std::string> defines, includes;
  loops::Options options;
  loops::CheckOptions check_options;
};

int complain(const std::string& message, Status status) {
  std::cerr << "loopdep: " << message << "\n";
  return status;
}

std::string text_of(const std::string& file) {
  if (file == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.is_open() || stream.bad() || (stream.fail() && !stream.eof())) {
    throw papilio::IoError(fmt::format("{}: cannot be read", file), errno == 0 ? EIO : errno);
  }
  return text;
}

// Whether to write colours. NO_COLOR is the variable of no-color.org.
bool has_color(const Request& request) {
  if (request.color != "auto") return request.color == "always";
  const char *const none = std::getenv("NO_COLOR"), *const terminal = std::getenv("TERM");
  const bool is_dumb = terminal == nullptr || std::string(terminal) == "dumb";
  return request.output.empty() && isatty(STDOUT_FILENO) == 1 && (none == nullptr || *none == '\0') && !is_dumb;
}

void write(const Request& request, const std::string& text) {
  if (request.output.empty()) {
    std::cout << text << std::flush;
    if (!std::cout) throw papilio::IoError("standard output cannot be written", EIO);
    return;
  }
  std::ofstream stream(request.output, std::ios::binary);
  stream << text << std::flush;
  if (!stream) throw papilio::IoError(fmt::format("{}: cannot be written", request.output), errno);
}

std::string text_of(const loops::Emission& emission) {
  std::string page;
  for (const loops::EmittedLoop& l : emission.loops) {
    page += fmt::format("{}, line {}{}: {}{}\n", l.function, l.position.line,
                        l.variable.empty() ? "" : fmt::format(", loop of {}", l.variable),
                        l.is_changed ? "" : "unchanged: ", l.what);
  }
  return page;
}

std::string text_of(const loops::CheckedFunction& f) {
  switch (f.status) {
    case loops::CheckStatus::same:
      return fmt::format("{}: the same for {} sets of arguments, at 1, 2 and 8 threads{}{}\n", f.function, f.cases,
                         f.is_reordered ? "; floating-point numbers within a bound" : "",
                         f.detail.empty() ? "" : "; " + f.detail);
    case loops::CheckStatus::different:
      return fmt::format("{}: different: {}\n", f.function, f.detail);
    default:
      return fmt::format("not checked: {}: {}\n", f.function, f.detail);
  }
}

int write_program(const Request& request, const std::string& text, const std::string& file) {
  const loops::Emission emission = loops::emit_openmp(text, file, request.options);
  if (!request.emit.empty()) write(request, emission.text);
  if (request.explain) std::cerr << text_of(emission);
  if (!request.check) return ok;
  const loops::CheckReport report = loops::check_emission(text, emission, file, request.options, request.check_options);
  std::string page;
  Status status = ok;
  for (const loops::CheckedFunction& f : report.functions) {
    page += text_of(f);
    if (f.status == loops::CheckStatus::different) status = different;
    if (f.status == loops::CheckStatus::not_checked && status == ok) status = not_checked;
  }
  if (page.empty()) page = "no loop was changed, so there is nothing to check\n";
  if (request.emit.empty()) {
    write(request, page);
  } else {
    std::cerr << page;
  }
  return status;
}

int run(Request& request) {
  for (const std::string& d : request.defines) request.options.arguments.push_back(fmt::format("-D{}", d));
  for (const std::string& i : request.includes) request.options.arguments.push_back(fmt::format("-I{}", i));
  const std::string file = request.file == "-" ? "stdin" : request.file;
  const bool is_plain = !request.json && !request.sarif && !request.html && !request.explain;
  request.options.matrix = !is_plain;
  if (!request.emit.empty() || request.check) {
    const std::string text = text_of(request.file);
    return write_program(request, text, file);
  }
  const std::string text = request.html || request.file == "-" ? text_of(request.file) : "";
  const loops::Report report = text.empty() && request.file != "-" ? loops::analyze_file(request.file, request.options)
                                                                   : loops::analyze_text(text, file, request.options);
  write(request, request.json    ? to_json(report)
                 : request.sarif ? to_sarif(report, file)
                 : request.html  ? to_html(report, text, file)
                                 : to_text(report, request.explain, has_color(request)));
  for (const loops::Claim& c : report.claims) {
    if (c.status == loops::ClaimStatus::racy) return racy;
  }
  return ok;
}

void add_options(CLI::App& app, Request& request) {
  app.set_version_flag("--version", "loopdep " LOOPDEP_VERSION);
  app.add_option("FILE", request.file, "C file; - for standard input")->required();
  app.add_option("--function", request.options.function, "analyse the loops of this function only");
  auto* const json = app.add_flag("--json", request.json, "write JSON, as docs/loopdep.schema.json says");
  auto* const sarif = app.add_flag("--sarif", request.sarif, "write SARIF 2.1.0, for editors and CI");
  auto* const html = app.add_flag("--html", request.html, "write a page of HTML with the source and arrows");
  app.add_flag("--explain", request.explain, "add direction matrices and legal transformations");
  auto* const emit = app.add_option("--emit", request.emit, "write the file as a program that runs loops in parallel")
                         ->check(CLI::IsMember({"omp"}));
  auto* const check = app.add_flag("--check", request.check,
                                   "compile and run that program, and compare it with FILE at 1, 2 and 8 threads");
  for (auto* const form : {json, sarif, html}) {
    for (auto* const other : {json, sarif, html, emit, check}) {
      if (form != other) form->excludes(other);
    }
  }
  app.add_option("--transform", request.options.transform,
                 "with --emit or --check: a transformation to apply first, wherever it is legal (see --explain)")
      ->check(CLI::IsMember({"interchange", "move_inward", "strip_mine", "tile", "distribute", "privatize"}));
  app.add_option("--tile", request.options.tile, "iterations of a strip, and of each side of a tile")
      ->check(CLI::Range(1, 1 << 30))
      ->capture_default_str();
  app.add_option("--keep", request.check_options.folder, "the folder in which --check keeps its programs")
      ->check(CLI::ExistingDirectory)
      ->needs(check);
  app.add_option("-o,--output", request.output, "write to this file, not to standard output");
  app.add_option("--color", request.color, "colours: auto, always, never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  app.add_option("-D", request.defines, "define a macro: NAME or NAME=VALUE")->allow_extra_args(false);
  app.add_option("-I", request.includes, "look for included files in this folder too")->allow_extra_args(false);
  app.add_option("--clang", request.options.clang, "the clang to run, by name or path")->capture_default_str();
  app.add_option("--compiler", request.check_options.compiler, "the compiler that --check runs")->capture_default_str();
  app.add_option("--seconds", request.options.seconds, "wall-clock seconds that clang may take")->capture_default_str();
  app.add_option("--deadline", request.options.deadline,
                 "processor seconds that clang and the analysis may take together; by default 2 for a hard file, one "
                 "that keeps clang busy for long or has hard questions; no limit for others")
      ->check(CLI::Range(0.1, 3600.0));
  app.footer(
      "Exit status: 0; 1 if a pragma of FILE is racy; 2 if --check finds a difference, 3 if it could not make "
      "arguments\n"
      "for a function; 64 for wrong arguments, 65 for a file that is not C, 66 if it cannot be read, 74 if the output\n"
      "cannot be written.");
}

}  // namespace

int main(int argc, char** argv) {
  Request request;
  if (const char* const path = std::getenv("PATH")) request.check_options.path = path;
#ifdef LOOPDEP_CLANG
  request.options.clang = LOOPDEP_CLANG;
#endif
  CLI::App app("Says for every loop of a C file whether its iterations may run in parallel, and why.", "loopdep");
  add_options(app, request);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    return complain(fmt::format("{}; see loopdep --help", error.what()), usage);
  }
  try {
    return run(request);
  } catch (const papilio::FormatError& error) {
    return complain(error.what(), bad_data);
  } catch (const papilio::InvalidArgument& error) {
    return complain(error.what(), usage);
  } catch (const papilio::IoError& error) {
    return complain(error.what(), error.code == ENOENT || error.code == EACCES ? no_input : io_error);
  } catch (const papilio::Error& error) {
    return complain(error.what(), bad_data);
  } catch (const std::bad_alloc&) {
    return complain("out of memory", no_memory);
  } catch (const std::exception& error) {
    return complain(fmt::format("internal error: {}", error.what()), internal);
  }
}
