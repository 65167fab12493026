#include "agent/run.h"

#include <optional>

#include "agent/crew.h"
#include "agent/outcome.h"
#include "dialect/reader.h"

namespace capsule::agent {

Result<Report> run_agent(process::Loop& loop, const Provider& provider,
                         const Assignment& assignment, Watch& watch) {
  signal::ContractScanner scanner;
  dialect::Reader reader(provider.output, {});
  std::optional<Ending> ending;
  Task task;
  task.provider = provider;
  task.folder = assignment.folder;
  task.prompt = assignment.prompt;
  task.env = assignment.env;
  task.secrets = assignment.secrets;
  task.walls = assignment.walls;
  task.on_contained = assignment.on_contained;
  task.on_refused = assignment.on_refused;
  task.timeout = assignment.timeout;
  task.log_folder = assignment.folder;
  task.log_beneath = kOutputFolder;
  task.log_name = assignment.phase + "-" + assignment.stamp;
  task.log_has_pid = true;
  task.on_log = [&](const std::string& path) { watch.on_log(path); };
  task.on_output = [&](std::string_view bytes) {
    scanner.feed(bytes);
    reader.feed(bytes);
    watch.on_output(bytes);
  };
  Crew crew(loop, assignment.interrupted);  // after all that its callbacks touch
  TRY(crew.start(task, [&](MemberId, const Ending& how) { ending = how; }));
  loop.run_while([&] { return !ending.has_value(); });
  if (ending->error) return tl::unexpected(*ending->error);
  const dialect::Reading reading = reader.finish();
  const Outcome outcome = outcome_of(*ending, reading, {});
  if (assignment.on_ended) assignment.on_ended(*ending, reading, outcome);
  // The signal of a client that prints events is in its last words.
  return report_of(*ending, outcome,
                   reading.streamed ? signal::parse_contract(reading.text) : scanner.finish(),
                   assignment.phase);
}

}  // namespace capsule::agent
