// loopdep FILE.c: which loops may run in parallel, and why.

#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>
#include <new>
#include <string>
#include <vector>

#include "papilio/error.h"
#include "papilio/loops.h"

namespace {

// After <sysexits.h>, as the command papilio has them.
enum Status { ok = 0, usage = 64, bad_data = 65, no_input = 66, internal = 70, no_memory = 71, io_error = 74 };

struct Request {
  std::string file;
  bool json = false;
  bool explain = false;
  std::string emit;
  std::vector<std::string> defines, includes;
  papilio::loops::Options options;
};

int complain(const std::string& message, Status status) {
  std::cerr << "loopdep: " << message << "\n";
  return status;
}

papilio::loops::Report analyze(const Request& request) {
  if (request.file != "-") return papilio::loops::analyze_file(request.file, request.options);
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  return papilio::loops::analyze_text(text, "stdin", request.options);
}

int run(Request& request) {
  for (const std::string& d : request.defines) request.options.arguments.push_back("-D" + d);
  for (const std::string& i : request.includes) request.options.arguments.push_back("-I" + i);
  request.options.matrix = request.json || request.explain;
  const papilio::loops::Report report = analyze(request);
  std::cout << (request.json ? to_json(report) : to_text(report, request.explain)) << std::flush;
  return std::cout ? ok : complain("standard output cannot be written", io_error);
}

}  // namespace

int main(int argc, char** argv) {
  Request request;
#ifdef LOOPDEP_CLANG
  request.options.clang = LOOPDEP_CLANG;
#endif
  CLI::App app("Says for every loop of a C file whether its iterations may run in parallel, and why.", "loopdep");
  app.set_version_flag("--version", "loopdep " LOOPDEP_VERSION);
  app.add_option("FILE", request.file, "C file; - for standard input")->required();
  app.add_option("--function", request.options.function, "judge the loops of this function only");
  app.add_flag("--json", request.json, "write JSON");
  app.add_flag("--explain", request.explain, "add direction matrices and legal transformations");
  app.add_option("-D", request.defines, "define a macro: NAME or NAME=VALUE")->allow_extra_args(false);
  app.add_option("-I", request.includes, "look for included files in this folder too")->allow_extra_args(false);
  app.add_option("--clang", request.options.clang, "the clang to run, by name or path")->capture_default_str();
  app.add_option("--seconds", request.options.seconds, "how long clang may take")->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    return complain(std::string(error.what()) + "; see loopdep --help", usage);
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
    return complain(std::string("internal error: ") + error.what(), internal);
  }
}
