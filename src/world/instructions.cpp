#include "world/instructions.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <set>
#include <span>

#include "base/files.h"
#include "base/text.h"
#include "contain/layer.h"
#include "git/command.h"
#include "git/paths.h"

namespace capsule::world {
namespace {

// Of all clients that Capsule knows, at any depth.
constexpr std::string_view kNames[] = {
    "CLAUDE.md", "CLAUDE.local.md", "AGENTS.md",   "AGENTS.override.md",
    "GEMINI.md", "QWEN.md",         ".goosehints", "copilot-instructions.md",
    ".mcp.json", "opencode.json",   ".claude",     "opencode.jsonc",
    ".codex",    ".gemini",         ".qwen",       ".opencode",
    ".goose",    ".copilot",        ".kimi-code",  ".grok",
    ".agents"};
// The same below a folder that holds much else.
constexpr std::string_view kGithub = ".github";
constexpr std::string_view kInGithub[] = {"instructions", "hooks",     "agents",
                                          "prompts",      "chatmodes", "skills"};
constexpr std::string_view kDotEnv[] = {".env", ".env.local"};
constexpr std::size_t kMaxFiles = 10'000;
constexpr std::size_t kMaxBytes = std::size_t{256} * 1024 * 1024;
constexpr std::size_t kMaxLookedAt = 1'000'000;  // entries of a worktree
constexpr int kMaxFolderDepth = 256;

struct CloseStream {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// `parent`: the name of the folder that it is in; empty: the top.
bool is_instruction(std::string_view parent, std::string_view name, DotEnv dot_env) {
  return is_one_of(kNames, name) || (parent == kGithub && is_one_of(kInGithub, name)) ||
         (dot_env == DotEnv::instructs && is_one_of(kDotEnv, name));
}

bool is_link(int folder, const dirent& entry) {
  struct stat info {};
  return ::fstatat(folder, entry.d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode);
}

// Of "a/b/": "b".
std::string_view last_name(std::string_view prefix) {
  if (prefix.empty()) return {};
  prefix.remove_suffix(1);
  return prefix.substr(prefix.rfind('/') + 1);
}

// Looks for such names in a worktree; follows no link.
class Search {
 public:
  explicit Search(DotEnv dot_env) : dot_env_(dot_env) {}

  Result<void> look(int parent, const std::string& name, const std::string& prefix, int depth) {
    const int fd = ::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const std::unique_ptr<DIR, CloseStream> folder(fd < 0 ? nullptr : ::fdopendir(fd));
    if (!folder) return {};  // what we cannot read, its reader cannot either
    while (const dirent* entry = ::readdir(folder.get())) {
      const std::string inner = entry->d_name;
      if (inner == "." || inner == ".." || inner == ".git") continue;
      if (++looked_at_ > kMaxLookedAt || depth > kMaxFolderDepth)
        return fail(Reason::refused,
                    "the worktree is too large to be searched for files that instruct agents");
      // Where such a link leads, names are not what a client sees.
      if (is_instruction(last_name(prefix), inner, dot_env_) ||
          (inner == kGithub && is_link(::dirfd(folder.get()), *entry)))
        found.push_back(prefix + inner);
      else if (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN)
        TRY_VOID(look(::dirfd(folder.get()), inner, prefix + inner + "/", depth + 1));
    }
    return {};
  }

  std::vector<std::string> found;

 private:
  const DotEnv dot_env_;
  std::size_t looked_at_ = 0;
};

// Whether all folders that the path is in are there, and none is a link.
bool has_place(const std::string& worktree, const std::string& path) {
  for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1))
    if (!git::is_plain_folder(worktree + "/" + path.substr(0, slash))) return false;
  return true;
}

Result<void> put(const std::string& cover, const std::string& path, unsigned mode,
                 const std::string& text) {
  const std::size_t slash = path.rfind('/');
  if (slash != path.npos) TRY_VOID(make_folders_beneath(cover, path.substr(0, slash)));
  const std::string whole = cover + "/" + path;
  if (S_ISLNK(mode)) {
    if (::symlink(text.c_str(), whole.c_str()) == 0) return {};
    return tl::unexpected(git::system_error("create link", whole));
  }
  TRY_VOID(git::create_file(whole, text));
  if ((mode & S_IXUSR) != 0) ::chmod(whole.c_str(), 0755);
  return {};
}

bool is_same(const std::string& path, unsigned mode, const std::string& text) {
  struct stat info {};
  return S_ISREG(mode) && ::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         (info.st_mode & S_IXUSR) == (mode & S_IXUSR) && git::is_plain_file_with(path, text);
}

struct ListedFile {
  unsigned mode = 0;
  std::string id, path;
};

// "100644 blob <id>\t<path>", each ended by a NUL.
std::vector<ListedFile> instructions_in(std::string_view listing) {
  std::vector<ListedFile> all;
  for (const std::string_view line : split(listing, '\0')) {
    const std::size_t tab = line.find('\t');
    const auto words = split(line.substr(0, tab == line.npos ? 0 : tab), ' ');
    if (words.size() != 3 || words[1] != "blob" ||
        instruction_in(line.substr(tab + 1), DotEnv::instructs).empty())
      continue;
    ListedFile one{0, std::string(words[2]), std::string(line.substr(tab + 1))};
    std::from_chars(words[0].data(), words[0].data() + words[0].size(), one.mode, 8);
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

std::string_view instruction_in(std::string_view path, DotEnv dot_env) {
  std::string_view parent;
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view name = path.substr(begin, end - begin);
    if (is_instruction(parent, name, dot_env)) return path.substr(0, end);
    parent = name;
    begin = end + 1;
  }
  return {};
}

Result<const std::vector<Instructions::Given>*> Instructions::of(const std::string& base) {
  if (const auto known = known_.find(base); known != known_.end()) return &known->second;
  std::vector<Given> given;
  if (!base.empty()) {
    const std::vector<ListedFile> listed = instructions_in(
        TRY(git::tell(repository_, {.args = {"ls-tree", "-r", "-z", "--full-tree", base, "--"}})));
    if (listed.size() > kMaxFiles)
      return fail(Reason::refused, "the project has too many files that instruct agents");
    git::Call call{.args = {"cat-file", "--batch"}, .most = kMaxBytes};
    for (const ListedFile& one : listed) call.input += one.id + "\n";
    const std::string out = listed.empty() ? "" : TRY(git::ask(repository_, call)).out;
    // "<id> blob <size>\n<bytes>\n", in the same order.
    std::string_view rest = out;
    for (const ListedFile& one : listed) {
      const std::size_t end = rest.find('\n');
      const auto words = split(rest.substr(0, end), ' ');
      std::size_t size = 0;
      if (words.size() == 3)
        std::from_chars(words[2].data(), words[2].data() + words[2].size(), size);
      if (end == rest.npos || words.size() != 3 || rest.size() - end - 1 < size + 1)
        return fail(Reason::refused, "files that instruct agents are too large, or missing");
      given.push_back({one.path, one.mode, std::string(rest.substr(end + 1, size))});
      rest.remove_prefix(end + 1 + size + 1);
    }
  }
  return &known_.emplace(base, std::move(given)).first->second;
}

Result<bool> Instructions::cover(const std::string& base, const std::string& worktree,
                                 const std::string& cover, DotEnv dot_env) {
  const std::vector<Given>& given = *TRY(of(base));
  Search search(dot_env);
  TRY_VOID(search.look(AT_FDCWD, worktree, "", 0));
  std::set<std::string> tops(search.found.begin(), search.found.end());
  const std::set<std::string> there = tops;
  for (const Given& one : given)
    if (const auto top = instruction_in(one.path, dot_env); !top.empty()) tops.emplace(top);
  bool any = false;
  for (const std::string& top : tops) {
    if (!has_place(worktree, top)) continue;
    const auto below = [&](const Given& one) { return instruction_in(one.path, dot_env) == top; };
    const auto first = std::find_if(given.begin(), given.end(), below);
    if (first != given.end() && first->path == top &&
        is_same(worktree + "/" + top, first->mode, first->text))
      continue;
    if (!any) TRY_VOID(make_folders(cover));
    any = true;
    if (const std::size_t slash = top.rfind('/'); slash != top.npos)
      TRY_VOID(make_folders_beneath(cover, top.substr(0, slash)));
    if (first == given.end()) {
      TRY_VOID(contain::make_gap(cover, top));
      continue;
    }
    for (const Given& one : given)
      if (below(one)) TRY_VOID(put(cover, one.path, one.mode, one.text));
    if (first->path != top && there.contains(top)) TRY_VOID(contain::make_opaque(cover, top));
  }
  return any;
}

}  // namespace capsule::world
