// The rows of each command file. A new command has its name here and in commands.cpp. What rows
// are made of goes by its bare name in this folder.
#pragma once

#include <optional>

#include "command_line/command.h"

namespace capsule::cli {

using command_line::Args;
using command_line::Command;
using command_line::Errors;
using command_line::Option;
using command_line::Positional;
using command_line::report;

// All rows, in the order in which help shows them.
command_line::Table commands();

extern const Command kRunCommand, kPrepCommand, kRunPhaseCommand, kMergeCommand, kDeliverCommand,
    kPlanCheckCommand, kInboxCommand, kQuestionsCommand, kServeCommand, kAnswerCommand,
    kApproveCommand, kRejectCommand, kTellCommand, kUiCommand, kNotifyCommand, kNoteCommand,
    kStatusCommand, kLogCommand, kAttachCommand, kPauseCommand, kAbortCommand, kSnapshotsCommand,
    kRestoreCommand, kGcCommand, kLedgerCommand, kCostCommand, kTeardownCommand, kInitCommand,
    kDoctorCommand, kContainCommand, kSetupTemplateCommand, kDemoCommand, kParseSignalCommand,
    kSignalParseCommand, kSignalListCommand, kSignalFormatCommand, kConfigShowCommand,
    kConfigKeysCommand, kRehearseCommand, kGenerateCommand, kWorkerCommand;
std::span<const Command> agents_commands();
std::span<const Command> bead_commands();
std::span<const Command> workflow_commands();
std::span<const Command> auto_run_commands();
std::span<const Command> auto_commands();
std::span<const Command> hook_commands();
std::span<const Command> cluster_commands();

// `capsule` without a word, on a terminal inside a project that has runs or beads: the dashboard,
// to its exit code. Anywhere else: nothing, and help is shown.
std::optional<int> dashboard_alone();

}  // namespace capsule::cli
