#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "papilio/communicator.h"
#include "support/exit_code.h"

// A subcommand as one of the processes that a launcher of MPI has started.

// Joins the others; null if there are none. Of the ranks 0 alone tells. `deadline_seconds`: how long a rank waits
// for the others. `device` as for --device: of "cuda" each leaves the GPUs of the others alone.
std::unique_ptr<papilio::Communicator> join_ranks(double deadline_seconds, std::string_view device);

// For a process that ends before it has joined the others: joins them only to tell them why.
void fail_before_joining(std::string_view command, std::string_view reason) noexcept;

// Whether this process is the one that tells and writes.
bool is_first(const papilio::Communicator* ranks);

// The device that a rank works on where a job of several names one: "cuda" is the GPU of the rank's number on its host,
// and "auto" or none the CPU.
std::string device_of_rank(const std::string& name);

// Throws CommandError where an input is standard input, which only one process can read.
void require_no_standard_input(std::initializer_list<std::string> paths);

// Does the work of this rank (null: of the only process). One that fails names itself and tells the others; of these
// only one says what it has heard.
ExitCode as_rank(papilio::Communicator* ranks, std::string_view command, const std::function<ExitCode()>& work);
