#include "loops/clang/tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "papilio/error.h"

namespace papilio::loops {
namespace {

// What clang writes of `int \u00e9 = 1; // in a.c`, shortened, and of a name that is written with escapes.
constexpr std::string_view text = R"({
  "id": "0x10",
  "kind": "TranslationUnitDecl",
  "inner": [
    {
      "id": "0x2f",
      "kind": "VarDecl",
      "loc": {
                                                                        "offset": 4,
        "file": "a.c",
        "line": 1,
        "col": 5,
        "tokLen": 2
      },
      "range": {
        "begin": {"offset": 0, "col": 1, "tokLen": 3, "includedFrom": {"file": "b\\c.h"}},
        "end": {"offset": 9, "line": 2, "col": 10}
      },
      "name": "\u00e9_\"long name\" \\ of many characters",
      "type": {"qualType": "const struct a_long_name_of_a_type *restrict"},
      "init": "c",
      "inner": [
        {"id": "0x30", "kind": "IntegerLiteral", "value": "1"},
        {"id": "0x31", "kind": "MemberExpr", "isArrow": true, "value": -12, "none": null, "real": 1.5e-7},
        {}
      ]
    }
  ]
})";

Tree tree_in_parts(std::size_t size) {
  std::size_t at = 0;
  return read_tree(
      [&](std::size_t) {
        const std::string_view part = text.substr(at, size);
        at += part.size();
        return part;
      },
      "a.c");
}

TEST(Tree, IsTheSameInPartsOfAnySize) {
  for (const std::size_t size : {1, 2, 3, 7, 8, 9, 64, 4096}) {
    const Tree tree = tree_in_parts(size);
    ASSERT_EQ(tree.size(), 5u) << size;
    EXPECT_EQ(tree[0].kind, "TranslationUnitDecl");
    EXPECT_EQ(tree[1].id, 0x2fu);
    EXPECT_EQ(tree[1].name, "\u00e9_\"long name\" \\ of many characters");
    EXPECT_EQ(tree[1].type, "const struct a_long_name_of_a_type *restrict");
    EXPECT_EQ(tree[1].place.line, 1);
    EXPECT_EQ(tree[1].place.column, 1);
    EXPECT_TRUE(tree[1].in_file);
    EXPECT_TRUE(tree[1].has_init);
    EXPECT_EQ(tree[1].children, (std::vector<int>{2, 3, 4}));
    EXPECT_EQ(tree[2].value, "1");
    EXPECT_EQ(tree[3].value, "-12");
    EXPECT_TRUE(tree[3].is_arrow);
    EXPECT_TRUE(tree[4].kind.empty());
  }
}

TEST(Tree, SaysHowFarItHasCome) {
  std::size_t at = 0, farthest = 0;
  read_tree(
      [&](std::size_t reached) {
        farthest = std::max(farthest, reached);
        const std::string_view part = text.substr(at, 16);
        at += part.size();
        return part;
      },
      "a.c");
  EXPECT_EQ(farthest, 9u);
}

TEST(Tree, WhatIsCutOffIsNone) {
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_THROW(read_tree(text.substr(0, size), "a.c"), FormatError) << size;
  }
}

}  // namespace
}  // namespace papilio::loops
