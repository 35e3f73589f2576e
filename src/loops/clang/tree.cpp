#include "loops/clang/tree.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "loops/clang/json.h"
#include "papilio/error.h"

namespace papilio::loops {
namespace {

constexpr std::size_t deepest = 600;  // nodes; anything deeper is left out, and its parent says so

std::uint64_t number_of(std::string_view id) {  // 0x1234
  std::uint64_t value = 0;
  if (id.size() > 2) std::from_chars(id.data() + 2, id.data() + id.size(), value, 16);
  return value;
}

// The name of the type that a spelling begins with, such as `T` or `enum T`, by its position and length; qualifiers
// are skipped.
std::pair<std::size_t, std::size_t> first_name(const std::string& spelled) {
  std::size_t begin = 0;
  for (const std::string_view qualifier : {"const ", "volatile ", "const "}) {
    if (std::string_view(spelled).substr(begin).starts_with(qualifier)) begin += qualifier.size();
  }
  const std::size_t last = begin + (std::string_view(spelled).substr(begin).starts_with("enum ") ? 5 : 0);
  return {begin, std::min(spelled.find_first_of(" *[(", last), spelled.size()) - begin};
}

// The value that an enumerator states, or the one that follows the last; nothing if it is not known.
std::optional<std::int64_t> value_of(const Tree& tree, const Node& enumerator, std::optional<std::int64_t> last) {
  const Node* at = &enumerator;
  while (at->kind != "ConstantExpr" && !at->children.empty()) at = &tree[static_cast<std::size_t>(at->children[0])];
  if (enumerator.too_deep) return std::nullopt;
  if (enumerator.children.empty() || at->kind.ends_with("Comment")) {
    if (!last) return 0;
    return *last < std::numeric_limits<std::int64_t>::max() ? std::optional(*last + 1) : std::nullopt;
  }
  std::int64_t value = 0;
  const char* const end = at->value.data() + at->value.size();
  const auto [stop, failure] = std::from_chars(at->value.data(), end, value);
  return failure == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

// The type that the compilers of papilio's targets choose for an enum; no type at all if it cannot be told.
std::string type_of_enum(const Tree& tree, const Node& n) {
  const std::string none = "an enum";
  if (!n.type.empty()) return n.type;  // enum E : char
  std::optional<std::int64_t> last;
  std::int64_t least = 0, largest = 0;
  for (const int c : n.children) {
    const Node& part = tree[static_cast<std::size_t>(c)];
    if (part.kind.ends_with("Comment")) continue;
    if (part.kind != "EnumConstantDecl") return none;  // an attribute, which may be `packed`
    last = value_of(tree, part, last);
    if (!last) return none;
    least = std::min(least, *last);
    largest = std::max(largest, *last);
  }
  if (!last || n.too_deep) return none;
  if (least < 0) return least >= -0x8000'0000LL && largest <= 0x7FFF'FFFFLL ? "int" : "long";
  return largest <= 0xFFFF'FFFFLL ? "unsigned int" : "unsigned long";
}

// clang says what the name of a type means only if the name is alone: `int64_t`, but not `const
// int64_t *`. Here names of numbers, structs and enums are replaced everywhere by what they mean.
void resolve_names_of_types(Tree& tree) {
  std::map<std::string, std::string, std::less<>> known;
  const auto resolve = [&](std::string& spelled) {
    const auto [begin, length] = first_name(spelled);
    const auto found = known.find(std::string_view(spelled).substr(begin, length));
    if (found != known.end()) spelled.replace(begin, length, found->second);
  };
  const auto know = [&](const std::string& name, const std::string& target) {
    const auto [place, is_new] = known.try_emplace(name, target);
    if (!is_new && place->second != target) place->second = "two types of one name";  // in two blocks: no type at all
  };
  for (Node& n : tree) {
    resolve(n.type);
    resolve(n.desugared);
    if (n.kind == "EnumDecl" && !n.name.empty() && (!n.children.empty() || !n.type.empty()))
      know("enum " + n.name, type_of_enum(tree, n));
    if (n.kind != "TypedefDecl") continue;
    const std::string& target = n.type.starts_with("struct ") || n.desugared.empty() ? n.type : n.desugared;
    const bool is_plain = target.find_first_of("*[(") == std::string::npos;
    const bool is_qualified = target.find("const") != std::string::npos || target.find("volatile") != std::string::npos;
    if (!is_plain || is_qualified) continue;
    know(n.name, target);
  }
}

// The members of the JSON that are read.
enum class Key {
  other,
  begin,
  cast,
  column,
  declaration,
  desugared,
  end,
  expansion,
  file,
  has_else,
  id,
  init,
  inner,
  is_arrow,
  is_bit_field,
  is_postfix,
  kind,
  line,
  location,
  member,
  name,
  offset,
  opcode,
  range,
  spelled,
  spelling,
  storage,
  type,
  value
};

// A line of C has two dozen keys, so this must be fast: keys of one length are mostly told apart by their first letter.
Key key_of(std::string_view name) {
  using Named = std::pair<std::string_view, Key>;
  static const auto per_length = [] {
    std::array<std::vector<Named>, 24> all;
    for (const Named& named : {Named{"array_filler", Key::inner},  // in place of "inner", if a list has one
                               {"begin", Key::begin},
                               {"castKind", Key::cast},
                               {"col", Key::column},
                               {"desugaredQualType", Key::desugared},
                               {"end", Key::end},
                               {"expansionLoc", Key::expansion},
                               {"file", Key::file},
                               {"fixedUnderlyingType", Key::type},
                               {"hasElse", Key::has_else},
                               {"id", Key::id},
                               {"init", Key::init},
                               {"inner", Key::inner},
                               {"isArrow", Key::is_arrow},
                               {"isBitfield", Key::is_bit_field},
                               {"isPostfix", Key::is_postfix},
                               {"kind", Key::kind},
                               {"line", Key::line},
                               {"loc", Key::location},
                               {"name", Key::name},
                               {"offset", Key::offset},
                               {"opcode", Key::opcode},
                               {"qualType", Key::spelled},
                               {"range", Key::range},
                               {"referencedDecl", Key::declaration},
                               {"referencedMemberDecl", Key::member},
                               {"spellingLoc", Key::spelling},
                               {"storageClass", Key::storage},
                               {"type", Key::type},
                               {"value", Key::value}}) {
      all[named.first.size()].push_back(named);
    }
    return all;
  }();
  if (name.size() >= per_length.size()) return Key::other;
  for (const auto& [known, key] : per_length[name.size()]) {
    if (known.front() == name.front() && known == name) return key;
  }
  return Key::other;
}

// clang writes a file or line only if it differs from the one written before,
// so locations are followed in the order of the text, whatever they belong to.
class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  Tree take() {
    if (tree_.empty() || tree_[0].kind != "TranslationUnitDecl") throw FormatError("clang wrote no syntax tree");
    resolve_names_of_types(tree_);
    return std::move(tree_);
  }

  // The place reached in the file, in bytes.
  std::size_t reached() const { return static_cast<std::size_t>(reached_); }

  void boolean(bool value) {
    if (in(Frame::node)) set_flag(value);
  }
  void integer(std::int64_t value) {
    if (in(Frame::location)) {
      if (key_ == Key::line) line_ = static_cast<int>(value);
      if (key_ == Key::column) column_ = static_cast<int>(value);
      if (key_ == Key::offset) offset_ = value;
    } else if (in(Frame::node) && key_ == Key::value && frames_.back().node >= 0) {
      tree_[static_cast<std::size_t>(frames_.back().node)].value = std::to_string(value);
    }
  }
  void start_array() {
    frames_.push_back({in(Frame::node) && key_ == Key::inner ? Frame::children : Frame::other, -1});
  }
  void end_array() { frames_.pop_back(); }
  void key(std::string_view name) { key_ = key_of(name); }

  void start_object() {
    if (frames_.empty() || in(Frame::children)) {
      start_node();
    } else if (key_ == Key::location || key_ == Key::begin || key_ == Key::end || key_ == Key::spelling ||
               key_ == Key::expansion) {
      // The place of a node is where its range begins; for a macro's expansion, it is where the macro stands.
      frames_.push_back({Frame::location, key_ == Key::begin || (key_ == Key::expansion && at_begin_) ? node() : -1});
      if (key_ == Key::location || key_ == Key::begin || key_ == Key::end) at_begin_ = key_ == Key::begin;
      column_ = 0;
    } else if (key_ == Key::range && in(Frame::node)) {
      frames_.push_back({Frame::range, node()});
    } else if (key_ == Key::type && in(Frame::node)) {
      frames_.push_back({Frame::type, node()});
    } else if (key_ == Key::declaration && in(Frame::node)) {
      frames_.push_back({Frame::reference, node()});
    } else {
      frames_.push_back({Frame::other, -1});
    }
  }

  void end_object() {
    if (in(Frame::location) && is_at_file_) reached_ = std::max(reached_, offset_);
    if (in(Frame::location) && frames_.back().node >= 0 && column_ > 0) {
      Node& n = tree_[static_cast<std::size_t>(frames_.back().node)];
      n.place = {line_, column_};
      n.in_file = is_at_file_;
    }
    if (in(Frame::node)) end_node();
    frames_.pop_back();
  }

  void string(std::string_view value) {
    if (frames_.empty()) return;
    const Frame frame = frames_.back().frame;
    if (frame == Frame::location) {
      if (key_ == Key::file) is_at_file_ = value == file_;
      return;
    }
    if (frames_.back().node < 0) return;
    Node& n = tree_[static_cast<std::size_t>(frames_.back().node)];
    if (frame == Frame::type) {
      if (key_ == Key::spelled) n.type = value;
      if (key_ == Key::desugared) n.desugared = value;
    } else if (frame == Frame::reference) {
      if (key_ == Key::id) n.reference = number_of(value);
      if (key_ == Key::kind) n.reference_kind = value;
      if (key_ == Key::name) n.reference_name = value;
    } else if (frame == Frame::node) {
      set_text(n, value);
    }
  }

 private:
  enum class Frame { node, children, location, range, type, reference, other };
  struct Level {
    Frame frame;
    int node;
  };

  bool in(Frame frame) const { return !frames_.empty() && frames_.back().frame == frame; }
  int node() const { return nodes_.empty() ? -1 : nodes_.back(); }
  void set_text(Node& n, std::string_view value) {
    switch (key_) {
      case Key::member:
        n.reference = number_of(value);
        break;
      case Key::id:
        n.id = number_of(value);
        break;
      case Key::kind:
        n.kind = value;
        break;
      case Key::name:
        n.name = value;
        break;
      case Key::value:
        n.value = value;
        break;
      case Key::opcode:
        n.opcode = value;
        break;
      case Key::cast:
        n.cast = value;
        break;
      case Key::storage:
        n.storage = value;
        break;
      case Key::init:
        n.has_init = true;
        break;
      default:
        break;
    }
  }
  void set_flag(bool value) {
    if (frames_.back().node < 0) return;
    Node& n = tree_[static_cast<std::size_t>(frames_.back().node)];
    if (key_ == Key::is_postfix) n.is_postfix = value;
    if (key_ == Key::is_arrow) n.is_arrow = value;
    if (key_ == Key::is_bit_field) n.is_bit_field = value;
    if (key_ == Key::has_else) n.has_else = value;
  }

  void start_node() {
    int index = -1;
    const bool dropped = !nodes_.empty() && nodes_.back() < 0;
    if (!dropped && nodes_.size() < deepest) {
      index = static_cast<int>(tree_.size());
      tree_.emplace_back();
      if (!nodes_.empty()) tree_[static_cast<std::size_t>(nodes_.back())].children.push_back(index);
    } else if (!dropped) {
      for (const int ancestor : nodes_) tree_[static_cast<std::size_t>(ancestor)].too_deep = true;
    }
    frames_.push_back({Frame::node, index});
    nodes_.push_back(index);
  }

  void end_node() {
    const int index = nodes_.back();
    nodes_.pop_back();
    if (nodes_.size() != 1 || index < 0) return;
    const Node& n = tree_[static_cast<std::size_t>(index)];
    // Structs of headers are kept for their bit-fields, and enums and type names for their meaning.
    if (!n.in_file && n.kind != "RecordDecl" && n.kind != "VarDecl" && n.kind != "TypedefDecl" &&
        n.kind != "EnumDecl") {
      tree_.resize(static_cast<std::size_t>(index));
      tree_[0].children.pop_back();
    }
  }

  const std::string file_;
  Tree tree_;
  std::vector<Level> frames_;
  std::vector<int> nodes_;  // those that are open
  Key key_ = Key::other;
  bool is_at_file_ = false;  // the place that was read last
  int line_ = 0;
  int column_ = 0;
  std::int64_t offset_ = 0, reached_ = 0;
  bool at_begin_ = false;
};

}  // namespace

Tree read_tree(const std::function<std::string_view(std::size_t)>& more, const std::string& file) {
  Reader reader(file);
  JsonReader<Reader>([&] { return more(reader.reached()); }, reader).run();
  return reader.take();
}

Tree read_tree(std::string_view json, const std::string& file) {
  return read_tree([&](std::size_t) { return std::exchange(json, {}); }, file);
}

}  // namespace papilio::loops
