// Every signal of the three dialects, in one table. Parsers, commands, prompts and workflows all
// read it, so that what an agent is told to print and what is recognised cannot drift apart.
// Static data: views live as long as the program; any thread may read.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace capsule::signal {

enum class Dialect : std::uint8_t { contract, line, block };

enum class Signal : std::uint8_t {
  // contract
  pass,
  needs_work,
  error,
  // line
  ready_for_review,
  task_incomplete,
  infra_blocked,
  review_passed,
  review_failed,
  audit_passed,
  audit_failed,
  audit_blocked,
  expanded_spec,
  remediation_complete,
  health_healthy,
  health_unhealthy,
  divine_clarification,
  expert_request,
  expert_advice,
  expert_unsuccessful,
  expert_created,
  file_conflict,
  checkpoint,
  unknown,
  // block
  expansion_complete,
  init_complete,
  planning_complete,
  execution_complete,
  qa_complete,
  review_complete,
  fix_complete,
  check_complete,
  reflect_complete,
  auto_complete,
  transition_to_qa,
  transition_to_validation,
  transition_to_fix,
  phase_error,
};
inline constexpr std::size_t kSignalCount = static_cast<std::size_t>(Signal::phase_error) + 1;

// Who works in the delivery workflow. The names are those of the prompt files and CAPSULE_ROLE.
enum class Role : std::uint8_t {
  developer,
  critic,
  auditor,
  business_analyst,
  remediation,
  health_auditor,
  expert,
  plan_analyst,
};
inline constexpr std::size_t kRoleCount = static_cast<std::size_t>(Role::plan_analyst) + 1;

class Roles {
 public:
  constexpr Roles() = default;
  constexpr Roles(std::initializer_list<Role> roles) {
    for (Role role : roles) bits_ |= bit(role);
  }
  constexpr bool contains(Role role) const { return (bits_ & bit(role)) != 0; }

 private:
  static constexpr unsigned bit(Role role) { return 1U << static_cast<unsigned>(role); }
  unsigned bits_ = 0;
};

// The classes of the line dialect, the most urgent first.
enum class Priority : std::uint8_t {
  blocked,
  divine,
  expert_request,
  file_conflict,
  primary,
  checkpoint,
  none,  // not ranked: the other dialects, and `unknown`
};

// What follows the wire text on a signal's line.
enum class Capture : std::uint8_t {
  line,  // nothing: the line is the wire text
  word,  // a colon, then the next word
  rest,  // a colon, then the rest of the line
};

// The nine phases of the auto workflow, in their order, and where they lead.
enum class Phase : std::uint8_t {
  expansion,
  init,
  planning,
  execution,
  qa,
  review,
  fix,
  check,
  reflect,
  complete,
};
inline constexpr std::size_t kPhaseCount = static_cast<std::size_t>(Phase::complete) + 1;

// What a block signal says about its phase.
enum class BlockKind : std::uint8_t { none, completion, finish, transition, error };

struct Row {
  Signal signal;
  Dialect dialect;
  std::string_view name;  // in results
  std::string_view wire;  // as an agent prints it
  std::string_view handler;
  std::string_view meaning;  // one sentence, no full stop
  std::string_view format;   // what an agent has to print, ends with a line feed; see format_text

  // line
  Roles senders = {};
  Priority priority = Priority::none;
  Capture capture = Capture::line;
  bool names_task = false;  // the argument is a task id
  bool repeats = false;     // may stand several times with different arguments

  // block
  BlockKind kind = BlockKind::none;
  Phase phase = Phase::complete;  // which phase it speaks of; not of PHASE_ERROR
};

std::span<const Row> vocabulary();                // all, dialect by dialect
std::span<const Row> vocabulary(Dialect);         // of one dialect
const Row& row(Signal);                           // its row
const Row* find_signal(std::string_view name);    // by result name or wire text, in any case
std::vector<std::string> senders_of(const Row&);  // names, for people and programs

// The labels of a signal's body, in the order of its format: derived from the format's lines that
// begin with a capital letter and hold a colon, and the delegation prompt.
std::vector<std::string_view> labels_of(const Row&);

// The lines that enclose a prompt for an expert; nothing between them is a signal or a label.
inline constexpr std::string_view kPromptStart = "---DELEGATION PROMPT START---";
inline constexpr std::string_view kPromptEnd = "---DELEGATION PROMPT END---";
inline constexpr std::string_view kPromptLabel = "DELEGATION PROMPT";

// The exact text that an agent has to print. `task` stands in for [task_id], `phase` for
// [current_phase] where the signal leaves it open; what stays open stays in brackets.
std::string format_text(const Row&, std::string_view task = {},
                        std::optional<Phase> phase = std::nullopt);

std::string_view name_of(Dialect);
std::string_view name_of(Role);
std::string_view name_of(Priority);
std::string_view name_of(Phase);
std::optional<Dialect> dialect_named(std::string_view);
std::optional<Role> role_named(std::string_view);
std::optional<Phase> phase_named(std::string_view);  // in any case

struct Skips {
  bool expansion = false;
  bool qa = false;
  bool review = false;  // review, fix and check
  bool reflect = false;
};

Phase first_phase(Skips);
// The phase after `phase`; `complete` leads to itself.
Phase next_phase(Phase phase, Skips skips);
// The signal that ends `phase`; AUTO_COMPLETE for `complete`.
Signal expected_signal(Phase phase);

// Whether two texts are the same but for the case of ASCII letters.
bool same_letters(std::string_view a, std::string_view b);

// A task id: [A-Za-z0-9][A-Za-z0-9._-]{0,99} without "..".
bool is_task_id(std::string_view text);

}  // namespace capsule::signal
