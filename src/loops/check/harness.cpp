#include "loops/check/harness.h"

#include <fmt/format.h>

namespace papilio::loops {
namespace {

// Arrays have room on both sides of where the pointer points, so that small negative subscripts are no fault; the
// sanitizers see what lies beyond. Cases: sizes small, odd, zero, one and larger; integers in arrays lie in [0, size),
// at random, in order, or each once; in two cases, arrays that need not be distinct overlap.
const char* const beginning = R"(#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
extern void omp_set_num_threads(int);
#endif
#define main loopdep_main_of_the_program
#include "{0}"
#undef main

enum {{ loopdep_room = 4096, loopdep_elements = 65536 }};
static unsigned long long loopdep_state;
static unsigned long long loopdep_random(void) {{  // SplitMix64
  unsigned long long z = loopdep_state += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}}
static int loopdep_case, loopdep_size, loopdep_least;
static long long loopdep_integer(void) {{
  static const int sizes[] = {{7, 13, 0, 0, 1, 33, 9, 0, 65, 257}};
  long long n = sizes[loopdep_case];
  if (loopdep_case == 2) n = 1 + (long long)(loopdep_random() % 12);
  if (loopdep_case == 7) n = 3 + (long long)(loopdep_random() % 30);
  if (n > 0 && (loopdep_least == 0 || n < loopdep_least)) loopdep_least = (int)n;
  if (n > loopdep_size) loopdep_size = (int)n;
  return n;
}}
static double loopdep_real(void) {{ return 0.5 + (double)(loopdep_random() >> 11) / 9007199254740992.0; }}
static long long loopdep_content(long long k) {{
  const long long n = loopdep_least > 0 ? loopdep_least : 1;
  if (loopdep_case == 1 || loopdep_case == 8) return k < 0 ? 0 : k < n ? k : n - 1;
  if (loopdep_case == 5 || loopdep_case == 9) return ((k % n + n) * (n == 33 ? 5 : n == 257 ? 3 : 1) + 1) % n;
  return (long long)(loopdep_random() % (unsigned long long)n);
}}
#define LOOPDEP_FILL(to, type, count, offset) \
  for (long long loopdep_k = 0; loopdep_k < (count); loopdep_k++) \
    ((type *)(to))[loopdep_k] = (type)loopdep_content(loopdep_k - (offset))
#define LOOPDEP_FILL_REAL(to, type, count) \
  for (long long loopdep_k = 0; loopdep_k < (count); loopdep_k++) ((type *)(to))[loopdep_k] = (type)loopdep_real()
#define LOOPDEP_SHOW(name, now, before, type, count, offset, format, as) \
  for (long long loopdep_k = 0; loopdep_k < (count); loopdep_k++) \
    if (((type *)(now))[loopdep_k] != ((type *)(before))[loopdep_k]) \
      printf(name "[%lld] = " format "\n", loopdep_k - (offset), (as)((type *)(now))[loopdep_k])
#if defined(__SANITIZE_ADDRESS__)
const char *__asan_default_options(void) {{ return "detect_leaks=0:hard_rss_limit_mb=1024:allocator_may_return_null=1"; }}
#endif
)";

std::string format_of(bool is_real) { return is_real ? "\"%La\"" : "\"%lld\""; }
std::string wide(bool is_real) { return is_real ? "long double" : "long long"; }

std::string fill(const Slot& s, const std::string& to, const std::string& count, const std::string& offset) {
  if (s.is_real) return fmt::format("  LOOPDEP_FILL_REAL({}, {}, {});\n", to, s.element, count);
  return fmt::format("  LOOPDEP_FILL({}, {}, {}, {});\n", to, s.element, count, offset);
}

std::string show(const Slot& s, const std::string& now, const std::string& before, const std::string& count,
                 const std::string& offset) {
  return fmt::format("  LOOPDEP_SHOW(\"{}\", {}, {}, {}, {}, {}, {}, {});\n", s.name, now, before, s.element, count,
                     offset, format_of(s.is_real), wide(s.is_real));
}

// One function that calls one of the program's.
std::string call_of(const Signature& s, const std::vector<Slot>& globals, std::size_t number) {
  std::string makes, calls, shows;
  // Sizes first: what is in arrays depends on them.
  for (const Slot& g : globals) {
    if (g.kind == Slot::Kind::integer) makes += fmt::format("  {0} = ({1})loopdep_integer();\n", g.name, g.element);
  }
  for (std::size_t p = 0; p < s.parameters.size(); ++p) {
    const Slot& slot = s.parameters[p];
    if (slot.kind == Slot::Kind::integer)
      makes += fmt::format("  {1} loopdep_{0} = ({1})loopdep_integer();\n", p, slot.element);
    if (slot.kind == Slot::Kind::real)
      makes += fmt::format("  {1} loopdep_{0} = ({1})loopdep_real();\n", p, slot.element);
  }
  for (const Slot& g : globals) {
    const std::string address = fmt::format("&{}", g.name), size = fmt::format("sizeof {}", g.name);
    const std::string count = fmt::format("(long long)({} / sizeof({}))", size, g.element);
    if (g.kind != Slot::Kind::integer) makes += fill(g, address, count, "0");
    makes += fmt::format("  void *loopdep_g_{0} = malloc({1});\n  memcpy(loopdep_g_{0}, &{0}, {1});\n", g.name, size);
    shows += show(g, address, fmt::format("loopdep_g_{}", g.name), count, "0");
    shows += fmt::format("  free(loopdep_g_{});\n", g.name);
  }
  for (std::size_t p = 0; p < s.parameters.size(); ++p) {
    const Slot& slot = s.parameters[p];
    if (slot.kind == Slot::Kind::array) {
      makes += fmt::format("  {1} *loopdep_{0} = malloc(loopdep_elements * sizeof({1}));\n", p, slot.element);
      makes += fill(slot, fmt::format("loopdep_{}", p), "loopdep_elements", "loopdep_room");
      makes += fmt::format("  {1} *loopdep_b{0} = malloc(loopdep_elements * sizeof({1}));\n", p, slot.element);
      makes += fmt::format("  memcpy(loopdep_b{0}, loopdep_{0}, loopdep_elements * sizeof({1}));\n", p, slot.element);
      std::string pointer = fmt::format("loopdep_{} + loopdep_room", p);
      for (std::size_t q = 0; q < p; ++q) {  // the first of its type that may overlap
        const Slot& other = s.parameters[q];
        const bool may =
            other.kind == Slot::Kind::array && other.element == slot.element && !other.is_restrict && !slot.is_restrict;
        if (!may) continue;
        pointer = fmt::format("(loopdep_case == 6 || loopdep_case == 7 ? loopdep_{} + loopdep_room + {} : {})", q,
                              p - q, pointer);
        break;
      }
      calls += fmt::format("{}(void *)({})", calls.empty() ? "" : ", ", pointer);
      shows +=
          show(slot, fmt::format("loopdep_{}", p), fmt::format("loopdep_b{}", p), "loopdep_elements", "loopdep_room");
      shows += fmt::format("  free(loopdep_{0}), free(loopdep_b{0});\n", p);
    } else {
      calls += fmt::format("{}loopdep_{}", calls.empty() ? "" : ", ", p);
    }
  }
  std::string text = fmt::format("static void loopdep_call_{}(void) {{\n{}", number, makes);
  if (s.result.empty()) {
    text += fmt::format("  {}({});\n", s.name, calls);
  } else {
    text += fmt::format("  const {} loopdep_result = {}({});\n", s.result, s.name, calls);
    text += fmt::format(R"(  printf("result = " {} "\n", ({})loopdep_result);)", format_of(s.is_real), wide(s.is_real));
    text += "\n";
  }
  return text + shows + "}\n";
}

}  // namespace

std::string harness(const Signatures& signatures, const std::string& program) {
  std::string text = fmt::format(fmt::runtime(beginning), program), table;
  for (std::size_t f = 0; f < signatures.functions.size(); ++f) {
    if (!signatures.functions[f].fault.empty()) continue;
    text += call_of(signatures.functions[f], signatures.globals, f);
    table += fmt::format("      if (function == {0}) loopdep_call_{0}();\n", f);
  }
  return text + fmt::format(R"(
int main(int argc, char **argv) {{
  if (argc < 5) return 64;
  const int function = atoi(argv[1]);
#ifdef _OPENMP
  omp_set_num_threads(atoi(argv[4]));
#endif
  for (int k = atoi(argv[2]); k <= atoi(argv[3]) && k < {0}; k++) {{
      loopdep_case = k, loopdep_size = 0, loopdep_least = 0;
      loopdep_state = 1000003ull * (unsigned long long)function + (unsigned long long)k;
      printf("case %d\n", k);
{1}      printf("end\n");
      fflush(stdout);
  }}
  return 0;
}}
)",
                            harness_cases, table);
}

}  // namespace papilio::loops
