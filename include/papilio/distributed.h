#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "papilio/communicator.h"
#include "papilio/corpus.h"
#include "papilio/corpus_formats.h"
#include "papilio/evaluation.h"
#include "papilio/lda.h"
#include "papilio/model.h"

// Training (TrainOptions::ranks), inference and held-out scores over ranks; checkpoints that one process or several
// ranks write while training goes on. docs/distributed.md.

namespace papilio {

class MappedCorpus;

// The documents of one rank, and their tokens.
struct RankDocuments {
  std::int64_t first_document = 0;
  std::int64_t end_document = 0;
  std::int64_t first_token = 0;
  std::int64_t end_token = 0;

  std::int64_t documents() const { return end_document - first_document; }
  std::int64_t tokens() const { return end_token - first_token; }
};

// Returns the documents that a rank draws, for a corpus that verifies: a contiguous range, with about the same number
// of tokens for every rank. The ranges follow one another in the order of the ranks and cover the corpus. If there are
// more ranks than documents, some ranks have none. Throws InvalidArgument unless 0 <= rank < ranks.
RankDocuments documents_of_rank(const CorpusView& corpus, int rank, int ranks);

// Collective. Does what MappedCorpus::verify does, shared by the ranks: each has mapped the file, or its host's copy of
// it. A rank reads its own documents and the vocabulary; rank 0 reads the whole file. `threads` of this rank; 0: all.
// Returns the corpus's identity on every rank, for TrainOptions::corpus_identity and that of the options below.
//
// Afterwards the ranks' own documents together are those of one corpus file whose hashes match. No single wait is
// longer than a second, however long another rank reads.
//
// If it throws, it throws on every rank. If the hashes in the files differ, all throw InvalidArgument. A rank whose
// threads are not 0 to 4096 throws it, too; one whose file is damaged in the part that it reads, or whose documents
// differ from rank 0's, FormatError. Others throw RankError, which names it. Only rank 0 reads others' documents.
//
//   const papilio::MappedCorpus corpus("news.papilio-corpus");
//   const papilio::CorpusIdentity identity = papilio::verify_over_ranks(corpus, *ranks);
//   papilio::train(corpus.view(), {.topics = 1000, .ranks = ranks, .corpus_identity = &identity});
CorpusIdentity verify_over_ranks(const MappedCorpus& corpus, Communicator& ranks, int threads = 0);

// A corpus, from a file of any format, that the ranks have read together. Each rank holds the words of its own
// documents only. All functions throw InvalidArgument for a moved-from object.
//
//   const papilio::RankCorpus corpus = papilio::read_corpus("docword.news.txt", {}, *ranks);
//   papilio::train(corpus.view(), {.topics = 1000, .ranks = ranks, .corpus_identity = &corpus.identity()});
class RankCorpus {
 public:
  RankCorpus(RankCorpus&&) noexcept;
  RankCorpus& operator=(RankCorpus&&) noexcept;
  ~RankCorpus();

  // The whole corpus, but only the words of this rank's documents (documents_of_rank) may be read: reading those of
  // others ends the process (SIGSEGV). Only rank 0 has names of documents. Valid as long as this object.
  CorpusView view() const;
  const CorpusIdentity& identity() const;

  // How often each word occurs in the whole corpus.
  std::span<const std::int64_t> word_counts() const;

  // Collective. The whole corpus on rank 0, 4 bytes per token; others get an empty one. Throws InvalidArgument on every
  // rank unless these are the ranks that have read it, each its own part of the same corpus.
  Corpus gather(Communicator& ranks) const;

 private:
  friend RankCorpus read_corpus(const std::string& path, const CorpusOptions& options, Communicator& ranks,
                                ReadReport* report);
  class Part;
  explicit RankCorpus(std::unique_ptr<Part> part);
  const Part& part() const;
  std::unique_ptr<Part> part_;
};

// Collective. Reads the corpus that read_corpus of one process reads: the same words, numbers and documents, for any
// number of ranks. Every rank passes the same options; threads and max_memory may differ.
//
// Uncompressed text, JSON lines and UCI bag of words: each rank reads its share of the bytes, cut at line ends, and
// receives from the others what their shares hold of its documents. A corpus file: each rank copies its own documents,
// as verify_over_ranks reads them. Compressed files, other formats, text with phrases, and the vocabulary of UCI: rank
// 0 alone reads them and sends each rank its documents; until then it holds the whole corpus. Every rank gets the full
// report, except for the words left out, which only rank 0 is sure to get.
// For text and JSON lines, the words reported as too short, numbers or outside the pattern are those that one process
// reports. Only the `examples` may differ, if a rank's share has more than 16 x most_left_out_words distinct words for
// one reason: the rank counts only the first of them.
//
// max_memory limits, for every file: what each rank's own reading holds, the vocabulary, on rank 0 the names of all
// documents, the offsets of all documents (16 bytes each), and the exchange of the documents that a rank has read for
// its own (up to 8 bytes per token of both). For UCI bag of words also the entries that ranks send and receive and the
// offsets of all documents; for text and JSON lines also the vocabulary of the whole text and, on rank 0, the words of
// all ranks while it numbers them. All of this is counted before it is allocated.
//
// Throws what read_corpus throws, on the rank that finds the error, with the line in the whole file; of several errors
// the first in the file. The others throw RankError, which names that rank. All ranks throw InvalidArgument if their
// options differ (except threads, max_memory and vocabulary, of which rank 0's counts), or if their files differ in
// size or in the first 4096 bytes; other differences are not found. If a document of JSON lines has too many tokens,
// its number in the message counts the blank lines of the ranks before; the line is that of the file. A rank stops
// reading when another has failed, or when it is interrupted (papilio/interruption.h).
RankCorpus read_corpus(const std::string& path, const CorpusOptions& options, Communicator& ranks,
                       ReadReport* report = nullptr);

// Whether ranks each read a part of this file, and so need it; else rank 0 alone reads it. Ask where rank 0's file is;
// false if there is none. Throws IoError if it cannot be read, and InvalidArgument for options out of range.
bool is_read_in_parts(const std::string& path, const CorpusOptions& options);

// Collective. Returns on rank 0 the state of the whole chain, joined from the parts that train returned on each rank,
// in 4 bytes per token of the whole corpus; on other ranks a state without topics. Throws RankError.
ChainState gather_topics(const ChainState& part, Communicator& ranks);

// Collective: infer and the held-out scores of papilio/evaluation.h, each rank for its documents, `documents_of_rank`.
// Every rank has the same model, corpus and options; threads and device may differ. The results are those of one
// process, bit for bit. A rank with `corpus_identity`, from verify_over_ranks or RankCorpus::identity, reads only its
// own documents; one without it verifies and hashes the whole corpus, which a RankCorpus does not allow.
//
// infer              rank 0 returns all documents, D x K; the others none, with known_tokens, unknown_words and
//                    unknown_tokens of all
// the other two      every rank returns the same, and keeps 8 or 16 bytes per document of the corpus meanwhile
//
// Throws as the functions for one process do, InvalidArgument if ranks differ, and RankError. If one rank throws, the
// others throw too.
//
//   const papilio::DocumentTopics topics = papilio::infer(model, corpus, {.seed = 7}, *ranks);
//   if (ranks->rank() == 0) topics.row(3)[0];  // the proportion of topic 0 in document 3
DocumentTopics infer(const Model& model, const CorpusView& corpus, const InferOptions& options, Communicator& ranks);
Completion complete_documents(const Model& model, const CorpusView& corpus, const CompletionOptions& options,
                              Communicator& ranks);
LeftToRight left_to_right(const Model& model, const CorpusView& corpus, const LeftToRightOptions& options,
                          Communicator& ranks);

struct CheckpointWriterOptions {
  // Called if a checkpoint could not be written: the one before it stays, and training goes on. Over ranks, called on
  // every rank, with the error of the first that failed. Without this function the error is thrown, and ends training.
  std::function<void(const IoError&)> failed = {};

  // Called when the checkpoint of a sweep is in place, on every rank.
  std::function<void(std::int64_t sweep)> saved = {};

  // The corpus's identity, by default TrainOptions::corpus_identity. Without either, the corpus is read to compute it
  // while the first checkpoint is written.
  std::optional<CorpusIdentity> identity = {};

  std::string note = {};  // of all checkpoints, as for save_checkpoint: UTF-8; over ranks, rank 0's counts
};

// Writes the same checkpoints as save_checkpoint, on a thread of its own: TrainOptions::checkpoint_writer.
//
// Over options.ranks each rank has a writer, whose thread writes the rank's part. When all parts are complete, rank 0
// writes the file that names them; ranks learn this from a number that they add up after each sweep. If several GPUs
// train in one process (TrainOptions::devices), or `options` has no ranks, the file is that of one process.
//
// Memory: a copy of the topics while they are written, 1 byte per token up to 256 topics, 2 up to 65,536, else 4. If
// there is no room for the copy, or no thread, `begin` writes the topics itself.
//
// One thread at a time uses a writer. Both functions of CheckpointWriterOptions are called by that thread, within
// `begin`, `finish` and `advance`.
//
//   papilio::TrainOptions options = {.topics = 1000, .checkpoint_seconds = 600};
//   papilio::CheckpointWriter writer(corpus.view(), options, "news.chain");
//   options.checkpoint_writer = &writer;
//   papilio::train(corpus.view(), options);
class CheckpointWriter {
 public:
  // Borrows the corpus and options.ranks. Throws InvalidArgument for an identity whose sizes are not those of the
  // corpus.
  CheckpointWriter(const CorpusView& corpus, const TrainOptions& options, std::string path,
                   CheckpointWriterOptions writer_options = {});
  // Waits for the file that this process is writing.
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  // Collective. Waits for the previous checkpoint, copies the state, and returns while it is written. Throws
  // InvalidArgument for options out of range and for a state that does not fit.
  void begin(const ChainState& state);

  // Collective. Returns when the checkpoint under way is in place, or has failed. No single wait for another rank is
  // longer than a second, however long the writing takes.
  void finish();

  // Whether a checkpoint has been begun that is neither known to be in place nor to have failed; the same on all ranks.
  bool is_under_way() const;

  // Whether the ranks write a part each.
  bool is_over_ranks() const;

  // For `train`: after each sweep it adds up `progress` over the ranks and passes the sum to `advance`, by which all
  // ranks take the same next step. `advance` is collective if something has failed.
  std::int64_t progress();
  void advance(std::int64_t sum);

  // The corpus's identity, if it is known.
  const std::optional<CorpusIdentity>& identity() const;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace papilio
