#include "lda/io/bytes/output_reservation.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "lda/io/bytes/atomic_file.h"
#include "lda/io/bytes/hash.h"
#include "lda/io/bytes/output_target.h"
#include "lda/io/bytes/unfinished_files.h"
#include "papilio/error.h"

namespace papilio {
namespace lda {
namespace {

constexpr const char* caller = "papilio::OutputReservation";

using FileId = std::pair<dev_t, ino_t>;
using Name = std::pair<FileId, std::string>;  // the folder, and the name in it

// The reservations of this process.
std::mutex mutex;
std::map<Name, std::shared_ptr<ReservedOutput>>& table() {
  static std::map<Name, std::shared_ptr<ReservedOutput>> reserved;
  return reserved;
}

std::optional<FileId> file_id(const std::string& path) {
  struct stat found = {};
  if (::stat(path.c_str(), &found) != 0) return std::nullopt;
  return FileId{found.st_dev, found.st_ino};
}

std::optional<Name> name_in_folder(const std::string& path) {
  const std::optional<FileId> folder = file_id(folder_of(path));
  if (!folder) return std::nullopt;
  return Name{*folder, path.substr(path.rfind('/') + 1)};  // npos + 1 is 0
}

// Short however long the file's name is, and hidden, so that it is not read as a document of a folder of texts.
std::string lock_path(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return fmt::format("{}.papilio-{}.lock", path.substr(0, path.rfind('/') + 1),
                     xxh3_128(std::as_bytes(std::span(name))).substr(0, 16));
}

// A row of the table, as long as it lives.
class TableRow {
 public:
  TableRow(const std::string& path, Name name, std::shared_ptr<ReservedOutput> rule) : name_(std::move(name)) {
    const std::lock_guard guard(mutex);
    if (!table().emplace(name_, std::move(rule)).second) {
      throw InvalidArgument(fmt::format("{}: this process has reserved {} already", caller, path));
    }
  }
  ~TableRow() {
    const std::lock_guard guard(mutex);
    table().erase(name_);
  }
  TableRow(const TableRow&) = delete;
  TableRow& operator=(const TableRow&) = delete;

 private:
  const Name name_;
};

}  // namespace

std::shared_ptr<ReservedOutput> reserved_output(const OutputTarget& target) {
  const std::lock_guard guard(mutex);
  if (table().empty()) return nullptr;
  const std::optional<Name> name = name_in_folder(target.path);
  if (!name) return nullptr;
  const auto found = table().find(*name);
  return found == table().end() ? nullptr : found->second;
}

}  // namespace lda

// The lock, which is held while the file is open.
struct OutputReservation::Lock {
  Lock(const std::string& named, const std::string& target, lda::Name name, std::shared_ptr<lda::ReservedOutput> rule)
      : row(named, std::move(name), std::move(rule)), path(lda::lock_path(target)) {
    while (!try_to_take(named)) {
    }
  }
  ~Lock() {
    if (file < 0) return;
    if (locked && lda::file_id(path) == id) ::unlink(path.c_str());
    ::close(file);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  [[noreturn]] void fail(const std::string& named, int code) {
    if (file >= 0) ::close(std::exchange(file, -1));
    throw IoError(
        fmt::format("{}: cannot create {}: {} ({})", lda::caller, named, std::generic_category().message(code), path),
        code);
  }

  // Returns false if the process that had reserved the file removed it between opening and locking.
  bool try_to_take(const std::string& named) {
    constexpr int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    file = ::open(path.c_str(), O_RDWR | O_CREAT | flags, 0666);
    if (file < 0 && errno == EACCES) {  // left behind by another user
      file = ::open(path.c_str(), O_RDONLY | flags);
      if (file < 0) errno = EACCES;
    }
    struct stat found = {};
    if (file < 0 || ::fstat(file, &found) != 0) fail(named, errno);
    if (!S_ISREG(found.st_mode)) fail(named, EEXIST);
    id = {found.st_dev, found.st_ino};
    if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) {
        ::close(std::exchange(file, -1));
        throw IoError(fmt::format("{}: {} is being written by another process, which holds the lock {}", lda::caller,
                                  named, path),
                      EBUSY);
      }
      ::close(std::exchange(file, -1));  // no locks here: another process may use it too
      ::unlink(path.c_str());
      return true;
    }
    if (lda::file_id(path) != id) {
      ::close(std::exchange(file, -1));
      return false;
    }
    locked = true;
    unfinished = lda::UnfinishedFile(path);
    return true;
  }

  lda::TableRow row;
  std::string path;
  int file = -1;
  bool locked = false;
  std::optional<lda::FileId> id;
  lda::UnfinishedFile unfinished;
};

OutputReservation::OutputReservation(const std::string& path, Existing existing) {
  base::require(existing == Existing::kept || existing == Existing::replaced,
                "papilio::OutputReservation: unknown Existing {}, expected kept or replaced",
                static_cast<int>(existing));
  const OutputTarget target = output_target(path);
  if (target.kind != OutputTarget::Kind::nothing && target.kind != OutputTarget::Kind::file) return;
  const std::optional<lda::Name> name = lda::name_in_folder(target.path);
  if (!name) throw IoError(fmt::format("{}: cannot create {}: its folder is gone", lda::caller, path), ENOENT);
  const auto rule = std::make_shared<lda::ReservedOutput>();
  rule->keeps_existing = existing == Existing::kept;
  lock_ = std::make_unique<Lock>(path, target.path, *name, rule);
  lda::remove_abandoned(target.path);
}

OutputReservation::~OutputReservation() = default;

}  // namespace papilio
