#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Which loops of a C file may run their iterations in parallel, and why. Dependence analysis over integer polyhedra:
// K. Kennedy, J. R. Allen, Optimizing Compilers for Modern Architectures, chapters 2, 3 and 5; P. Feautrier, Dataflow
// analysis of array and scalar references, IJPP 20(1), 1991.
//
// "parallel" is a theorem about the text: no two iterations touch the same memory if one of them writes it. It assumes
// that the program has no undefined behaviour, that 64-bit subscripts do not wrap around, and that functions of
// <math.h> do what the standard says. A loop that the analysis does not understand is not_proven, never parallel.
//
// Needs libisl and the option PAPILIO_LOOPDEP; in the CMake target papilio::loops, not in papilio::papilio.

namespace papilio::loops {

struct Position {
  int line = 0;    // from 1; 0: none
  int column = 0;  // from 1
};

enum class Verdict {
  parallel,               // as it stands
  parallel_with_clauses,  // with `clauses`
  parallel_if,            // if `condition` holds, with `clauses`
  scan,                   // a prefix sum or product of the variable in `clauses`; parallel once that is computed
  sequential,             // `witness` shows two iterations that depend on each other
  not_proven              // `reason` says what was not understood, or what could not be excluded
};

// "parallel", "parallel_with_clauses", ...; "unknown" for a number that is not an enumerator.
std::string_view name(Verdict verdict) noexcept;

// Whether the iterations of such a loop may run in parallel: as they stand, with its clauses, or if its condition
// holds.
constexpr bool is_parallel(Verdict verdict) noexcept {
  return verdict == Verdict::parallel || verdict == Verdict::parallel_with_clauses || verdict == Verdict::parallel_if;
}

// One step that makes a loop parallel:
//   private       each iteration writes the variable (a scalar or an array) before it reads it; not read after the loop
//   firstprivate  the same, but an iteration may read elements that it has not written: values from before the loop
//   lastprivate   the same as private, but the value of the last iteration is read after the loop; a variable that also
//                 has a firstprivate clause is both
//   reduction     of a scalar or an array
//   induction     at the start of iteration t (from 0) the variable is its value before the loop + t * step
//   scan          each iteration continues from the value that the iterations before computed; every variable of a
//                 system of linear recurrences has a clause, whose detail is "linear, 2 x 2", the size of its matrices
//   copy          the reads at `places` take their elements from a copy that is made before the loop
struct Clause {
  std::string kind;
  std::string variable;
  std::string detail;      // the operator of a reduction or scan, the closed form of an induction; else empty
  std::string value = {};  // of an induction: the closed form in C, in which the variable's own name is its
                           // value before the loop
  std::int64_t step = 0;   // of an induction
  bool is_array = false;   // the variable is an array, or a pointer that is used as one
  std::vector<Position> places = {};  // of a copy: the reads; of a scan: the statements that make its contributions
};

// One condition of LoopReport::condition, in a form that a program can test before the loop.
struct Predicate {
  // expression      `expression` holds
  // range           low <= expression <= high; arithmetic of the program does not wrap
  // no_overlap      the memory of arrays[0] and arrays[1] that the loop touches does not overlap
  // increasing      arrays[0][k] <= arrays[0][k + 1] for low <= k < high
  // separated       elements low to high of arrays[0] differ from each other by at least `expression`; 1: are distinct
  std::string kind;
  std::string text;        // as in `condition`
  std::string expression;  // in C, with min(a, b) and max(a, b)
  std::vector<std::string> arrays = {};
  std::string low = {}, high = {};  // in C; empty: not bounded, or not known
  bool is_constant_time = true;     // else testing it takes time O(elements of arrays[0])
};

// The elements of an array that a loop touches in one iteration of the loops around it: for each subscript its least
// and its largest value, in C.
struct Section {
  std::string variable;
  bool is_write = false;
  std::vector<std::string> low, high;
};

// One of the loops that distribution makes, in their order.
struct Piece {
  std::vector<Position> statements;  // of the body, in the order of the text
  std::vector<Verdict> verdicts;     // of each of Transformation::loops
  std::string reason;
  std::vector<Clause> clauses;  // that make the outermost of them parallel, or a scan
};

// Two accesses to one element in two iterations; the source happens first.
struct Witness {
  std::string variable;  // with the element: "a[3]"
  std::string kind;      // flow, anti or output
  Position source, sink;
  std::vector<std::string> source_iteration, sink_iteration;  // "i = 2", outermost loop first
  std::vector<std::string> values;                            // of what the loops do not change: "n = 4"
};

// A dependence between two accesses of a nest: for each of their common loops from the outermost, the direction: '<' to
// a later iteration, '=' within one, '>' to an earlier one.
struct Dependence {
  std::string variable;
  std::string kind;  // flow, anti or output
  Position source, sink;
  std::string directions;
  std::vector<std::optional<std::int64_t>> distances;  // in values of the variables, where they are all the same
  bool is_exact = false;                               // it exists; else it could not be excluded
};

// What may be done with a loop:
//   interchange  with the loop directly in it
//   move_inward  the loop is parallel, so it may be moved into the loops in it
//   strip_mine   into strips of any length; always legal
//   tile         `loops` are permutable: strips of all of them outside, the rest inside; `sections`: what a tile of T
//                iterations of each touches, with ii, jj, ... as the first iterations
//   distribute   into the loops of `pieces`; each of `variables` becomes an array with an element for each iteration
//   privatize    where `condition` holds, with `clauses`, instead of the conditions of the verdict
struct Transformation {
  std::string kind;
  std::string detail;                       // for people
  std::vector<int> loops = {};              // indices in Report::loops, outermost first, this one included
  std::vector<std::string> variables = {};  // that distribution expands
  std::vector<Piece> pieces = {};
  std::vector<Section> sections = {};
  std::vector<Predicate> condition = {};
  std::vector<Clause> clauses = {};
};

// What one call of a function reads and writes of one array: sets of elements in isl's notation, in terms of its
// parameters. After S. Rus, M. Pennings, L. Rauchwerger, Sensitivity analysis for automatic parallelization on
// multi-cores, ICS 2007.
struct Summary {
  std::string function;
  std::string variable;
  std::string read_only, read_write, write_first;  // empty: no element
  bool is_exact = true;                            // else read_only and read_write may be too large
};

struct LoopReport {
  std::string function;
  Position position;
  std::string variable;  // empty: not a counted loop
  int depth = 0;         // 0: outermost
  int parent = -1;       // index in Report::loops
  Verdict verdict = Verdict::not_proven;
  std::string reason;  // one sentence
  std::vector<Clause> clauses;
  std::vector<std::string> condition;  // all must hold
  std::vector<Predicate> predicates;   // the same conditions, cheapest test first
  std::optional<Witness> witness;
  std::vector<Dependence> matrix;  // of the whole nest, with its outermost loop; empty for the others
  std::vector<Transformation> transformations;
};

enum class ClaimStatus {
  holds,      // the loop gives what it would give without the pragma
  racy,       // `witness` shows two iterations that touch the same memory at once, of which one writes it
  not_proven  // `reason` says why
};

// "holds", "racy", "not_proven"; "unknown" for a number that is not an enumerator.
std::string_view name(ClaimStatus status) noexcept;

// A `#pragma omp for` of the text, also combined with others: it claims that its loop is parallel with its clauses.
// Regions, atomic, critical, ordered, and sections are not followed: what rests on them is not proven.
struct Claim {
  Position position;
  std::string text;  // the line
  int loop = -1;     // index in Report::loops; -1: not known
  ClaimStatus status = ClaimStatus::not_proven;
  std::string reason;  // one sentence
  std::optional<Witness> witness;
};

struct Report {
  std::vector<LoopReport> loops;   // in the order of the text
  std::vector<Claim> claims;       // in the order of the text
  std::vector<Summary> summaries;  // of functions that others of the file call
};

struct Options {
  std::string clang = "clang";              // a name that is looked for in PATH, or a path
  std::vector<std::string> arguments = {};  // more arguments for clang, such as "-DN=10" or "-Iinclude"
  double seconds = 10;                      // limit of clang's wall-clock time, more than 0
  double deadline = 0;                      // processor seconds of clang and this thread; 0: 2, for hard texts only
  std::int64_t operations = 200'000;        // isl's limit per question, more than 0; beyond it: not proven
  std::string function = {};                // analyse the loops of this function only; empty: all
  bool matrix = true;                       // find direction matrices and transformations too
  std::string transform = {};               // a kind of Transformation: emit_openmp applies it wherever it is legal
  std::int64_t tile = 32;                   // iterations of a strip or of a tile's side, from 1 to 2^30
};

// Analyses C text. `file` is its name in messages; quoted includes are looked for in its folder. Runs clang, without a
// shell. Throws FormatError, with the place, for text that is not C; InvalidArgument for options out of range, a text
// with a zero byte, or a function that does not exist; IoError if clang cannot be started; Error if it takes too long
// (see `seconds` and `deadline`). Time never changes the result: it is the same in every run, or an error. Takes
// milliseconds per hundred lines, on the calling thread.
//
//   const auto report = papilio::loops::analyze_text("void f(int n, double a[]) {\n"
//                                                    "  for (int i = 0; i < n; i++) a[i] += 1;\n}\n", "f.c");
//   report.loops[0].verdict;  // parallel
Report analyze_text(std::string_view text, const std::string& file, const Options& options = {});

// The same for a file. Also throws IoError if it cannot be read or is larger than 64 MiB.
Report analyze_file(const std::string& path, const Options& options = {});

// The report as JSON: {"loops": [...], "claims": [...]}, objects with the fields of LoopReport and Claim, as
// docs/loopdep.schema.json says.
std::string to_json(const Report& report);

// The report as SARIF 2.1.0, for editors and CI: an error for each racy pragma, a warning for each that is not proven,
// a note for each loop. `file` is the text's path with '/' as separator, as the reader of the report will find it.
std::string to_sarif(const Report& report, const std::string& file);

// One self-contained page of HTML: the text with the verdict of each loop beside it, and an arrow from the first to the
// second line of each witness. It has no script. The same report gives the same bytes.
std::string to_html(const Report& report, std::string_view text, const std::string& file);

// What was done with a loop of the text, or why nothing was.
struct EmittedLoop {
  std::string function;
  Position position;
  std::string variable;
  bool is_changed = false;
  bool is_reordered = false;  // it adds or multiplies in another order, which rounds differently
  std::string what;
};

struct Emission {
  std::string text;                // C with OpenMP's pragmas
  std::vector<EmittedLoop> loops;  // in the order of the text, without those in a loop that is changed
};

// Returns the text with OpenMP pragmas and clauses, and whatever else its loops need to run in parallel: conditions,
// copies, scans in two passes, loops distributed or interchanged. In each nest the outermost loop that can be made
// parallel is changed. Only the text of these loops is edited. Loops with a pragma of their own, in macros, or with
// directives in them stay as they are. Tiles, strips and loops moved inwards are made only if `transform` asks for
// them. The result is GNU C for gcc and clang with -fopenmp; without that option it runs on one thread.
// Throws what analyze_text throws. The result is the same in every run.
Emission emit_openmp(std::string_view text, const std::string& file, const Options& options = {});

enum class CheckStatus {
  same,        // all results are those of the original program
  different,   // `detail` names one that is not
  not_checked  // `detail` says why no arguments could be made
};

// "same", "different", "not_checked"; "unknown" for a number that is not an enumerator.
std::string_view name(CheckStatus status) noexcept;

struct CheckedFunction {
  std::string function;
  CheckStatus status = CheckStatus::not_checked;
  std::string detail;         // of `same`: how many sets of arguments were left out because they took too long
  int cases = 0;              // sets of arguments that it was called with, each with 1, 2 and 8 threads
  bool is_reordered = false;  // floating-point results were compared to a bound
};

struct CheckReport {
  std::vector<CheckedFunction> functions;  // those with a loop that was changed, and those that call them
};

struct CheckOptions {
  std::string compiler = "gcc";                       // must know -fopenmp and -fsanitize=address,undefined
  double seconds = 10;                                // processor seconds per run, more than 0
  std::string path = "/usr/local/bin:/usr/bin:/bin";  // PATH of the compiler and its parts
  std::string folder = {};  // an existing folder, in which the programs stay; empty: a temporary one
};

// Compiles the text and what was emitted from it, and calls the functions concerned with made-up arguments: sizes of 0
// to 257; arrays with 4,096 elements before the pointer and 61,440 from it on, filled with integers from 0 to the
// smallest size: random, in order, or a permutation. Arrays that may overlap do so in some calls. Structs hold numbers
// (fewer elements if one has over 256 bytes), and pointers to pointers lead to 544 rows. Arguments are left out if the
// original then uses a variable without a value, or has undefined behaviour that the address and undefined-behaviour
// sanitizers find. Everything that a function changes or returns must be identical; if the emission reorders
// floating-point operations, numbers may differ by 1e-9 (1e-3 if all are floats) times the larger of 1 and their
// magnitude.
//
// This runs the program, in a temporary folder, in processes with limits on time, memory, output and processes. That
// does not protect against a malicious program. Throws what analyze_text throws, InvalidArgument for options out of
// range, and IoError if the folder cannot be made or a program cannot be started. Takes seconds.
CheckReport check_emission(std::string_view text, const Emission& emission, const std::string& file,
                           const Options& options = {}, const CheckOptions& check = {});

// The report as plain text, a section per nest. With `explain`, also the direction matrix and the transformations; with
// `color`, in the colours of a terminal.
std::string to_text(const Report& report, bool explain = false, bool color = false);

}  // namespace papilio::loops
