#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>

#include "commands/reference/option_values.h"
#include "commands/subcommands.h"
#include "papilio/version.h"
#include "support/arguments.h"
#include "support/output.h"

namespace {

// Escapes text for roff: backslashes and hyphens stand for themselves, and no line begins with a request.
std::string roff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (escaped.empty() || escaped.back() == '\n') {
      if (c == '.' || c == '\'') escaped += "\\&";
    }
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

// Text that may be broken after each bar.
std::string breakable(std::string_view text) {
  std::string broken;
  for (const char c : text) {
    broken += c;
    if (c == '|') broken += "\\:";
  }
  return broken;
}

// A description of several lines; each line but the first is an item of its own.
std::string roff_lines(std::string_view text) {
  std::string lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    while (line.starts_with(' ')) line.remove_prefix(1);
    lines += (begin == 0 ? "" : ".\n.br\n") + roff(line);
    begin = end + 1;
  }
  return lines;
}

void print_option(const CLI::Option* option) {
  std::string names;
  if (is_positional(option)) {
    names = fmt::format("\\fI{}\\fR", roff(option->get_name(true)));
  } else {
    for (const std::string& spelling : spellings(option)) {
      names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(spelling));
    }
    if (!is_flag(option)) names += fmt::format(" \\fI{}\\fR", breakable(roff(value_name(option))));
  }
  print(".TP\n{}\n{}.", names, roff_lines(option->get_description()));
  if (!is_positional(option) && !option->get_default_str().empty() && !is_flag(option)) {
    print(" Default: {}.", roff(option->get_default_str()));
  }
  print("\n");
}

void print_options(const CLI::App& app) {
  for (const CLI::Option* option : options_of(app)) print_option(option);
}

// The rows of a table: what is described, and its description.
struct Entry {
  const char* name;
  const char* text;
};

constexpr Entry examples[] = {
    {"papilio train news.txt -k 50 --stopwords english",
     "trains 50 topics on a file with one document per line, and writes news.papilio.safetensors."},
    {"papilio train news.txt -k 50 --stopwords english --resume", "goes on where an interrupted run stopped."},
    {"papilio topics news.papilio.safetensors --documents 3 --corpus news.txt",
     "prints each topic's words and most typical documents."},
    {"papilio report news.papilio.safetensors news.txt -o news.html", "writes a page to look at in a browser."},
    {"papilio label news.papilio.safetensors 3=\"Politics and law\" 7=Sport -o named.safetensors",
     "gives topics names, in a new model."},
    {"papilio merge news.papilio.safetensors 3,7 12,15 -o merged.safetensors", "makes one topic of each group."},
    {"papilio infer news.papilio.safetensors new.txt -o new.tsv", "finds the topics of new documents."},
    {"zcat news.gz | papilio train - -k 50 -o news.safetensors", "reads standard input."},
};

constexpr Entry known_files[] = {
    {"CORPUS.papilio.safetensors",
     "the model that train writes by default, in the current folder: a safetensors file with hashes of its parts."},
    {"CORPUS.papilio.checkpoint.safetensors", "the state of an unfinished run, which train --resume continues."},
    {"CORPUS.papilio.checkpoint.safetensors.previous",
     "the one before it, which is taken where the newest is damaged."},
    {"CORPUS.papilio-corpus", "a corpus that import wrote, which opens at once."},
    {"NAME.papilio-RANDOM.tmp", "an output until it is complete and renamed."},
    {"NAME.1", "an output whose name NAME was taken by another file during the run."},
    {".papilio-HASH.lock",
     "marks an output in that folder that a run is writing. One that a killed run left does no harm."},
};

constexpr Entry environment[] = {
    {"PAPILIO_DEVICE", "the device where --device is auto, or not given: cpu, cuda or cuda:N."},
    {"PAPILIO_NCCL",
     "the file of NCCL, which adds up counts of several GPUs, where the loader does not find libnccl.so.2; off: sums "
     "go "
     "through host memory."},
    {"PAPILIO_CPU_TARGET",
     "the instruction set of the CPU's kernels: baseline, avx2, avx512 or neon; by default the "
     "best that the machine has. Results are the same bits."},
    {"TMPDIR", "where a chain is saved if neither its checkpoint nor its model can be written; by default /tmp."},
    {"TERM, NO_COLOR", "whether progress is one live line, and whether it has colours."},
};

constexpr Entry exit_status[] = {
    {"0", "done."},
    {"64", "the command line is wrong."},
    {"65", "an input does not match its format, or does not fit the others."},
    {"66", "an input is missing or cannot be read."},
    {"70", "an internal error, or one of a device."},
    {"71", "out of memory or threads."},
    {"73", "an output cannot be created, may not be replaced, or is being written by another process."},
    {"74", "reading or writing failed midway."},
    {"129, 130, 141, 143", "stopped by SIGHUP, SIGINT, a broken pipe, SIGTERM. train has written a checkpoint."},
};

void print_entries(const char* heading, std::span<const Entry> entries) {
  print(".SH {}\n", heading);
  for (const Entry& entry : entries) print(".TP\n\\fB{}\\fR\n{}\n", roff(entry.name), roff(entry.text));
}

ExitCode print_man_page(const CLI::App& app) {
  print(".TH PAPILIO 1 \"\" \"papilio {}\" \"User Commands\"\n.nh\n.ad l\n", papilio::version());
  print(".SH NAME\npapilio \\- topic models; the same seed gives the same bits on every machine\n");
  print(
      ".SH SYNOPSIS\n.B papilio\n.I SUBCOMMAND\n[\\fIOPTION\\fR]...\n.br\n.B papilio\n.I SUBCOMMAND\n"
      "\\fB\\-\\-help\\fR | \\fB\\-\\-help\\-all\\fR\n");
  print(
      ".SH DESCRIPTION\nTrains topic models (latent Dirichlet allocation) on text and on counts of words, shows their "
      "topics, finds those of new documents, and measures how good they are. Options may be written "
      "\\fB\\-\\-name\\fR \\fIVALUE\\fR or \\fB\\-\\-name=\\fR\\fIVALUE\\fR; \\fB\\-\\fR is standard input or "
      "output.\n");
  print(".SH SUBCOMMANDS\n");
  for (const CLI::App* subcommand : subcommands_of(app)) {
    print(".SS papilio {}\n{}.\n", roff(subcommand->get_name()), roff(subcommand->get_description()));
    print_options(*subcommand);
    if (!subcommand->get_footer().empty()) {
      print(".PP\n.nf\n{}\n.fi\n", roff(subcommand->get_footer()));
    }
  }
  print_entries("EXAMPLES", examples);
  print_entries("FILES", known_files);
  print_entries("ENVIRONMENT", environment);
  print_entries("EXIT STATUS", exit_status);
  return ExitCode::ok;
}

}  // namespace

Subcommand add_man(CLI::App& app) {
  CLI::App* man = app.add_subcommand("man", "Print the manual page, for man -l -");
  return {man, [&app](const std::string&) { return print_man_page(app); }};
}
