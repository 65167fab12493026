#include "cli/project_args.h"

#include "base/ids.h"
#include "base/text.h"
#include "world/hand_run.h"

namespace capsule::cli {

world::ProjectWords project_words(const Args& args) {
  world::ProjectWords words;
  words.folder = args.option(kProjectDir.name).value_or(".");
  words.provider = args.option(kProvider.name);
  words.max_retries = args.option("max-retries");
  words.contain = args.option(kContain.name);
  words.developers = args.option("developers");
  words.critics = args.option("critics");
  words.auditors = args.option("auditors");
  words.scripts_dir = args.option(kScriptsDir.name).value_or("");
  return words;
}

Result<world::Project> open_project(const Args& args) {
  return world::open_project(project_words(args));
}

Result<world::Project> open_checked_project(const Args& args) {
  world::Project project = TRY(open_project(args));
  project.config.verify.recheck = args.flag("recheck");
  return project;
}

Result<world::Project> open_loose_project(const Args& args, const std::string& folder) {
  return world::open_loose_project(project_words(args), folder);
}

std::string project_folder(const Args& args) {
  return world::project_folder(project_words(args).folder);
}

Result<event::Integrate> integrate_argument(const Args& args) {
  using event::Integrate;
  const auto text = args.option("integrate");
  if (!text) return Integrate::unsaid;
  for (const Integrate how : {Integrate::merge, Integrate::ask, Integrate::branch})
    if (*text == name_of(how)) return how;
  return fail(Reason::usage,
              "--integrate cannot be '" + printable(std::string(text->substr(0, 40))) + "'",
              "it is merge, ask or branch");
}

Result<std::string> bead_argument(const Args& args) {
  const std::string_view id = args.positional(0).value_or("");
  if (valid_id(id)) return std::string(id);
  return fail(Reason::usage, "'" + printable(id.substr(0, 120)) + "' is not a bead id",
              "ids are letters, digits, '.', '_' and '-', such as demo-1.1.1");
}

}  // namespace capsule::cli
