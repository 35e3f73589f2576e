#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "papilio/communicator.h"
#include "support/exit_code.h"

// Running a subcommand as one of the processes that an MPI launcher has started.

// Joins the others; null if there are none. Only rank 0 prints messages. `deadline_seconds`: how long a rank waits for
// the others. `device` as for --device: for "cuda", each rank leaves the GPUs of the others alone.
std::unique_ptr<papilio::Communicator> join_ranks(double deadline_seconds, std::string_view device);

// For a process that ends before it has joined the others: joins them only to tell them the reason.
void fail_before_joining(std::string_view command, std::string_view reason) noexcept;

// Whether this process is the one that prints and writes.
bool is_first(const papilio::Communicator* ranks);

// The device on which a rank works, from the one that the job names: "cuda" is the GPU with the rank's number on its
// host; "auto" and an empty name are the CPU.
std::string device_of_rank(const std::string& name);

// Throws CommandError if an input is standard input, which only one process can read.
void require_no_standard_input(std::initializer_list<std::string> paths);

// Does the work of this rank (null: of the only process). A rank that fails prints its number and the reason, and tells
// the others; only one of those that are told prints it again.
ExitCode as_rank(papilio::Communicator* ranks, std::string_view command, const std::function<ExitCode()>& work);
