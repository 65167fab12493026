// The table itself, in the order in which help shows it. A command's rows live beside its code, in
// <name>_command.cpp.
#include "cli/commands.h"

#include <vector>

namespace capsule::cli {
namespace {

std::vector<Command> rows() {
  std::vector<Command> table;
  const auto add = [&](std::initializer_list<Command> rows) { table.insert(table.end(), rows); };
  const auto add_all = [&](std::span<const Command> rows) {
    table.insert(table.end(), rows.begin(), rows.end());
  };
  add({kRunCommand,       kPrepCommand,      kRunPhaseCommand,  kMergeCommand,  kDeliverCommand,
       kPlanCheckCommand, kInboxCommand,     kQuestionsCommand, kServeCommand,  kAnswerCommand,
       kApproveCommand,   kRejectCommand,    kTellCommand,      kUiCommand,     kNotifyCommand,
       kNoteCommand,      kStatusCommand,    kLogCommand,       kAttachCommand, kPauseCommand,
       kAbortCommand,     kSnapshotsCommand, kRestoreCommand,   kGcCommand,     kLedgerCommand,
       kCostCommand});
  add_all(agents_commands());
  add({kTeardownCommand, kInitCommand, kDoctorCommand, kContainCommand, kSetupTemplateCommand,
       kDemoCommand, kParseSignalCommand, kSignalParseCommand, kSignalListCommand,
       kSignalFormatCommand});
  add_all(bead_commands());
  add_all(workflow_commands());
  add_all(auto_run_commands());
  add_all(auto_commands());
  add_all(hook_commands());
  add_all(cluster_commands());
  add({kWorkerCommand, kConfigShowCommand, kConfigKeysCommand, kRehearseCommand, kGenerateCommand});
  return table;
}

}  // namespace

command_line::Table commands() {
  static const std::vector<Command> table = rows();
  return table;
}

}  // namespace capsule::cli
