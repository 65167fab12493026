#include "config/workflow_file.h"

#include <algorithm>
#include <charconv>
#include <span>

#include "base/text.h"
#include "config/yaml.h"

namespace capsule::config {
namespace {

using event::Definition;
using event::PhaseRule;
using event::Route;
using Kind = YamlNode::Kind;

constexpr int kMostSeconds = 7 * 24 * 3600;
constexpr std::size_t kMostProblems = 20;  // that are told

// Reads a file key by key. What is off is noted with its line, and the reading goes on: all of it
// is told at once.
class Reader {
 public:
  Definition definition(const YamlNode& root, std::string_view name) {
    Definition d;
    d.name = name;
    if (root.kind != Kind::map) off(std::max(root.line, 1), "it has no 'phases'");
    for (std::size_t i = 0; i < root.names.size(); ++i) {
      const std::string& key = root.names[i].text;
      const YamlNode& value = root.items[i];
      if (key == "summary") {
        d.summary = text(value, key);
      } else if (key == "works_on") {
        d.on_branch = one_of(value, key, {"branch", "head"}) == "branch";
      } else if (key == "end") {
        const std::string end = one_of(value, key, {"merge", "branch", "nothing"});
        d.finish = end == "merge"    ? event::Finish::merge
                   : end == "branch" ? event::Finish::branch
                                     : event::Finish::nothing;
      } else if (key == "integrate") {
        const std::string how = one_of(value, key, {"merge", "ask", "branch"});
        d.integrate = how == "merge" ? event::Integrate::merge
                      : how == "ask" ? event::Integrate::ask
                                     : event::Integrate::branch;
      } else if (key == "phases") {
        phases(value, d);
      } else {
        unknown(root.names[i], "; valid: summary, works_on, phases, end, integrate");
      }
    }
    return d;
  }

  struct Off {
    int line;
    std::string message;
  };
  const std::vector<Off>& problems() const { return problems_; }

 private:
  void off(int line, std::string message) { problems_.push_back({line, std::move(message)}); }
  void unknown(const YamlNode::Name& name, const std::string& where) {
    off(name.line, "unknown key '" + printable(name.text) + "'" + where);
  }

  std::string text(const YamlNode& node, const std::string& key) {
    if (node.kind == Kind::scalar) return node.text;
    off(node.line, "'" + key + "' must be text");
    return {};
  }
  std::string one_of(const YamlNode& node, const std::string& key,
                     const std::vector<std::string>& words) {
    if (node.kind == Kind::scalar)
      for (const std::string& word : words)
        if (node.text == word) return word;
    off(node.line, "'" + key + "' must be one of: " + joined(words));
    return {};
  }
  bool yes(const YamlNode& node, const std::string& key) {
    if (node.kind != Kind::scalar || (node.text != "true" && node.text != "false"))
      off(node.line, "'" + key + "' must be true or false");
    return node.text == "true";
  }
  int number(const YamlNode& node, const std::string& key, int most) {
    int value = 0;
    const char* end = node.text.data() + node.text.size();
    const auto read = std::from_chars(node.text.data(), end, value);
    if (node.kind != Kind::scalar || read.ec != std::errc() || read.ptr != end || value < 1 ||
        value > most)
      off(node.line, "'" + key + "' must be a whole number from 1 to " + std::to_string(most));
    return value;
  }
  std::vector<std::string> texts(const YamlNode& node, const std::string& key) {
    std::vector<std::string> list;
    if (node.kind == Kind::scalar) return {node.text};
    if (node.kind != Kind::list) off(node.line, "'" + key + "' must be a list of names");
    for (const YamlNode& item : node.items) list.push_back(text(item, key));
    return list;
  }
  // The test command has two names: what it is called in verify, and what it must do.
  std::vector<std::string> checks(const YamlNode& node, const std::string& key) {
    std::vector<std::string> list = texts(node, key);
    for (std::string& name : list)
      if (name == "test") name = "green";
    return list;
  }
  Route route(const YamlNode& node, const std::string& key) {
    Route route;
    if (node.kind == Kind::scalar) {
      if (node.text != "stop") route.to = node.text;
      return route;
    }
    if (node.kind != Kind::map)
      off(node.line, "'" + key + "' must be a phase, 'stop', or {retry: PHASE, limit: N}");
    for (std::size_t i = 0; i < node.names.size(); ++i) {
      const std::string& name = node.names[i].text;
      if (name == "retry")
        route.to = text(node.items[i], name);
      else if (name == "then")
        route.then = text(node.items[i], name);
      else if (name == "limit" && node.items[i].text == "none")
        route.limit = -1;
      else if (name == "limit")
        route.limit = number(node.items[i], name, 100);
      else
        unknown(node.names[i], " in '" + key + "'; valid: retry, then, limit");
    }
    return route;
  }

  // Keys that a phase and a parallel step share. False: it is none of them.
  bool shared(PhaseRule& p, const std::string& key, const YamlNode& value) {
    if (key == "needs_work")
      p.needs_work = route(value, key);
    else if (key == "error")
      p.error = route(value, key);
    else if (key == "pass")
      p.pass = route(value, key);
    else if (key == "checks")
      p.checks = checks(value, key);
    else if (key == "clean_checkout")
      p.clean = yes(value, key);
    else
      return false;
    return true;
  }

  PhaseRule phase(const YamlNode& node) {
    PhaseRule p;
    if (node.kind != Kind::map) {
      off(node.line, "a phase must be a map with a 'name'");
      return p;
    }
    for (std::size_t i = 0; i < node.names.size(); ++i) {
      const std::string& key = node.names[i].text;
      const YamlNode& value = node.items[i];
      if (shared(p, key, value)) continue;
      if (key == "name")
        p.name = text(value, key);
      else if (key == "prompt")
        p.prompt = prompt(value);
      else if (key == "provider")
        p.provider = text(value, key);
      else if (key == "model")
        p.model = text(value, key);
      else if (key == "timeout")
        p.timeout_seconds = number(value, key, kMostSeconds);
      else if (key == "session")
        p.session = one_of(value, key, {"new", "resume"}) == "new" ? event::Session::fresh
                                                                   : event::Session::resume;
      else if (key == "stage")
        p.stage = number(value, key, 100);
      else if (key == "write")
        p.edits = p.writes = yes(value, key);
      else if (key == "tests")
        p.writes_tests = yes(value, key);
      else if (key == "signs_off")
        p.signs_off = yes(value, key);
      else if (key == "commits")
        p.commits = yes(value, key);
      else if (key == "approve")
        p.approval = yes(value, key);
      else if (key == "needs")
        p.needs = checks(value, key);
      else
        unknown(node.names[i], " in a phase");
    }
    if (p.name.empty()) off(node.line, "a phase needs a 'name'");
    if (p.prompt.empty()) p.prompt = "prompts/" + p.name + ".md";
    return p;
  }
  // A file below prompts/: nothing else is an agent's to be told.
  std::string prompt(const YamlNode& node) {
    const std::string& file = node.text;
    const bool outside = !file.starts_with("prompts/") || file.find("/../") != file.npos ||
                         file.ends_with("/..") || file.find('\0') != file.npos;
    if (node.kind != Kind::scalar)
      off(node.line, "'prompt' must be text");
    else if (outside)
      off(node.line, "'prompt' must be a file below prompts/");
    return file;
  }

  // What follows a parallel step is the step's, not one of its phases'.
  PhaseRule member(const YamlNode& node) {
    static constexpr std::string_view kOfTheStep[] = {"stage", "needs",  "needs_work",    "error",
                                                      "pass",  "checks", "clean_checkout"};
    for (const YamlNode::Name& name : node.names)
      if (std::ranges::find(kOfTheStep, name.text) != std::end(kOfTheStep))
        off(name.line, "'" + name.text + "' belongs to the parallel step, not to its phases");
    return phase(node);
  }

  void parallel(const YamlNode& step, int group, int stage, Definition& d) {
    PhaseRule common;
    std::vector<PhaseRule> members;
    for (std::size_t i = 0; i < step.names.size(); ++i) {
      const std::string& key = step.names[i].text;
      const YamlNode& value = step.items[i];
      if (shared(common, key, value)) continue;
      if (key == "parallel") {
        common.any = one_of(value, key, {"all", "any"}) == "any";
      } else if (key == "phases") {
        if (value.kind != Kind::list) off(value.line, "'phases' must be a list");
        for (const YamlNode& item : value.items) members.push_back(member(item));
      } else {
        unknown(step.names[i], " in a parallel step");
      }
    }
    for (PhaseRule& one : members) {
      one.group = group;
      one.stage = stage;
      one.any = common.any;
      one.needs_work = common.needs_work;
      one.error = common.error;
      one.pass = common.pass;
      one.checks = common.checks;
      one.clean = common.clean;
      d.phases.push_back(std::move(one));
    }
  }

  void phases(const YamlNode& node, Definition& d) {
    if (node.kind != Kind::list) return off(node.line, "'phases' must be a list");
    int groups = 0, stage = 1;
    for (const YamlNode& item : node.items) {
      ++stage;
      if (item.kind == Kind::map && !item.names.empty() && item.names.front().text == "parallel") {
        parallel(item, ++groups, stage, d);
        continue;
      }
      PhaseRule p = phase(item);
      if (p.stage == 0) p.stage = stage;
      d.phases.push_back(std::move(p));
    }
  }

  std::vector<Off> problems_;
};

}  // namespace

Result<Definition> read_workflow(std::string_view text, std::string_view name,
                                 const std::string& where) {
  const auto root = parse_yaml(text);
  if (!root)
    return fail(Reason::damaged,
                where + ":" + std::to_string(root.error().line) + ": " + root.error().message,
                root.error().hint);
  Reader reader;
  Definition read = reader.definition(*root, name);
  if (reader.problems().empty()) return read;
  // In one line, as every error is printed.
  std::string message;
  const std::size_t count = std::min(reader.problems().size(), kMostProblems);
  for (const Reader::Off& off : std::span(reader.problems()).first(count))
    message +=
        (message.empty() ? where + ":" : "; line ") + std::to_string(off.line) + ": " + off.message;
  if (count < reader.problems().size())
    message += "; and " + std::to_string(reader.problems().size() - count) + " more";
  return fail(Reason::damaged, std::move(message),
              "see docs/workflows.md, or: capsule workflow show pipeline");
}

}  // namespace capsule::config
