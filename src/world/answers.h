// Answers of people to the questions of a run. A person answers by a file in
// .capsule/answers/<run>/, which the run takes into its journal: at once when a process works on
// it, or when it is started again. The first answer to a question wins, because such a file is made
// once.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace capsule::world {

std::string answers_folder(const std::string& project, const std::string& run);

// Leaves an answer. Error exists: somebody has answered before. Ensures: it survives a power loss.
Result<void> leave_answer(const std::string& project, const std::string& run, int question,
                          const std::string& text);
// Takes an answer back that nobody has taken into the journal yet. Error not_found: there is none.
Result<void> take_back_answer(const std::string& project, const std::string& run, int question);
std::optional<std::string> pending_answer(const std::string& project, const std::string& run,
                                          int question);

// The file of --answers, for runs that nobody watches. Each line is "KEY: answer", where KEY is the
// number of a question, a task's id, or * for all others; lines without such a key answer in their
// order. Or one JSON object with the same keys. Lines that begin with # are passed over.
class AnswersFile {
 public:
  static Result<AnswersFile> read(const std::string& path);
  // The answer to a question that is asked now; the same question gets the same answer again.
  std::optional<std::string> answer(int question, const std::string& task);

 private:
  std::map<std::string, std::vector<std::string>> by_key_;
  std::map<std::string, std::size_t> used_;
  std::map<int, std::string> given_;
};

}  // namespace capsule::world
