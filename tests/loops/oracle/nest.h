#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

// Random functions with loops, as C text and as a tree that the machine runs.

namespace papilio::loops::oracle {

enum Scalar { n, p, k, s, t, i, j, l };
enum Array { a, b, m, x, o, w };  // x: any index; o: offsets that do not fall; w: local
constexpr int scalars = 8, arrays = 6;

inline const char* name(Scalar v) { return &"n\0p\0k\0s\0t\0i\0j\0l\0"[2 * v]; }
inline const char* name(Array v) { return &"a\0b\0m\0x\0o\0w\0"[2 * v]; }

struct Node {
  enum Kind { number, scalar, element, binary, pick, sum };  // calls: pick(c, d), sum(length, &array[offset])
  Kind kind = number;
  std::int64_t value = 0;
  int which = 0;  // the scalar or array
  std::string op;
  std::vector<Node> parts;
  mutable int line = 0, column = 0;  // of an element in the text
};

struct Step {
  enum Kind { assign, branch, loop, leave, next, fill, shift, maybe_fill };  // calls: as the functions in `helpers`
  Kind kind = assign;
  Node target, value;  // of a branch: the condition; of a call: &target, and the length; of a loop: the bounds
  std::string op;
  std::vector<Step> body, otherwise;
  int form = 0;                  // how a loop or a branch is written
  int variable = 0, number = 0;  // of a loop
  std::int64_t by = 1;
};

struct LoopOfNest {
  int line = 0;
  bool is_affine = false;
};

struct Nest {
  std::string name, text;
  std::vector<Step> body;
  std::vector<LoopOfNest> loops;  // by number
};

// Functions that nests call.
extern const char* const helpers;

// The text of a nest, whose first line is `line`; and the places of its loops and elements.
void print(Nest& nest, int line);

// `line`: where its text begins.
Nest make_nest(const std::string& name, int line, std::mt19937_64& random);

}  // namespace papilio::loops::oracle
