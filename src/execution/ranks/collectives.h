#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "papilio/communicator.h"

// What ranks do together, by the calls of a communicator.

namespace papilio::execution {

// The bytes of each rank, in their order, on every rank.
std::vector<std::vector<std::byte>> gather_everywhere(Communicator& ranks, std::span<const std::byte> bytes);

// The numbers of each rank one after the other, in the order of the ranks, on every rank.
std::vector<std::int32_t> join_everywhere(Communicator& ranks, std::span<const std::int32_t> numbers);
std::vector<std::int64_t> join_everywhere(Communicator& ranks, std::span<const std::int64_t> numbers);
std::vector<double> join_everywhere(Communicator& ranks, std::span<const double> numbers);

// Sends each rank its bytes of `sent`, by rank; returns those that each has sent to this one, in their order.
std::vector<std::vector<std::byte>> exchange(Communicator& ranks, std::vector<std::vector<std::byte>> sent);

// The bytes of memory that texts take, which are being sent, and where they arrive.
std::int64_t memory_of_sent(std::span<const std::string> texts);

// The texts of a rank, on every rank.
std::vector<std::string> broadcast_texts(Communicator& ranks, std::vector<std::string> texts, int from = 0);

// The texts of each rank, by rank, on rank 0; nothing on others.
std::vector<std::vector<std::string>> gather_text_lists(Communicator& ranks, std::span<const std::string> texts);

// One text of each rank, as gather_everywhere.
std::vector<std::string> gather_texts(Communicator& ranks, const std::string& text);

// One number of each rank, likewise.
std::vector<std::int64_t> gather_numbers(Communicator& ranks, std::int64_t number);

// The text of a rank, on every rank.
std::string broadcast_text(Communicator& ranks, const std::string& text, int from = 0);

}  // namespace papilio::execution
