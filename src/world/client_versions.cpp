#include "world/client_versions.h"

#include <optional>

#include "agent/clients.h"

namespace capsule::world {
namespace {

constexpr std::chrono::seconds kAnswerTime{20};
constexpr std::chrono::seconds kEndTime{1};
constexpr std::size_t kAnswerBytes = 4096;

bool tells_itself(dialect::Output output) {
  using enum dialect::Output;
  return output == text || output == claude_stream || output == qwen_stream ||
         output == kimi_stream;
}

}  // namespace

struct ClientVersions::Asking : process::ChildEvents {
  std::string printed, version;
  std::optional<process::ChildId> child;

  void on_stdout(std::string_view bytes) override {
    if (printed.size() < kAnswerBytes) printed += bytes.substr(0, kAnswerBytes - printed.size());
  }
  void on_exit(const process::Exit& exit) override {
    child.reset();
    if (exit.how == process::Exit::How::exited && exit.value == 0)
      version = agent::version_in(printed);
    printed.clear();
  }
};

ClientVersions::ClientVersions(process::Loop& loop) : loop_(loop) {}

ClientVersions::~ClientVersions() {
  for (const auto& [client, asking] : asked_)
    if (asking->child) loop_.forget(*asking->child);
}

void ClientVersions::ask(const agent::Provider& provider) {
  if (provider.client.empty() || tells_itself(provider.output) || asked_.contains(provider.client))
    return;
  Asking& asking = *asked_.emplace(provider.client, std::make_unique<Asking>()).first->second;
  process::TreeSpec spec;
  spec.argv = {provider.argv.front(), "--version"};
  spec.cwd = "/";
  spec.env = provider.env;
  const auto child = loop_.start(spec, asking);
  if (!child) return;
  asking.child = *child;
  loop_.after(kAnswerTime, [&loop = loop_, id = *child] { loop.end(id, kEndTime); });
}

std::string ClientVersions::of(const std::string& client) const {
  const auto found = asked_.find(client);
  return found == asked_.end() ? std::string() : found->second->version;
}

}  // namespace capsule::world
