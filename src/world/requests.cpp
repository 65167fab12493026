#include "world/requests.h"

#include <unistd.h>

#include "base/files.h"

namespace capsule::world {
namespace {

std::string path_of(const std::string& project, const std::string& bead, Request request) {
  return project + "/.capsule/requests/" + bead + (request == Request::pause ? ".pause" : ".abort");
}

}  // namespace

Result<void> leave_request(const std::string& project, const std::string& bead, Request request) {
  TRY_VOID(make_folders(project + "/.capsule/requests"));
  return write_file(path_of(project, bead, request), "");
}

std::optional<event::Outcome> pending_request(const std::string& project, const std::string& bead) {
  if (exists(path_of(project, bead, Request::abort))) return event::Outcome::aborted;
  if (exists(path_of(project, bead, Request::pause))) return event::Outcome::paused;
  return std::nullopt;
}

void drop_requests(const std::string& project, const std::string& bead) {
  for (Request request : {Request::pause, Request::abort})
    ::unlink(path_of(project, bead, request).c_str());
}

}  // namespace capsule::world
