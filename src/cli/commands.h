// The rows of each command file. A new command is one function here, one line in commands.cpp. What
// rows are made of goes by its bare name in this folder.
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

Command parse_signal_command();
Command signal_parse_command();
Command signal_list_command();
Command signal_format_command();
Command config_show_command();
Command config_keys_command();
std::span<const Command> bead_commands();
Command run_command();
Command prep_command();
Command run_phase_command();
Command merge_command();
Command status_command();
Command log_command();
Command attach_command();
Command pause_command();
Command abort_command();
Command snapshots_command();
Command restore_command();
Command gc_command();
Command ledger_command();
Command notify_command();
Command cost_command();
std::span<const Command> agents_commands();
Command teardown_command();
Command init_command();
Command doctor_command();
Command contain_command();
Command setup_template_command();
Command demo_command();
std::span<const Command> workflow_commands();
std::span<const Command> auto_run_commands();
std::span<const Command> auto_commands();
std::span<const Command> hook_commands();
Command deliver_command();
Command plan_check_command();
Command inbox_command();
Command questions_command();
Command serve_command();
Command answer_command();
Command tell_command();
Command note_command();
Command approve_command();
Command reject_command();
Command ui_command();
// `capsule` without a word, on a terminal inside a project that has runs or beads: the dashboard,
// to its exit code. Anywhere else: nothing, and help is shown.
std::optional<int> dashboard_alone();
Command rehearse_command();
std::vector<Command> cluster_commands();
Command generate_command();

}  // namespace capsule::cli
