#include "loops/check/harness.h"

#include <fmt/format.h>

#include <algorithm>

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
      printf("%s[%lld] = " format "\n", name, loopdep_k - (offset), (as)((type *)(now))[loopdep_k])
#define LOOPDEP_MEMBER(at, k, structure, path) ((char *)((structure *)(at) + (k)) + __builtin_offsetof(structure, path))
#define LOOPDEP_NUMBERS(structure, path, type) ((long long)(sizeof(((structure *)0)->path) / sizeof(type)))
#define LOOPDEP_FILL_MEMBER(to, count, structure, path, type, value) \
  for (long long loopdep_k = 0; loopdep_k < (count); loopdep_k++) \
    for (long long loopdep_j = 0; loopdep_j < LOOPDEP_NUMBERS(structure, path, type); loopdep_j++) \
      ((type *)LOOPDEP_MEMBER(to, loopdep_k, structure, path))[loopdep_j] = (type)(value)
#define LOOPDEP_SHOW_MEMBER(name, now, before, count, offset, structure, path, type, format, as) \
  for (long long loopdep_k = 0; loopdep_k < (count); loopdep_k++) \
    for (long long loopdep_j = 0; loopdep_j < LOOPDEP_NUMBERS(structure, path, type); loopdep_j++) {{ \
      const type loopdep_now = ((type *)LOOPDEP_MEMBER(now, loopdep_k, structure, path))[loopdep_j]; \
      if (loopdep_now != ((type *)LOOPDEP_MEMBER(before, loopdep_k, structure, path))[loopdep_j]) \
        printf("%s[%lld]." #path "[%lld] = " format "\n", name, loopdep_k - (offset), loopdep_j, (as)loopdep_now); \
    }}
#define LOOPDEP_SHOW_POINTER(name, now, before, count) \
  if ((now) != (before)) {{ \
    const long long loopdep_bytes = (long long)(size_t)(now) - (long long)(size_t)(before), loopdep_most = (count); \
    const long long loopdep_far = loopdep_bytes / (long long)sizeof *(before); \
    if (-loopdep_most <= loopdep_far && loopdep_far <= loopdep_most) printf("%s = moved by %lld\n", name, loopdep_far); \
    else printf("%s = moved\n", name); \
  }}
// Of an array, and where in it the pointer points; of a row that a table points to.
#define LOOPDEP_ELEMENTS(type) (sizeof(type) <= 256 ? 65536 : sizeof(type) < 1048576 ? 16777216 / sizeof(type) : 16)
#define LOOPDEP_ROOM(type) ((long long)LOOPDEP_ELEMENTS(type) / 16)
#define LOOPDEP_IN_ROW(type) (LOOPDEP_ELEMENTS(type) / 64 + 4)
#define LOOPDEP_OTHERS(type) \
  ((long long)LOOPDEP_ELEMENTS(type) - LOOPDEP_ROOM(type) < 544 ? (int)(LOOPDEP_ELEMENTS(type) - LOOPDEP_ROOM(type)) : 544)
enum {{ loopdep_rows = 576, loopdep_rows_before = 32, loopdep_in_row_before = 16 }};
static long long loopdep_row_of(void *pointer, void **rows) {{
  for (long long k = 0; k < loopdep_rows; k++)
    if (rows[k] == pointer) return k - loopdep_rows_before;
  return -loopdep_rows;
}}
#if defined(__SANITIZE_ADDRESS__)
const char *__asan_default_options(void) {{ return "detect_leaks=0:hard_rss_limit_mb=1024:allocator_may_return_null=1"; }}
#endif
)";

bool is_size(const Member& m) { return !m.is_real && !m.is_array && !m.is_pointer; }
std::string format_of(bool is_real) { return is_real ? "\"%La\"" : "\"%lld\""; }
std::string wide(bool is_real) { return is_real ? "long double" : "long long"; }

std::string fill(const Slot& s, const std::string& to, const std::string& count, const std::string& offset) {
  std::string text;
  for (const Member& m : s.members) {
    const bool has_value = s.kind == Slot::Kind::structure && is_size(m);
    const std::string value =
        m.is_real ? "loopdep_real()" : fmt::format("loopdep_content(loopdep_k - ({}) + loopdep_j)", offset);
    if (!has_value)
      text += fmt::format("  LOOPDEP_FILL_MEMBER({}, {}, {}, {}, {}{}, {});\n", to, count, s.element, m.path, m.element,
                          m.is_pointer ? " *" : "", m.is_pointer ? "0" : value);
  }
  if (!s.members.empty()) return text;
  if (s.is_real) return fmt::format("  LOOPDEP_FILL_REAL({}, {}, {});\n", to, s.element, count);
  return fmt::format("  LOOPDEP_FILL({}, {}, {}, {});\n", to, s.element, count, offset);
}

std::string show(const Slot& s, const std::string& name, const std::string& now, const std::string& before,
                 const std::string& count, const std::string& offset) {
  std::string text;
  for (const Member& m : s.members) {
    if (m.is_pointer) continue;  // see add_pointers
    text += fmt::format("  LOOPDEP_SHOW_MEMBER({}, {}, {}, {}, {}, {}, {}, {}, {}, {});\n", name, now, before, count,
                        offset, s.element, m.path, m.element, format_of(m.is_real), wide(m.is_real));
  }
  if (!s.members.empty()) return text;
  return fmt::format("  LOOPDEP_SHOW({}, {}, {}, {}, {}, {}, {}, {});\n", name, now, before, s.element, count, offset,
                     format_of(s.is_real), wide(s.is_real));
}

std::string quoted(const std::string& name) { return fmt::format("\"{}\"", name); }

// Integers of a struct are sizes, as parameters are.
std::string sizes_of(const Slot& s, const std::string& at) {
  std::string text;
  for (const Member& m : s.members) {
    if (is_size(m))
      text += fmt::format("  *({0} *)LOOPDEP_MEMBER({1}, 0, {2}, {3}) = ({0})loopdep_integer();\n", m.element, at,
                          s.element, m.path);
  }
  return text;
}

bool has_size(const Slot& s) {
  return s.kind == Slot::Kind::integer ||
         (s.kind == Slot::Kind::structure && std::any_of(s.members.begin(), s.members.end(), is_size));
}

// An array that a pointer of the arguments leads to.
struct Made {
  std::string pointer, element;
  bool is_restrict = false;
  std::size_t number = 0;
};

struct Call {
  std::string makes, arguments, shows;
  std::vector<Made> made = {};
};

// The pointer, or in two cases one into the first array of its type that it may overlap.
std::string overlapping(const Made& m, Call& call) {
  std::string pointer = m.pointer;
  for (const Made& other : call.made) {
    if (other.element != m.element || other.is_restrict || m.is_restrict) continue;
    pointer = fmt::format("(loopdep_case == 6 || loopdep_case == 7 ? {} + {} : {})", other.pointer,
                          m.number - other.number, pointer);
    break;
  }
  call.made.push_back(m);
  return pointer;
}

void add_global(const Slot& g, Call& call) {
  const std::string address = fmt::format("&{}", g.name), size = fmt::format("sizeof {}", g.name);
  const std::string count = fmt::format("(long long)({} / sizeof({}))", size, g.element);
  if (g.kind != Slot::Kind::integer) call.makes += fill(g, address, count, "0");
  call.makes +=
      fmt::format("  void *loopdep_g_{0} = malloc({1});\n  memcpy(loopdep_g_{0}, &{0}, {1});\n", g.name, size);
  call.shows += show(g, quoted(g.name), address, fmt::format("loopdep_g_{}", g.name), count, "0");
  call.shows += fmt::format("  free(loopdep_g_{});\n", g.name);
}

// The structs after the first of an array: each pointer leads to a row of its own, as those of a table do; in two cases
// the first eight lead into the array of the first one, unless they are restrict.
void add_pointers_of_others(const Slot& slot, const Member& member, const std::string& name, const std::string& at,
                            Call& call) {
  const Slot row{Slot::Kind::array, "", member.element, {}, member.is_real};
  const std::string count = fmt::format("LOOPDEP_IN_ROW({})", member.element);
  const std::string place =
      fmt::format("*({} **)LOOPDEP_MEMBER({}, k, {}, {})", member.element, at, slot.element, member.path);
  const std::string number = fmt::format("LOOPDEP_OTHERS({})", slot.element);
  call.makes += fmt::format(R"(  static void *loopdep_s{0}[loopdep_rows], *loopdep_b{0}[loopdep_rows];
  static {1} *loopdep_t{0}[loopdep_rows];
  for (int k = 1; k < {2}; k++) {{
    loopdep_s{0}[k] = malloc({3} * sizeof({1})), loopdep_b{0}[k] = malloc({3} * sizeof({1}));
  {4}    memcpy(loopdep_b{0}[k], loopdep_s{0}[k], {3} * sizeof({1}));
    const int is_shared = {5} && k < 9 && (loopdep_case == 6 || loopdep_case == 7);
    loopdep_t{0}[k] = is_shared ? loopdep_p{0} + k : ({1} *)loopdep_s{0}[k] + loopdep_in_row_before;
    {6} = loopdep_t{0}[k];
  }}
)",
                            name, member.element, number, count,
                            fill(row, fmt::format("loopdep_s{}[k]", name), count, "loopdep_in_row_before"),
                            member.is_restrict || slot.is_restrict ? 0 : 1, place);
  call.shows += fmt::format(R"(  for (int k = 1; k < {1}; k++) {{
    char name[{2}];
    snprintf(name, sizeof name, "%s[%d].{3}", {4}, k);
    LOOPDEP_SHOW_POINTER(name, {5}, loopdep_t{0}[k], {6});
  {7}    free(loopdep_s{0}[k]), free(loopdep_b{0}[k]);
  }}
)",
                            name, number, slot.name.size() + member.path.size() + 32, member.path, quoted(slot.name),
                            place, count,
                            show(row, "name", fmt::format("loopdep_s{}[k]", name), fmt::format("loopdep_b{}[k]", name),
                                 count, "loopdep_in_row_before"));
}

// Each pointer in a struct leads to an array of its own, as those of parameters do. `at`: the struct's address.
void add_pointers(const Slot& slot, std::size_t p, const std::string& at, Call& call) {
  for (std::size_t m = 0; m < slot.members.size(); ++m) {
    const Member& member = slot.members[m];
    if (!member.is_pointer) continue;
    const Slot array{Slot::Kind::array, "", member.element, {}, member.is_real};
    const std::string name = fmt::format("{}_{}", p, m);
    const std::string shown =
        fmt::format("{}{}{}", slot.name, slot.kind == Slot::Kind::array ? "->" : ".", member.path);
    const std::string count = fmt::format("LOOPDEP_ELEMENTS({})", member.element);
    const std::string room = fmt::format("LOOPDEP_ROOM({})", member.element);
    const std::string place =
        fmt::format("*({} **)LOOPDEP_MEMBER({}, 0, {}, {})", member.element, at, slot.element, member.path);
    call.makes += fmt::format("  {1} *loopdep_m{0} = malloc({2} * sizeof({1}));\n", name, member.element, count);
    call.makes += fill(array, "loopdep_m" + name, count, room);
    call.makes += fmt::format("  {1} *loopdep_o{0} = malloc({2} * sizeof({1}));\n", name, member.element, count);
    call.makes +=
        fmt::format("  memcpy(loopdep_o{0}, loopdep_m{0}, {2} * sizeof({1}));\n", name, member.element, count);
    const std::string pointer =
        overlapping({fmt::format("loopdep_m{} + {}", name, room), member.element, member.is_restrict, p + m + 1}, call);
    call.makes +=
        fmt::format("  {1} *const loopdep_p{0} = {2};\n  {3} = loopdep_p{0};\n", name, member.element, pointer, place);
    if (slot.kind == Slot::Kind::array) {
      call.shows +=
          fmt::format("  LOOPDEP_SHOW_POINTER({}, {}, loopdep_p{}, {});\n", quoted(shown), place, name, count);
      add_pointers_of_others(slot, member, name, at, call);
    }
    call.shows += show(array, quoted(shown), "loopdep_m" + name, "loopdep_o" + name, count, room);
    call.shows += fmt::format("  free(loopdep_m{0}), free(loopdep_o{0});\n", name);
  }
}

// A pointer to the middle of an array. Where no other parameter is a size, the integers of a struct there are.
void add_array(const Signature& s, std::size_t p, bool has_sizes, Call& call) {
  const Slot& slot = s.parameters[p];
  const std::string count = fmt::format("LOOPDEP_ELEMENTS({})", slot.element);
  const std::string room = fmt::format("LOOPDEP_ROOM({})", slot.element);
  call.makes += fmt::format("  {1} *loopdep_{0} = malloc({2} * sizeof({1}));\n", p, slot.element, count);
  call.makes += fill(slot, fmt::format("loopdep_{}", p), count, room);
  for (std::size_t m = 0; m < slot.members.size() && !has_sizes; ++m) {
    if (!is_size(slot.members[m])) continue;
    const Member& member = slot.members[m];
    call.makes += fmt::format("  *({2} *)LOOPDEP_MEMBER(loopdep_{0}, {3}, {4}, {5}) = ({2})loopdep_n{0}_{1};\n", p, m,
                              member.element, room, slot.element, member.path);
  }
  // Before the struct itself is freed, its pointers are looked at.
  add_pointers(slot, p, fmt::format("loopdep_{} + {}", p, room), call);
  call.makes += fmt::format("  {1} *loopdep_b{0} = malloc({2} * sizeof({1}));\n", p, slot.element, count);
  call.makes += fmt::format("  memcpy(loopdep_b{0}, loopdep_{0}, {2} * sizeof({1}));\n", p, slot.element, count);
  const std::string pointer =
      overlapping({fmt::format("loopdep_{} + {}", p, room), slot.element, slot.is_restrict, p}, call);
  call.arguments += fmt::format("(void *)({})", pointer);
  call.shows += show(slot, quoted(slot.name), fmt::format("loopdep_{}", p), fmt::format("loopdep_b{}", p), count, room);
  call.shows += fmt::format("  free(loopdep_{0}), free(loopdep_b{0});\n", p);
}

// A pointer into an array of pointers, each to a row of its own; in two cases, every third is the one before unless a
// pointer is restrict. Which row each leads to is compared too.
void add_table(const Slot& slot, std::size_t p, Call& call) {
  const std::string count = fmt::format("LOOPDEP_IN_ROW({})", slot.element);
  call.makes +=
      fmt::format(R"(  {1} **loopdep_{0} = malloc(loopdep_rows * sizeof(void *));
  static void *loopdep_s{0}[loopdep_rows], *loopdep_b{0}[loopdep_rows], *loopdep_t{0}[loopdep_rows];
  for (int r = 0; r < loopdep_rows; r++) {{
    loopdep_s{0}[r] = malloc({2} * sizeof({1})), loopdep_b{0}[r] = malloc({2} * sizeof({1}));
  {3}    memcpy(loopdep_b{0}[r], loopdep_s{0}[r], {2} * sizeof({1}));
    const int of = {4} && (loopdep_case == 6 || loopdep_case == 7) && r % 3 == 2 ? r - 1 : r;
    loopdep_{0}[r] = ({1} *)loopdep_s{0}[of] + loopdep_in_row_before;
    loopdep_t{0}[r] = ({1} *)loopdep_s{0}[r] + loopdep_in_row_before;
  }}
  void **loopdep_w{0} = malloc(loopdep_rows * sizeof(void *));
  memcpy(loopdep_w{0}, loopdep_{0}, loopdep_rows * sizeof(void *));
)",
                  p, slot.element, count, fill(slot, fmt::format("loopdep_s{}[r]", p), count, "loopdep_in_row_before"),
                  slot.is_restrict ? 0 : 1);
  call.arguments += fmt::format("(void *)(loopdep_{} + loopdep_rows_before)", p);
  call.shows += fmt::format(R"(  for (int r = 0; r < loopdep_rows; r++) {{
    char name[{3}];
    snprintf(name, sizeof name, "%s[%d]", {1}, r - loopdep_rows_before);
    if ((void *)loopdep_{0}[r] != loopdep_w{0}[r])
      printf("%s = row %lld\n", name, loopdep_row_of(loopdep_{0}[r], loopdep_t{0}));
  {2}    free(loopdep_s{0}[r]), free(loopdep_b{0}[r]);
  }}
  free(loopdep_{0}), free(loopdep_w{0});
)",
                            p, quoted(slot.name),
                            show(slot, "name", fmt::format("loopdep_s{}[r]", p), fmt::format("loopdep_b{}[r]", p),
                                 count, "loopdep_in_row_before"),
                            slot.name.size() + 32);
}

// One function that calls one of the program's.
std::string call_of(const Signature& s, const std::vector<Slot>& globals, std::size_t number) {
  Call call;
  // Sizes first: what is in arrays depends on them.
  for (const Slot& g : globals) {
    if (g.kind == Slot::Kind::integer)
      call.makes += fmt::format("  {0} = ({1})loopdep_integer();\n", g.name, g.element);
    if (g.kind == Slot::Kind::structure) call.makes += sizes_of(g, fmt::format("&{}", g.name));
  }
  for (std::size_t p = 0; p < s.parameters.size(); ++p) {
    const Slot& slot = s.parameters[p];
    const std::string name = fmt::format("loopdep_{}", p);
    if (slot.kind == Slot::Kind::integer)
      call.makes += fmt::format("  {1} {0} = ({1})loopdep_integer();\n", name, slot.element);
    if (slot.kind == Slot::Kind::real)
      call.makes += fmt::format("  {1} {0} = ({1})loopdep_real();\n", name, slot.element);
    if (slot.kind == Slot::Kind::structure)
      call.makes += fmt::format("  {1} *{0} = malloc(sizeof({1}));\n", name, slot.element) + sizes_of(slot, name);
  }
  const bool has_sizes = std::any_of(s.parameters.begin(), s.parameters.end(), has_size);
  for (std::size_t p = 0; p < s.parameters.size() && !has_sizes; ++p) {
    const Slot& slot = s.parameters[p];
    for (std::size_t m = 0; m < slot.members.size() && slot.kind == Slot::Kind::array; ++m) {
      if (is_size(slot.members[m]))
        call.makes += fmt::format("  const long long loopdep_n{}_{} = loopdep_integer();\n", p, m);
    }
  }
  for (const Slot& g : globals) add_global(g, call);
  for (std::size_t p = 0; p < s.parameters.size(); ++p) {
    const Slot& slot = s.parameters[p];
    if (p > 0) call.arguments += ", ";
    if (slot.kind == Slot::Kind::array) {
      add_array(s, p, has_sizes, call);
    } else if (slot.kind == Slot::Kind::table) {
      add_table(slot, p, call);
    } else if (slot.kind == Slot::Kind::structure) {
      call.makes += fill(slot, fmt::format("loopdep_{}", p), "1", "0");
      add_pointers(slot, p, fmt::format("loopdep_{}", p), call);
      call.arguments += fmt::format("*loopdep_{}", p);
      call.shows += fmt::format("  free(loopdep_{});\n", p);
    } else {
      call.arguments += fmt::format("loopdep_{}", p);
    }
  }
  std::string text = fmt::format("static void loopdep_call_{}(void) {{\n{}", number, call.makes);
  if (s.result.empty()) {
    text += fmt::format("  {}({});\n", s.name, call.arguments);
  } else {
    text += fmt::format("  const {} loopdep_result = {}({});\n", s.result, s.name, call.arguments);
    text += fmt::format(R"(  printf("result = " {} "\n", ({})loopdep_result);)", format_of(s.is_real), wide(s.is_real));
    text += "\n";
  }
  return text + call.shows + "}\n";
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
