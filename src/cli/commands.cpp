// The table itself, in the order in which help shows it. A command's rows live beside its code, in
// <name>_command.cpp.
#include "cli/commands.h"

#include <vector>

namespace capsule::cli {
namespace {

std::vector<Command> rows() {
  std::vector<Command> table;
  const auto add = [&](const Command& row) { table.push_back(row); };
  add(run_command());
  add(prep_command());
  add(run_phase_command());
  add(merge_command());
  add(deliver_command());
  add(plan_check_command());
  add(inbox_command());
  add(questions_command());
  add(serve_command());
  add(answer_command());
  add(approve_command());
  add(reject_command());
  add(tell_command());
  add(ui_command());
  add(notify_command());
  add(note_command());
  add(status_command());
  add(log_command());
  add(attach_command());
  add(pause_command());
  add(abort_command());
  add(snapshots_command());
  add(restore_command());
  add(gc_command());
  add(ledger_command());
  add(cost_command());
  for (const Command& row : agents_commands()) add(row);
  add(teardown_command());
  add(init_command());
  add(doctor_command());
  add(contain_command());
  add(setup_template_command());
  add(demo_command());
  add(parse_signal_command());
  add(signal_parse_command());
  add(signal_list_command());
  add(signal_format_command());
  for (const Command& row : bead_commands()) add(row);
  for (const Command& row : workflow_commands()) add(row);
  for (const Command& row : auto_run_commands()) add(row);
  for (const Command& row : auto_commands()) add(row);
  for (const Command& row : hook_commands()) add(row);
  for (const Command& row : cluster_commands()) add(row);
  add(config_show_command());
  add(config_keys_command());
  add(rehearse_command());
  add(generate_command());
  return table;
}

}  // namespace

command_line::Table commands() {
  static const std::vector<Command> table = rows();
  return table;
}

}  // namespace capsule::cli
