#include "git/remote.h"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "base/text.h"
#include "git/command.h"
#include "git/commit.h"

namespace capsule::git {
namespace {

constexpr std::string_view kBranches = "refs/heads/";
constexpr std::chrono::seconds kLook{60};
constexpr std::chrono::minutes kMove{10};  // of data, over a slow line

using RemoteRefs = std::map<std::string, std::string>;

struct RefMove {
  std::string ref, from, to;
};

// git may repeat an address, and with it a password.
std::string without_address(std::string text, const Remote& remote) {
  for (std::size_t at = text.find(remote.url); at != text.npos;
       at = text.find(remote.url, at + remote.shown.size()))
    text.replace(at, remote.url.size(), remote.shown);
  return printable(text);
}

tl::unexpected<RemoteFailure> trouble(RemoteTrouble why, std::string message) {
  return tl::unexpected(RemoteFailure{why, std::move(message)});
}

tl::unexpected<RemoteFailure> complaint(RemoteTrouble why, const Remote& remote,
                                        const Answer& answer) {
  return trouble(why, without_address(first_complaint(answer.err), remote));
}

// That git could not be run, or hangs, is told as it is.
Reached<Answer> reach(const Repository& repository, const Remote& remote,
                      std::vector<std::string> args, std::chrono::seconds patience) {
  Result<Answer> answer = ask_remote(repository, args, patience);
  if (answer) return *std::move(answer);
  const RemoteTrouble why =
      answer.error().reason == Reason::timed_out ? RemoteTrouble::away : RemoteTrouble::broken;
  return trouble(why, without_address(answer.error().message, remote));
}

Reached<RemoteRefs> list(const Repository& repository, const Remote& remote,
                         const std::vector<std::string>& names) {
  std::vector<std::string> args{"ls-remote", "--quiet", "--refs", "--", remote.url};
  args.insert(args.end(), names.begin(), names.end());
  const Answer answer = TRY(reach(repository, remote, std::move(args), kLook));
  if (answer.code != 0) return complaint(RemoteTrouble::away, remote, answer);
  RemoteRefs refs;
  for (const std::string_view line : split(answer.out, '\n')) {
    const std::size_t tab = line.find('\t');
    if (tab == line.npos) continue;
    // A name is a pattern for git, which also matches the end of another.
    const std::string name(line.substr(tab + 1));
    if (std::find(names.begin(), names.end(), name) == names.end()) continue;
    if (!is_object_id(repository, line.substr(0, tab)))
      return trouble(RemoteTrouble::broken, "the remote names a commit that is none");
    refs.emplace(name, line.substr(0, tab));
  }
  return refs;
}

// By their names: not every remote gives a commit by its id. What is had then may be newer than
// what was listed, and has it among its parents, or else the next step fails and all begins anew.
Reached<void> get(const Repository& repository, const Remote& remote, const RemoteRefs& refs) {
  if (refs.empty()) return {};
  std::vector<std::string> args{"fetch",
                                "--quiet",
                                "--no-tags",
                                "--no-write-fetch-head",
                                "--no-recurse-submodules",
                                "--no-auto-maintenance",
                                "--no-show-forced-updates",
                                "--",
                                remote.url};
  for (const auto& [name, id] : refs) args.push_back(name);
  const Answer answer = TRY(reach(repository, remote, std::move(args), kMove));
  if (answer.code != 0) return complaint(RemoteTrouble::away, remote, answer);
  return {};
}

std::string at(const RemoteRefs& refs, const std::string& name) {
  const auto found = refs.find(name);
  return found == refs.end() ? std::string() : found->second;
}

// What the first line of a fence says: "epoch 7 take", "epoch 7 merge <commit>".
std::optional<std::int64_t> epoch_in(std::string_view message) {
  constexpr std::string_view kStart = "epoch ";
  if (!message.starts_with(kStart)) return std::nullopt;
  message.remove_prefix(kStart.size());
  std::int64_t epoch = 0;
  const auto [end, error] = std::from_chars(message.data(), message.data() + message.size(), epoch);
  if (error != std::errc() || epoch <= 0) return std::nullopt;
  if (end == message.data() + message.size() || *end != ' ') return std::nullopt;
  return epoch;
}

Reached<std::int64_t> epoch_of(const Repository& repository, const std::string& fence) {
  const Answer answer = [&] {
    auto said = ask(repository, {.args = {"rev-list", "--header", "--max-count=1", fence, "--"}});
    return said ? *std::move(said) : Answer{1, {}, {}};
  }();
  const std::vector<Commit> commits = parse_commits(answer.out);
  // It moved between the two calls, and back: as good as moved.
  if (answer.code != 0 || commits.empty())
    return trouble(RemoteTrouble::moved, "the fence has moved meanwhile");
  const auto epoch = epoch_in(commits.front().message);
  if (!epoch)
    return trouble(RemoteTrouble::broken,
                   "the newest commit of its fence does not say an epoch; somebody else has "
                   "written there");
  return *epoch;
}

Reached<std::string> make_fence(const Repository& repository, const std::string& parent,
                                std::string message) {
  const auto made = [&]() -> Result<std::string> {
    const std::string tree = TRY(tell(repository, {.args = {"mktree"}}));
    NewCommit commit{.tree = std::string(trimmed(tree)), .parents = {}, .message = ""};
    if (!parent.empty()) commit.parents.push_back(parent);
    commit.message = std::move(message);
    return write_commit(repository, commit);
  }();
  if (!made) return trouble(RemoteTrouble::broken, made.error().message);
  return *made;
}

// All of them or none. Whether it was done is not read from what git prints, but looked for.
Reached<void> push(const Repository& repository, const Remote& remote,
                   const std::vector<RefMove>& moves) {
  std::vector<std::string> args{
      "push",        "--quiet",     "--porcelain", "--atomic",
      "--no-verify", "--no-signed", "--no-thin",   "--recurse-submodules=no"};
  for (const RefMove& move : moves)
    args.push_back("--force-with-lease=" + move.ref + ":" + move.from);
  args.insert(args.end(), {"--", remote.url});
  std::vector<std::string> names;
  for (const RefMove& move : moves) {
    args.push_back(move.to + ":" + move.ref);
    names.push_back(move.ref);
  }
  const Reached<Answer> answer = reach(repository, remote, std::move(args), kMove);
  if (answer && answer->code == 0) return {};
  if (!answer && answer.error().why == RemoteTrouble::broken) return tl::unexpected(answer.error());
  if (answer && answer->err.find("does not support --atomic") != std::string::npos)
    return trouble(RemoteTrouble::unsupported, "it cannot move several refs at once");
  const RemoteRefs now = TRY(list(repository, remote, names));
  const auto is_at = [&](const std::string RefMove::*place) {
    return std::all_of(moves.begin(), moves.end(),
                       [&](const RefMove& move) { return at(now, move.ref) == move.*place; });
  };
  if (is_at(&RefMove::to)) return {};
  if (!is_at(&RefMove::from)) return trouble(RemoteTrouble::moved, "it was moved by somebody else");
  if (!answer) return tl::unexpected(answer.error());
  // Nothing has moved: either it did not want to, or the way there broke.
  const bool said_no = answer->out.find("[remote rejected]") != std::string::npos;
  if (!said_no) return complaint(RemoteTrouble::away, remote, *answer);
  std::string why;
  for (const std::string_view line : split(answer->out, '\n'))
    if (const std::size_t from = line.find("[remote rejected]"); from != line.npos && why.empty())
      why = std::string(line.substr(from));
  return trouble(RemoteTrouble::refused, without_address(why, remote));
}

bool is_address(std::string_view text) {
  return text.find('/') != text.npos || text.find(':') != text.npos;
}

// Of the two ways to write ssh, "host:path" has no slash before its colon.
bool is_of_another_host(std::string_view url) {
  const std::size_t colon = url.find(':');
  return colon != url.npos && url.find('/') > colon;
}

Result<Remote> remote_at(const Repository& repository, std::string url) {
  const std::size_t scheme = url.find("://");
  const std::string kind = scheme == url.npos ? "" : url.substr(0, scheme);
  const bool known = kind.empty() ? url.find("::") == url.npos
                                  : kind == "ssh" || kind == "http" || kind == "https" ||
                                        kind == "file" || kind == "git+ssh" || kind == "ssh+git";
  if (!known || url.starts_with('-') || url.find('\n') != url.npos)
    return fail(Reason::usage, "the remote that main is shared by is no path, ssh or http address",
                "set remote in the configuration");
  if (kind.empty() && !url.starts_with('/') && !is_of_another_host(url))
    url = repository.top + "/" + url;
  Remote remote{url, url};
  if (!kind.empty()) {
    const std::size_t host = scheme + 3, end = url.find('/', host);
    const std::size_t user = url.rfind('@', end);
    if (user != url.npos && user >= host && (end == url.npos || user < end))
      remote.shown.erase(host, user + 1 - host);
  }
  remote.shown = printable(remote.shown);
  return remote;
}

}  // namespace

std::string fence_of(const std::string& branch) {
  return "refs/capsule/fence/" +
         (branch.starts_with(kBranches) ? branch.substr(kBranches.size()) : branch);
}

Result<std::optional<Remote>> find_remote(const Repository& repository, const std::string& named) {
  if (named == "none") return std::nullopt;
  if (is_address(named)) return TRY(remote_at(repository, named));
  const std::string name = named.empty() ? "origin" : named;
  // Work is pushed where the person pushes.
  for (const char* key : {".pushurl", ".url"}) {
    const Answer answer =
        TRY(ask_plainly(repository.top, {"config", "--null", "--get", "remote." + name + key}));
    const std::string url = answer.out.substr(0, answer.out.find('\0'));
    if (answer.code == 0 && !url.empty()) return TRY(remote_at(repository, url));
  }
  if (named.empty()) return std::nullopt;
  return fail(Reason::not_found, "the repository has no remote called " + printable(named),
              "git remote add " + printable(named) +
                  " ADDRESS, or correct remote in the "
                  "configuration");
}

Error error_of(const Remote& remote, const RemoteFailure& failure) {
  const std::string at = "the remote " + remote.shown;
  switch (failure.why) {
    case RemoteTrouble::away:
      return {Reason::io, at + " cannot be reached: " + failure.message,
              "nothing is lost: go on when it is back"};
    case RemoteTrouble::moved:
    case RemoteTrouble::fenced:
      return {Reason::conflict, at + ": " + failure.message, "try again"};
    case RemoteTrouble::refused:
      return {Reason::refused, at + " does not take the merge: " + failure.message,
              "give this user the right to push, or use integrate: branch"};
    case RemoteTrouble::unsupported:
      return {Reason::refused, at + " cannot be merged to: " + failure.message,
              "use a remote that knows atomic pushes, or set remote: none"};
    case RemoteTrouble::broken:
      break;
  }
  return {Reason::failed, at + ": " + failure.message};
}

Reached<RemoteTips> fetch_tips(const Repository& repository, const Remote& remote,
                               const std::string& branch) {
  const std::string fence = fence_of(branch);
  const RemoteRefs refs = TRY(list(repository, remote, {branch, fence}));
  TRY_VOID(get(repository, remote, refs));
  RemoteTips tips{at(refs, branch), at(refs, fence), 0};
  if (!tips.fence.empty()) tips.epoch = TRY(epoch_of(repository, tips.fence));
  return tips;
}

Reached<std::string> take_fence(const Repository& repository, const Remote& remote,
                                const std::string& branch, const RemoteTips& tips,
                                std::int64_t epoch) {
  const std::string taken =
      TRY(make_fence(repository, tips.fence, "epoch " + std::to_string(epoch) + " take\n"));
  TRY_VOID(push(repository, remote, {{fence_of(branch), tips.fence, taken}}));
  return taken;
}

Reached<void> publish(const Repository& repository, const Remote& remote,
                      const Publication& publication) {
  const std::string fence = fence_of(publication.branch);
  const std::string merged = TRY(
      make_fence(repository, publication.fence,
                 "epoch " + std::to_string(publication.epoch) + " merge " + publication.to + "\n"));
  const auto pushed = push(
      repository, remote,
      {{publication.branch, publication.from, publication.to}, {fence, publication.fence, merged}});
  if (pushed || pushed.error().why != RemoteTrouble::moved) return pushed;
  const RemoteRefs now = TRY(list(repository, remote, {fence}));
  if (at(now, fence) == publication.fence) return pushed;
  return trouble(RemoteTrouble::fenced, "another capsule has begun to merge meanwhile");
}

Reached<RemoteRefs> look_at(const Repository& repository, const Remote& remote,
                            const std::vector<std::string>& refs) {
  return list(repository, remote, refs);
}

Reached<void> push_ref(const Repository& repository, const Remote& remote, const std::string& ref,
                       const std::string& from, const std::string& to) {
  return push(repository, remote, {{ref, from, to}});
}

Reached<std::string> fetch_ref(const Repository& repository, const Remote& remote,
                               const std::string& ref) {
  const RemoteRefs refs = TRY(list(repository, remote, {ref}));
  TRY_VOID(get(repository, remote, refs));
  return at(refs, ref);
}

}  // namespace capsule::git
