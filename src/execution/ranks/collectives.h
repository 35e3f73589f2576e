#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "papilio/communicator.h"

// What ranks do together, made of the calls of a communicator.

namespace papilio::execution {

// Gives every rank the bytes of each rank, in the order of the ranks.
std::vector<std::vector<std::byte>> gather_everywhere(Communicator& ranks, std::span<const std::byte> bytes);

// Gives every rank the numbers of all ranks, one rank's after the other's, in the order of the ranks.
std::vector<std::int32_t> join_everywhere(Communicator& ranks, std::span<const std::int32_t> numbers);
std::vector<std::int64_t> join_everywhere(Communicator& ranks, std::span<const std::int64_t> numbers);
std::vector<double> join_everywhere(Communicator& ranks, std::span<const double> numbers);

// Sends sent[r] to rank r. Returns what each rank has sent to this one, in the order of the ranks.
std::vector<std::vector<std::byte>> exchange(Communicator& ranks, std::vector<std::vector<std::byte>> sent);

// The bytes of memory that sending texts takes: packed to be sent, and unpacked where they arrive.
std::int64_t memory_of_sent(std::span<const std::string> texts);

// Gives every rank the texts of rank `from`.
std::vector<std::string> broadcast_texts(Communicator& ranks, std::vector<std::string> texts, int from = 0);

// Gives rank 0 the texts of each rank, in the order of the ranks; other ranks get nothing.
std::vector<std::vector<std::string>> gather_text_lists(Communicator& ranks, std::span<const std::string> texts);

// Gives every rank one text of each rank, like gather_everywhere.
std::vector<std::string> gather_texts(Communicator& ranks, const std::string& text);

// Gives every rank one number of each rank, likewise.
std::vector<std::int64_t> gather_numbers(Communicator& ranks, std::int64_t number);

// Gives every rank the text of rank `from`.
std::string broadcast_text(Communicator& ranks, const std::string& text, int from = 0);

}  // namespace papilio::execution
