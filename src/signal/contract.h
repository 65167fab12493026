// The contract dialect: the last JSON object of a phase's output is its signal. The rules are in
// docs/contracts/signals.md. Pure and linear for every input; results own their bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/scan.h"
#include "signal/miss.h"

namespace capsule::signal {

enum class Status { pass, needs_work, error };
std::string_view name_of(Status);                        // "PASS", "NEEDS_WORK", "ERROR"
std::optional<Status> status_of(std::string_view name);  // exactly these names

enum class ContractFault {
  none,
  no_signal,      // no JSON object at all
  broken_signal,  // the last signal is not valid JSON
  missing_field,
  invalid_status,
  files_not_array,
  files_not_strings,
  feedback_not_string,
  summary_not_string,
};

struct ContractSignal {
  Status status = Status::error;
  std::string feedback;
  std::vector<std::string> files_changed;
  std::string summary;
  std::string json;  // the whole object, compact, on one line, without line feed
};

struct ContractResult {
  ContractFault fault = ContractFault::none;
  ContractSignal signal;  // with a fault: the synthetic ERROR signal that says what is wrong
};

// Reads the whole output of a phase; nothing of it is copied but the signal.
ContractResult parse_contract(std::string_view output);

// Why a phase's output has no signal that counts.
Miss miss_of(ContractFault fault);

// The signal that stands for a phase which gave none.
ContractSignal synthetic_error(std::string_view feedback);

// One value that began in the output, how it ended, and what that means.
struct ContractNote {
  enum class Kind { object, array, failed_object, failed_array, broken_signal };
  Kind kind;
  std::uint64_t begin;  // offsets in the output, in bytes
  std::uint64_t end;    // after the value; where it fails: the first byte that is not part of it
  json::Fault fault = json::Fault::none;
  bool taken = false;  // the result was made from this one
  std::string why;     // one sentence for a person
};

// Every value in order. `tell` is called while reading: nothing is kept, however long the list is.
void explain_contract(std::string_view output,
                      const std::function<void(const ContractNote&)>& tell);
std::vector<ContractNote> explain_contract(std::string_view output);

// Finds the values in text that comes in pieces; knows offsets, keeps no text.
class ContractWalk {
 public:
  struct Value {
    ContractNote::Kind kind;
    std::uint64_t begin;
    std::uint64_t end;
    json::Fault fault;
  };

  // `found(const Value&)` is called for each value that ends in this piece.
  template <class Found>
  void feed(std::string_view chunk, Found&& found);
  // The end of the text.
  template <class Found>
  void finish(Found&& found);

  // Where the value that is being read began, if one is.
  bool in_object() const { return mode_ == Mode::value && scan_.is_object(); }
  std::uint64_t value_begin() const { return begin_; }

 private:
  enum class Mode { text, value, rest_of_line };
  bool is_broken_signal(bool cut_off) const;
  bool only_blanks_before(const char* first, const char* at) const;

  json::Scan scan_;
  Mode mode_ = Mode::text;
  bool line_is_blank_ = true;  // only blanks between the last line feed and the next piece
  std::uint64_t base_ = 0;     // offset of the next piece
  std::uint64_t begin_ = 0;
};

// The same while the agent is still printing: however the output is cut into pieces, the result is
// that of parse_contract(). Keeps at most two values (32 MiB), whatever the length of the output.
class ContractScanner {
 public:
  void feed(std::string_view chunk);
  ContractResult finish();  // once; then the scanner is spent

 private:
  ContractWalk walk_;
  std::uint64_t base_ = 0;
  std::string partial_;    // what has been read of the object that is still open
  std::string candidate_;  // the last object that was complete
  bool has_candidate_ = false;
  bool broken_since_ = false;  // a broken signal began after it
};

}  // namespace capsule::signal
