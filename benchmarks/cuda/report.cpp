#include "report.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else if (static_cast<unsigned char>(c) < 0x20)
      out += ' ';
    else
      out += c;
  }
  return out + '"';
}

}  // namespace

Record& Record::set(const std::string& name, const std::string& value) {
  members_.push_back({name, quoted(value), value});
  return *this;
}
Record& Record::set(const std::string& name, double value) {
  members_.push_back({name, fmt::format("{:.6g}", value), fmt::format("{:.4g}", value)});
  return *this;
}
Record& Record::set(const std::string& name, std::int64_t value) {
  members_.push_back({name, fmt::format("{}", value), fmt::format("{}", value)});
  return *this;
}
Record& Record::set(const std::string& name, bool value) {
  members_.push_back({name, value ? "true" : "false", value ? "yes" : "no"});
  return *this;
}

std::string Record::json() const {
  std::string out;
  for (const Member& m : members_) out += fmt::format("{}\"{}\": {}", out.empty() ? "{" : ", ", m.name, m.json);
  return out + "}";
}

std::string Record::text() const {
  std::string out;
  for (const Member& m : members_) out += out.empty() ? m.text : fmt::format("  {} {}", m.name, m.text);
  return out;
}

Report::Report(std::string path, std::string head, double limit_seconds)
    : path_(std::move(path)), head_(std::move(head)), limit_seconds_(limit_seconds) {}

void Report::add(const Record& record) {
  lines_.push_back(record.json());
  std::printf("%s\n", record.text().c_str());
  std::fflush(stdout);
}

void Report::fail(Record record, const std::string& error) {
  ++failures_;
  add(record.set("error", error));
}

void Report::save() const {
  if (path_.empty()) return;
  std::ofstream file(path_);
  file << "{" << head_;
  if (!stopped_before_.empty()) file << ", \"stopped_before\": " << quoted(stopped_before_);
  file << ",\n\"records\": [\n";
  for (std::size_t i = 0; i < lines_.size(); ++i) file << lines_[i] << (i + 1 < lines_.size() ? ",\n" : "\n");
  file << "]}\n";
  if (!file.flush()) throw std::runtime_error("cannot write " + path_);
}

bool Report::stop(const std::string& next) {
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
  if (spent.count() < limit_seconds_) return false;
  if (stopped_before_.empty()) {
    stopped_before_ = next;
    std::printf("time is up; not measured: %s and what follows\n", next.c_str());
  }
  return true;
}
