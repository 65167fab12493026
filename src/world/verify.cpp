#include "world/verify.h"

namespace capsule::world {

gate::Verify verify_of(const config::Config& config) {
  gate::Verify verify;
  for (const auto& [name, command] : {std::pair("build", &config.verify.build),
                                      {"lint", &config.verify.lint},
                                      {"test", &config.verify.test}})
    if (*command) verify.add(name, {(*command)->argv, (*command)->shell});
  verify.dir = config.verify.dir;
  verify.timeout = config.verify.timeout;
  verify.test_report = config.verify.test_report;
  return verify;
}

std::string verify_text(const config::Config& config) {
  const gate::Verify verify = verify_of(config);
  std::string text;
  for (const gate::NamedCommand& command : verify.commands)
    text += "- " + command.name + ": `" + spelled(command.command) + "`" +
            (verify.dir.empty() || verify.dir == "." ? "" : " in `" + verify.dir + "`") + "\n";
  return text;
}

}  // namespace capsule::world
