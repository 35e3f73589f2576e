#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

// One measurement: names and values, in the order they were set.
class Record {
 public:
  explicit Record(const std::string& which) { set("case", which); }
  Record& set(const std::string& name, const std::string& value);
  Record& set(const std::string& name, const char* value) { return set(name, std::string(value)); }
  Record& set(const std::string& name, double value);
  Record& set(const std::string& name, std::int64_t value);
  Record& set(const std::string& name, int value) { return set(name, std::int64_t{value}); }
  Record& set(const std::string& name, bool value);

  std::string json() const;  // an object, on one line
  std::string text() const;  // for people

 private:
  struct Member {
    std::string name, json, text;
  };
  std::vector<Member> members_;
};

// Prints every record as it comes and keeps all of them in a file, which is
// whole after each `save`.
class Report {
 public:
  // `head` is a line of JSON members; the empty path keeps nothing.
  Report(std::string path, std::string head, double limit_seconds);

  void add(const Record& record);
  void fail(Record record, const std::string& error);
  void save() const;

  int failures() const { return failures_; }

  // Whether the time is up. What is left out then is named in the file.
  bool stop(const std::string& next);

 private:
  std::string path_, head_, stopped_before_;
  double limit_seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::vector<std::string> lines_;
  int failures_ = 0;
};
