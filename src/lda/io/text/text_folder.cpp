#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "lda/corpus/tokenizer.h"
#include "lda/io/bytes/binary_content.h"
#include "lda/io/bytes/byte_source.h"
#include "lda/io/bytes/part_names.h"
#include "lda/io/text/text_source.h"

namespace papilio {

namespace {

// Cuts `beginning` and the digits after it off the end of a name; false if it has no such end.
bool cut_number(std::string_view& name, std::string_view beginning) {
  const std::string_view before = name.substr(0, name.find_last_not_of("0123456789") + 1);
  if (before.size() == name.size() || !before.ends_with(beginning)) return false;
  name = before.substr(0, before.size() - beginning.size());
  return true;
}

}  // namespace

bool is_papilio_file_name(std::string_view name) {
  constexpr std::array endings = {".safetensors", ".safetensors.previous", ".safetensors.damaged", ".papilio-corpus"};
  const bool is_unfinished =
      (name.ends_with(".tmp") || name.ends_with(".tmp.old")) && name.find(".papilio-") != name.npos;
  std::string_view checkpoint = name;
  const bool is_part = cut_number(checkpoint, lda::ranks_of_part) && cut_number(checkpoint, lda::rank_of_part) &&
                       cut_number(checkpoint, lda::sweep_of_part);
  if (is_part) return checkpoint.ends_with(".safetensors");
  cut_number(name, ".");  // of a file that was put aside
  return is_unfinished ||
         std::any_of(endings.begin(), endings.end(), [&](auto ending) { return name.ends_with(ending); });
}

namespace lda {
namespace {

constexpr std::size_t first_bytes = std::size_t{1} << 18;

// The files of a folder and of the folders below it.
struct Listing {
  std::vector<std::string> files;    // paths relative to the folder, sorted by bytes
  std::int64_t skipped = 0;          // hidden files, links to folders, special files, files that papilio writes
  std::vector<std::string> folders;  // not yet listed
};

// Puts an entry of `folder` (a path relative to `root`, "" or ending in '/') into the list it belongs to.
void list_entry(const Origin& root, const std::string& folder, const std::string& name, Listing& listing) {
  if (name.front() == '.') {
    ++listing.skipped;
    return;
  }
  const std::string path = folder + name;
  const std::string full = root.path + "/" + path;
  struct stat entry = {};
  if (::lstat(full.c_str(), &entry) != 0) Origin{root.caller, full}.io_error("read", errno);
  if (S_ISDIR(entry.st_mode)) {
    listing.folders.push_back(path + "/");
    return;
  }
  // A link to a file counts as that file. Links to folders are not followed, since they may form a cycle.
  if (S_ISLNK(entry.st_mode) && ::stat(full.c_str(), &entry) != 0) entry.st_mode = 0;
  if (S_ISREG(entry.st_mode) && !is_papilio_file_name(name)) {
    listing.files.push_back(path);
  } else {
    ++listing.skipped;
  }
}

Listing list_folder(const Origin& root, MemoryShare& memory) {
  struct Close {
    void operator()(DIR* folder) const { ::closedir(folder); }
  };
  Listing listing;
  std::int64_t bytes = 0;
  listing.folders.emplace_back();
  while (!listing.folders.empty()) {
    const std::string folder = std::move(listing.folders.back());
    listing.folders.pop_back();
    const Origin origin = {root.caller, folder.empty() ? root.path : root.path + "/" + folder};
    const std::unique_ptr<DIR, Close> open(::opendir(origin.path.c_str()));
    if (open == nullptr) origin.io_error("open", errno);
    for (errno = 0; const dirent* entry = ::readdir(open.get()); errno = 0) {
      const std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      list_entry(root, folder, name, listing);
      bytes += static_cast<std::int64_t>(2 * sizeof(std::string) + folder.size() + name.size());
      if (!memory.set(bytes))
        memory.limit().refuse(origin, 0, fmt::format("the list of {} files up to here", listing.files.size()));
    }
    if (errno != 0) origin.io_error("read", errno);
  }
  std::sort(listing.files.begin(), listing.files.end());
  return listing;
}

// Passes files to a block, each as a document, with one buffer for
// all of them. A file longer than the buffer is passed in parts.
class FileReader {
 public:
  FileReader(TextBlock& block, TextCorpus& corpus, std::int64_t max_bytes)
      : block_(block), tokenizer_(corpus.tokenizer()), memory_(corpus.memory_limit()), max_bytes_(max_bytes) {}

  void read(const Origin& origin) {
    begin_ = size_ = 0;
    bytes_ = lines_ = 0;
    try {
      const std::unique_ptr<ByteSource> source = open_byte_source(origin, &memory_.limit());
      while (true) {
        if (size_ == capacity_ && !give_part(origin)) grow(origin);
        const std::size_t got = source->read(buffer_.get() + size_, capacity_ - size_);
        if (got == 0) break;
        size_ += got;
        bytes_ += static_cast<std::int64_t>(got);
        if (bytes_ > max_bytes_) {
          origin.format_error(line(), 0, fmt::format("file longer than max_line_bytes = {}", max_bytes_));
        }
      }
    } catch (const DamagedStream& damage) {
      origin.format_error(line(), 0, damage.what());
    }
    check_beginning(origin);
    block_.append(unread(), 0);
  }

 private:
  std::string_view unread() const { return {buffer_.get() + begin_, size_ - begin_}; }
  std::int64_t line() const { return 1 + lines_ + std::count(buffer_.get(), buffer_.get() + size_, '\n'); }

  // Passes on a full buffer up to a place where no token is; false if there is no such place.
  bool give_part(const Origin& origin) {
    check_beginning(origin);
    const std::string_view part = unread().substr(0, tokenizer_.after_last_cut(unread()));
    if (part.empty()) return false;
    block_.append(part, 0, true);
    lines_ += std::count(part.begin(), part.end(), '\n');
    size_ -= begin_ + part.size();
    std::memmove(buffer_.get(), part.data() + part.size(), size_);
    begin_ = 0;
    return true;
  }

  // Skips a byte-order mark, and refuses what is not text.
  void check_beginning(const Origin& origin) {
    if (bytes_ != static_cast<std::int64_t>(size_)) return;  // part of the file has been passed on
    if (unread().starts_with("\xef\xbb\xbf")) begin_ = 3;
    refuse_other_encodings(origin, unread());
    refuse_binary(origin, {buffer_.get(), size_});
  }

  void grow(const Origin& origin) {
    const std::size_t capacity = std::max(first_bytes, 2 * capacity_);
    if (!memory_.set(static_cast<std::int64_t>(capacity - first_bytes))) {
      memory_.limit().refuse(origin, line(),
                             fmt::format("a {} of {} bytes so far, which must be held whole,",
                                         tokenizer_.needs_lines() ? "line" : "word", size_));
    }
    auto buffer = std::make_unique_for_overwrite<char[]>(capacity);
    std::copy_n(buffer_.get(), size_, buffer.get());
    buffer_ = std::move(buffer);
    capacity_ = capacity;
  }

  TextBlock& block_;
  const Tokenizer& tokenizer_;
  MemoryShare memory_;
  std::int64_t max_bytes_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;  // bytes [begin_, size_) have not been passed to the block
  std::size_t size_ = 0;
  std::int64_t bytes_ = 0;  // of the file so far
  std::int64_t lines_ = 0;  // that have been passed on
};

}  // namespace

void read_folder(const TextSource& source, const TextOptions& options, const char* caller, TextCorpus& corpus) {
  base::require(source.path != "-", "{}: a folder cannot come from standard input", caller);
  const Origin root = {caller, source.path};
  MemoryShare listing_memory(corpus.memory_limit());
  const Listing listing = list_folder(root, listing_memory);
  corpus.report().skipped_files = listing.skipped;
  TextBlock block(corpus, root);
  FileReader reader(block, corpus, options.max_line_bytes);
  for (const std::string& path : listing.files) {
    corpus.append_name(path);
    reader.read({caller, source.path + "/" + path});
  }
  block.flush();
}

}  // namespace lda
}  // namespace papilio
