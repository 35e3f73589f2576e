#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "lda/io/bytes/byte_source.h"
#include "lda/io/text/text_source.h"

namespace papilio::lda {
namespace {

constexpr std::size_t first_bytes = std::size_t{1} << 15;

// The files of a folder and the folders below.
struct Listing {
  std::vector<std::string> files;    // paths from the folder on, sorted by byte
  std::int64_t skipped = 0;          // hidden, links to folders, no regular files
  std::vector<std::string> folders;  // still to be listed
};

// Files the entry of `folder` (a path from `root` on, "" or ending in '/') where it belongs.
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
  // A link to a file is that file; links to folders are not followed, since they may form a cycle.
  if (S_ISLNK(entry.st_mode) && ::stat(full.c_str(), &entry) != 0) entry.st_mode = 0;
  if (S_ISREG(entry.st_mode)) {
    listing.files.push_back(path);
  } else {
    ++listing.skipped;
  }
}

Listing list_folder(const Origin& root) {
  struct Close {
    void operator()(DIR* folder) const { ::closedir(folder); }
  };
  Listing listing;
  listing.folders.emplace_back();
  while (!listing.folders.empty()) {
    const std::string folder = std::move(listing.folders.back());
    listing.folders.pop_back();
    const Origin origin = {root.caller, folder.empty() ? root.path : root.path + "/" + folder};
    const std::unique_ptr<DIR, Close> open(::opendir(origin.path.c_str()));
    if (open == nullptr) origin.io_error("open", errno);
    for (errno = 0; const dirent* entry = ::readdir(open.get()); errno = 0) {
      const std::string name = entry->d_name;
      if (name != "." && name != "..") list_entry(root, folder, name, listing);
    }
    if (errno != 0) origin.io_error("read", errno);
  }
  std::sort(listing.files.begin(), listing.files.end());
  return listing;
}

// The whole file, decompressed, without a byte-order mark.
void read_file(const Origin& origin, std::size_t max_bytes, std::string& text) {
  text.clear();
  const auto line = [&] { return 1 + std::count(text.begin(), text.end(), '\n'); };
  try {
    const std::unique_ptr<ByteSource> source = open_byte_source(origin);
    while (true) {
      const std::size_t size = text.size();
      if (size > max_bytes) {
        origin.format_error(line(), 0, fmt::format("file longer than max_line_bytes = {}", max_bytes));
      }
      text.resize(size + std::max(size, first_bytes));
      std::size_t got = 0;
      try {
        got = source->read(text.data() + size, text.size() - size);
      } catch (const DamagedStream&) {
        text.resize(size);
        throw;
      }
      text.resize(size + got);
      if (got == 0) break;
    }
  } catch (const DamagedStream& damage) {
    origin.format_error(line(), 0, damage.what());
  }
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    origin.format_error(1, 1, "expected UTF-8, got the byte-order mark of UTF-16");
  }
}

}  // namespace

void read_folder(const TextSource& source, const TextOptions& options, const char* caller, TextCorpus& corpus) {
  base::require(source.path != "-", "{}: a folder cannot come from standard input", caller);
  const Origin root = {caller, source.path};
  const Listing listing = list_folder(root);
  corpus.report().skipped_files = listing.skipped;
  std::string text;
  TextBlock block(corpus, root);
  for (const std::string& path : listing.files) {
    read_file({caller, source.path + "/" + path}, static_cast<std::size_t>(options.max_line_bytes), text);
    corpus.append_name(path);
    block.append(text, 0);
  }
  block.flush();
}

}  // namespace papilio::lda
