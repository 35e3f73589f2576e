#pragma once

#include <cstdint>
#include <memory>

#include "device.h"
#include "tokens.h"

// The kernel by which the trainer draws topics on a CUDA device. It is told what
// a corpus is (documents, whose rows of theta it keeps in registers), where
// sample_categorical sees pairs of rows.
class TrainerDraws {
 public:
  // theta and phi have K columns and no padding; the trainer's rows are made of them.
  TrainerDraws(const Tokens& tokens, const std::int32_t* words, std::int32_t K, const float* theta, const float* phi);
  ~TrainerDraws();

  // Draws as sample_categorical with seed 1 and token numbers as row numbers.
  void queue();

  const DeviceVector<std::int32_t>& z() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};
