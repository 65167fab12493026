#include "run/notifying.h"

#include <unistd.h>

#include <cstdlib>
#include <ctime>

#include "base/files.h"
#include "base/text.h"

namespace capsule::run {
namespace {

int minute_of_day() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  return local.tm_hour * 60 + local.tm_min;
}

// The terminal that the run was started at; nothing where there is none.
std::function<void(const std::string&)> terminal() {
  for (const int fd : {STDERR_FILENO, STDOUT_FILENO})
    if (::isatty(fd) == 1)
      return [fd](const std::string& bytes) { (void)write_all(fd, bytes, "the terminal"); };
  return {};
}

std::string folder_name(const std::string& root) { return root.substr(root.rfind('/') + 1); }

}  // namespace

notify::Sender::Surroundings surroundings_of(const std::string& root) {
  notify::Sender::Surroundings all;
  all.root = root;
  all.variable = [](const char* name) -> const char* { return ::getenv(name); };
  all.minute_of_day = minute_of_day;
  all.ring = terminal();
  return all;
}

Notifying::Notifying(engine::Listener& face, view::OneRun& shown, process::Loop& loop,
                     const world::Project& project, const std::string& run,
                     std::function<void(const std::string&)> tell)
    : face_(face),
      shown_(shown),
      watch_(folder_name(project.root()), run),
      sender_(loop, project.config.notify, [&] {
        notify::Sender::Surroundings all = surroundings_of(project.root());
        if (tell)
          all.became = [tell = std::move(tell)](const std::string& way,
                                                const Result<void>& result) {
            if (!result)
              tell("Nobody was told by notify." + way + ": " + result.error().message +
                   ". The run goes on; try it with: capsule notify --test");
          };
        return all;
      }()) {
  watch_.look(shown_.project());
}

void Notifying::recall(const std::vector<event::Fact>& facts) {
  face_.recall(facts);
  watch_.look(shown_.project());
}

void Notifying::on_facts(std::span<const event::NewFact> facts) {
  face_.on_facts(facts);
  look();
}

void Notifying::on_cut_off(const Error& error) {
  face_.on_cut_off(error);
  look();
}

void Notifying::look() {
  for (const notify::Notice& notice : watch_.look(shown_.project())) sender_.send(notice);
}

Result<bool> send_samples(const world::Project& project, std::string_view kind,
                          const std::function<void(const std::string&)>& tell) {
  const auto loop = TRY(process::Loop::create());
  bool all_well = true;
  notify::Sender::Surroundings surroundings = surroundings_of(project.root());
  surroundings.tell_all = true;
  surroundings.became = [&](const std::string& way, const Result<void>& result) {
    all_well = all_well && result.has_value();
    tell("  " + way + ": " + (result ? "sent" : "failed: " + printable(result.error().message)) +
         "\n");
  };
  notify::Sender sender(*loop, project.config.notify, std::move(surroundings));
  const notify::Notice notice = notify::sample(folder_name(project.root()), kind);
  tell("Sending a sample (" + std::string(kind) + ") by:\n");
  for (const auto& [name, way] : project.config.notify) {
    sender.send_by(name, notice);
    sender.finish();
  }
  return all_well;
}

}  // namespace capsule::run
