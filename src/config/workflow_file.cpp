#include "config/workflow_file.h"

#include <charconv>
#include <optional>

#include "base/text.h"
#include "config/yaml.h"

namespace capsule::config {
namespace {

using event::Definition;
using event::PhaseRule;
using event::Route;
using Kind = YamlNode::Kind;

constexpr int kMostSeconds = 7 * 24 * 3600;

// Reads one map key by key; the first thing that is off is the error.
class Reader {
 public:
  explicit Reader(std::string where) : where_(std::move(where)) {}

  Result<Definition> definition(const YamlNode& root, std::string_view name) {
    Definition d;
    d.name = name;
    if (root.kind != Kind::map) return off(std::max(root.line, 1), "it has no 'phases'");
    for (std::size_t i = 0; i < root.items.size(); ++i) {
      const std::string& key = root.names[i].text;
      const YamlNode& value = root.items[i];
      if (key == "summary") {
        d.summary = TRY(text(value, key));
      } else if (key == "works_on") {
        const std::string what = TRY(one_of(value, key, {"branch", "head"}));
        d.on_branch = what == "branch";
      } else if (key == "end") {
        const std::string end = TRY(one_of(value, key, {"merge", "branch", "nothing"}));
        d.finish = end == "merge"    ? event::Finish::merge
                   : end == "branch" ? event::Finish::branch
                                     : event::Finish::nothing;
      } else if (key == "integrate") {
        const std::string how = TRY(one_of(value, key, {"merge", "ask", "branch"}));
        d.integrate = how == "merge" ? event::Integrate::merge
                      : how == "ask" ? event::Integrate::ask
                                     : event::Integrate::branch;
      } else if (key == "phases") {
        TRY_VOID(phases(value, d));
      } else {
        return off(root.names[i].line,
                   "there is no key '" + printable(key) +
                       "' here; there are summary, works_on, phases, end and integrate");
      }
    }
    return d;
  }

 private:
  tl::unexpected<Error> off(int line, const std::string& message) const {
    return fail(Reason::damaged, where_ + ":" + std::to_string(line) + ": " + message,
                "see docs/workflows.md, or: capsule workflow show pipeline");
  }

  Result<std::string> text(const YamlNode& node, const std::string& key) const {
    if (node.kind == Kind::scalar) return Result<std::string>(node.text);
    return off(node.line, "'" + key + "' takes a text");
  }
  Result<std::string> one_of(const YamlNode& node, const std::string& key,
                             const std::vector<std::string>& words) const {
    if (node.kind == Kind::scalar)
      for (const std::string& word : words)
        if (node.text == word) return word;
    std::string list;
    for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
    return off(node.line, "'" + key + "' is one of: " + list);
  }
  Result<bool> yes(const YamlNode& node, const std::string& key) const {
    if (node.kind == Kind::scalar && (node.text == "true" || node.text == "false"))
      return node.text == "true";
    return off(node.line, "'" + key + "' is one of: true, false");
  }
  Result<int> number(const YamlNode& node, const std::string& key, int most) const {
    int value = 0;
    const char* end = node.text.data() + node.text.size();
    const auto read = std::from_chars(node.text.data(), end, value);
    if (node.kind != Kind::scalar || read.ec != std::errc() || read.ptr != end || value < 1 ||
        value > most)
      return off(node.line, "'" + key + "' takes a whole number from 1 to " + std::to_string(most));
    return value;
  }
  Result<std::vector<std::string>> texts(const YamlNode& node, const std::string& key) const {
    std::vector<std::string> list;
    if (node.kind == Kind::scalar) return std::vector{node.text};
    if (node.kind != Kind::list) return off(node.line, "'" + key + "' takes a list of names");
    for (const YamlNode& item : node.items) list.push_back(TRY(text(item, key)));
    return list;
  }
  // The test command has two names: what it is called in verify, and what it must do.
  Result<std::vector<std::string>> checks(const YamlNode& node, const std::string& key) const {
    std::vector<std::string> list = TRY(texts(node, key));
    for (std::string& name : list)
      if (name == "test") name = "green";
    return list;
  }
  Result<Route> route(const YamlNode& node, const std::string& key) const {
    Route route;
    if (node.kind == Kind::scalar) {
      if (node.text != "stop") route.to = node.text;
      return route;
    }
    if (node.kind != Kind::map)
      return off(node.line, "'" + key + "' takes a phase, 'stop', or {retry: PHASE, limit: N}");
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const std::string& name = node.names[i].text;
      if (name == "retry")
        route.to = TRY(text(node.items[i], name));
      else if (name == "then")
        route.then = TRY(text(node.items[i], name));
      else if (name == "limit" && node.items[i].text == "none")
        route.limit = -1;
      else if (name == "limit")
        route.limit = TRY(number(node.items[i], name, 100));
      else
        return off(node.names[i].line,
                   "'" + key + "' knows retry, then and limit, not '" + printable(name) + "'");
    }
    return route;
  }

  // Keys that a phase and a parallel step share. False: it is none of them.
  Result<bool> shared(PhaseRule& p, const std::string& key, const YamlNode& value) const {
    if (key == "needs_work")
      p.needs_work = TRY(route(value, key));
    else if (key == "error")
      p.error = TRY(route(value, key));
    else if (key == "pass")
      p.pass = TRY(route(value, key));
    else if (key == "checks")
      p.checks = TRY(checks(value, key));
    else if (key == "clean_checkout")
      p.clean = TRY(yes(value, key));
    else
      return false;
    return true;
  }

  // What follows a parallel step is the step's, not one of its phases'.
  Result<void> refuse_shared(const YamlNode& member) const {
    PhaseRule ignored;
    for (std::size_t i = 0; i < member.names.size(); ++i)
      if (member.names[i].text == "stage" || member.names[i].text == "needs" ||
          TRY(shared(ignored, member.names[i].text, member.items[i])))
        return off(member.names[i].line, "'" + member.names[i].text +
                                             "' belongs to the parallel step, not to its phases");
    return {};
  }

  Result<PhaseRule> phase(const YamlNode& node) const {
    PhaseRule p;
    if (node.kind != Kind::map) return off(node.line, "a phase is a map with a 'name'");
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const std::string& key = node.names[i].text;
      const YamlNode& value = node.items[i];
      if (TRY(shared(p, key, value))) continue;
      if (key == "name")
        p.name = TRY(text(value, key));
      else if (key == "prompt")
        p.prompt = TRY(prompt(value));
      else if (key == "provider")
        p.provider = TRY(text(value, key));
      else if (key == "model")
        p.model = TRY(text(value, key));
      else if (key == "timeout")
        p.timeout_seconds = TRY(number(value, key, kMostSeconds));
      else if (key == "stage")
        p.stage = TRY(number(value, key, 100));
      else if (key == "write")
        p.writes = TRY(yes(value, key));
      else if (key == "tests")
        p.writes_tests = TRY(yes(value, key));
      else if (key == "signs_off")
        p.signs_off = TRY(yes(value, key));
      else if (key == "commits")
        p.commits = TRY(yes(value, key));
      else if (key == "approve")
        p.approval = TRY(yes(value, key));
      else if (key == "needs")
        p.needs = TRY(checks(value, key));
      else
        return off(node.names[i].line, "a phase has no key '" + printable(key) + "'");
    }
    if (p.name.empty()) return off(node.line, "a phase needs a 'name'");
    if (p.prompt.empty()) p.prompt = "prompts/" + p.name + ".md";
    return p;
  }
  // A file below prompts/: nothing else is an agent's to be told.
  Result<std::string> prompt(const YamlNode& node) const {
    const std::string& file = node.text;
    if (node.kind != Kind::scalar) return off(node.line, "'prompt' takes a text");
    const bool outside = !file.starts_with("prompts/") || file.find("/../") != file.npos ||
                         file.ends_with("/..") || file.find('\0') != file.npos;
    if (outside) return off(node.line, "'prompt' names a file below prompts/");
    return file;
  }

  Result<void> phases(const YamlNode& node, Definition& d) const {
    if (node.kind != Kind::list) return off(node.line, "'phases' takes a list");
    int groups = 0, stage = 1;
    for (const YamlNode& item : node.items) {
      const bool parallel =
          item.kind == Kind::map && !item.names.empty() && item.names.front().text == "parallel";
      ++stage;
      if (!parallel) {
        PhaseRule p = TRY(phase(item));
        if (p.stage == 0) p.stage = stage;
        d.phases.push_back(std::move(p));
        continue;
      }
      ++groups;
      PhaseRule common;
      std::vector<PhaseRule> members;
      for (std::size_t i = 0; i < item.items.size(); ++i) {
        const std::string& key = item.names[i].text;
        const YamlNode& value = item.items[i];
        if (TRY(shared(common, key, value))) continue;
        if (key == "parallel") {
          common.any = TRY(one_of(value, key, {"all", "any"})) == "any";
        } else if (key == "phases") {
          if (value.kind != Kind::list) return off(value.line, "'phases' takes a list");
          for (const YamlNode& member : value.items) {
            TRY_VOID(refuse_shared(member));
            members.push_back(TRY(phase(member)));
          }
        } else {
          return off(item.names[i].line, "a parallel step has no key '" + printable(key) + "'");
        }
      }
      for (PhaseRule& member : members) {
        member.group = groups;
        member.stage = stage;
        member.any = common.any;
        member.needs_work = common.needs_work;
        member.error = common.error;
        member.pass = common.pass;
        member.checks = common.checks;
        member.clean = common.clean;
        d.phases.push_back(std::move(member));
      }
    }
    return {};
  }

  std::string where_;
};

}  // namespace

Result<Definition> read_workflow(std::string_view text, std::string_view name,
                                 const std::string& where) {
  const auto root = parse_yaml(text);
  if (!root)
    return fail(Reason::damaged,
                where + ":" + std::to_string(root.error().line) + ": " + root.error().message,
                root.error().hint);
  return Reader(where).definition(*root, name);
}

}  // namespace capsule::config
