#include "agent/rehearsal/cassette.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <optional>
#include <span>

#include "agent/rehearsal/texts.h"
#include "base/text.h"
#include "config/yaml.h"
#include "signal/contract.h"

namespace capsule::agent::rehearsal {
namespace {

using Node = config::YamlNode;

// Reads one cassette; its name is part of every error.
class Reader {
 public:
  explicit Reader(std::string_view name) : name_(name) {}

  Result<Cassette> cassette(const Node& node) const;

 private:
  using Keys = std::initializer_list<std::string_view>;

  tl::unexpected<Error> bad(int line, std::string message, std::string hint = {}) const {
    return fail(Reason::damaged,
                std::string(name_) + ":" + std::to_string(line) + ": " + std::move(message),
                std::move(hint));
  }

  static const Node* child(const Node& map, std::string_view key) {
    for (std::size_t i = 0; i < map.names.size(); ++i)
      if (map.names[i].text == key) return &map.items[i];
    return nullptr;
  }

  Result<void> check_keys(const Node& map, Keys keys) const;
  Result<std::string> text(const Node& map, std::string_view key) const;
  Result<std::string> optional_text(const Node& map, std::string_view key) const;
  Result<int> number(const Node& node, std::string_view what, int least, int most) const;
  Result<std::vector<std::string>> texts(const Node& node, std::string_view what) const;

  Result<Take> take(const Node& node) const;
  Result<Step> step(const Node& node) const;
  Result<Step> print(const Node& node, bool to_stderr) const;
  Result<Step> write(const Node& node) const;
  Result<Step> edit(const Node& node) const;
  Result<Step> erase(const Node& node) const;
  Result<Step> run(const Node& node) const;
  Result<Step> worklog(const Node& node) const;
  Result<Step> signal(const Node& node) const;
  Result<Step> wait(const Node& node) const;
  Result<Step> exit(const Node& node) const;
  Result<Step> prompt_has(const Node& node) const;

  std::string_view name_;
};

Result<void> Reader::check_keys(const Node& map, Keys keys) const {
  const std::vector<std::string_view> valid(keys);
  for (const Node::Name& key : map.names)
    if (std::find(valid.begin(), valid.end(), key.text) == valid.end())
      return bad(key.line, "unknown key '" + printable(key.text) + "'",
                 "valid here: " + joined(valid));
  return {};
}

Result<std::string> Reader::text(const Node& map, std::string_view key) const {
  const Node* node = child(map, key);
  if (node == nullptr) return bad(map.line, "'" + std::string(key) + "' is missing");
  if (node->kind == Node::Kind::null) return std::string{};
  if (node->kind != Node::Kind::scalar)
    return bad(node->line, "'" + std::string(key) + "' must be text");
  return node->text;
}

Result<std::string> Reader::optional_text(const Node& map, std::string_view key) const {
  if (child(map, key) == nullptr) return std::string{};
  return text(map, key);
}

Result<int> Reader::number(const Node& node, std::string_view what, int least, int most) const {
  int value = 0;
  const char* end = node.text.data() + node.text.size();
  const auto [stop, error] = std::from_chars(node.text.data(), end, value);
  if (node.kind != Node::Kind::scalar || error != std::errc{} || stop != end || value < least ||
      value > most)
    return bad(node.line, "'" + std::string(what) + "' must be a whole number from " +
                              std::to_string(least) + " to " + std::to_string(most));
  return value;
}

Result<std::vector<std::string>> Reader::texts(const Node& node, std::string_view what) const {
  std::vector<std::string> list;
  if (node.kind != Node::Kind::list)
    return bad(node.line, "'" + std::string(what) + "' must be a list of texts",
               "write it as [first, second]");
  for (const Node& item : node.items) {
    if (item.kind != Node::Kind::scalar)
      return bad(item.line, "'" + std::string(what) + "' must be a list of texts");
    list.push_back(item.text);
  }
  return list;
}

Result<Step> Reader::print(const Node& node, bool to_stderr) const {
  const std::string_view key = to_stderr ? "stderr" : "print";
  TRY_VOID(check_keys(node, {key}));
  return Step{node.line, Print{TRY(text(node, key)), to_stderr}};
}

Result<Step> Reader::write(const Node& node) const {
  TRY_VOID(check_keys(node, {"write", "text", "executable"}));
  const std::string flag = TRY(optional_text(node, "executable"));
  if (!flag.empty() && flag != "true" && flag != "false")
    return bad(node.line, "'executable' must be true or false");
  return Step{node.line, Write{TRY(text(node, "write")), TRY(text(node, "text")), flag == "true"}};
}

Result<Step> Reader::edit(const Node& node) const {
  TRY_VOID(check_keys(node, {"edit", "find", "replace"}));
  Edit edit{TRY(text(node, "edit")), TRY(text(node, "find")), TRY(text(node, "replace"))};
  if (edit.find.empty()) return bad(node.line, "'find' is empty");
  return Step{node.line, std::move(edit)};
}

Result<Step> Reader::erase(const Node& node) const {
  TRY_VOID(check_keys(node, {"delete"}));
  return Step{node.line, Delete{TRY(text(node, "delete"))}};
}

Result<Step> Reader::run(const Node& node) const {
  TRY_VOID(check_keys(node, {"run", "in", "expect", "save"}));
  Run run;
  run.argv = TRY(texts(*child(node, "run"), "run"));
  if (run.argv.empty() || run.argv.front().empty())
    return bad(node.line, "'run' names no program", "write it as [program, argument, …]");
  run.folder = TRY(optional_text(node, "in"));
  run.save = TRY(optional_text(node, "save"));
  if (!run.save.empty() && !is_variable_name(run.save))
    return bad(node.line, "'save' must be a name of letters, digits and underscores",
               "names that begin with CAPSULE_ are reserved");
  const Node* expect = child(node, "expect");
  if (expect == nullptr || expect->text == "pass") {
    run.expect = Run::Expect::pass;
  } else if (expect->text == "fail") {
    run.expect = Run::Expect::fail;
  } else if (expect->text == "any") {
    run.expect = Run::Expect::any;
  } else {
    const auto code = number(*expect, "expect", 0, 255);
    if (!code)
      return bad(expect->line, "'expect' must be pass, fail, any or an exit code from 0 to 255");
    run.expect = Run::Expect::code;
    run.code = *code;
  }
  return Step{node.line, std::move(run)};
}

Result<Step> Reader::worklog(const Node& node) const {
  TRY_VOID(check_keys(node, {"worklog"}));
  return Step{node.line, Worklog{TRY(text(node, "worklog"))}};
}

Result<Step> Reader::signal(const Node& node) const {
  TRY_VOID(check_keys(node, {"signal"}));
  const Node& map = *child(node, "signal");
  if (map.kind != Node::Kind::map)
    return bad(map.line, "'signal' must be a map of its fields",
               "to print anything but a signal, use 'print'");
  Signal signal;
  for (std::size_t i = 0; i < map.names.size(); ++i) {
    const std::string& key = map.names[i].text;
    if (map.items[i].kind == Node::Kind::list)
      signal.fields.emplace_back(key, TRY(texts(map.items[i], key)));
    else
      signal.fields.emplace_back(key, TRY(text(map, key)));
  }
  const auto checked = signal::parse_contract(signal_text(signal));
  if (checked.fault != signal::ContractFault::none)
    return bad(map.line, "not a valid signal: " + checked.signal.feedback,
               "to print anything but a signal, use 'print'");
  return Step{node.line, std::move(signal)};
}

Result<Step> Reader::wait(const Node& node) const {
  TRY_VOID(check_keys(node, {"wait"}));
  const std::string seconds = TRY(text(node, "wait"));
  double value = -1;
  const char* end = seconds.data() + seconds.size();
  const auto [stop, error] = std::from_chars(seconds.data(), end, value, std::chars_format::fixed);
  if (error != std::errc{} || stop != end || !(value >= 0 && value <= 3600))
    return bad(node.line, "'wait' must be a number of seconds from 0 to 3600");
  return Step{node.line, Wait{std::chrono::milliseconds(static_cast<long>(value * 1000))}};
}

Result<Step> Reader::exit(const Node& node) const {
  TRY_VOID(check_keys(node, {"exit"}));
  return Step{node.line, Exit{TRY(number(*child(node, "exit"), "exit", 0, 255))}};
}

Result<Step> Reader::prompt_has(const Node& node) const {
  TRY_VOID(check_keys(node, {"prompt_has"}));
  return Step{node.line, PromptHas{TRY(text(node, "prompt_has"))}};
}

Result<Step> Reader::step(const Node& node) const {
  struct Verb {
    std::string_view key;
    Result<Step> (*read)(const Reader&, const Node&);
  };
  static constexpr std::array kVerbs{
      Verb{"print", [](const Reader& r, const Node& n) { return r.print(n, false); }},
      Verb{"stderr", [](const Reader& r, const Node& n) { return r.print(n, true); }},
      Verb{"write", [](const Reader& r, const Node& n) { return r.write(n); }},
      Verb{"edit", [](const Reader& r, const Node& n) { return r.edit(n); }},
      Verb{"delete", [](const Reader& r, const Node& n) { return r.erase(n); }},
      Verb{"run", [](const Reader& r, const Node& n) { return r.run(n); }},
      Verb{"worklog", [](const Reader& r, const Node& n) { return r.worklog(n); }},
      Verb{"signal", [](const Reader& r, const Node& n) { return r.signal(n); }},
      Verb{"wait", [](const Reader& r, const Node& n) { return r.wait(n); }},
      Verb{"exit", [](const Reader& r, const Node& n) { return r.exit(n); }},
      Verb{"prompt_has", [](const Reader& r, const Node& n) { return r.prompt_has(n); }},
  };
  if (node.kind == Node::Kind::map)
    for (const Verb& verb : kVerbs)
      if (child(node, verb.key) != nullptr) return verb.read(*this, node);
  std::vector<std::string_view> names;
  names.reserve(kVerbs.size());
  for (const Verb& verb : kVerbs) names.push_back(verb.key);
  return bad(node.line, "not a step", "a step begins with one of: " + joined(names));
}

Result<Take> Reader::take(const Node& node) const {
  if (node.kind != Node::Kind::map) return bad(node.line, "a take needs 'phase' and 'steps'");
  TRY_VOID(check_keys(node, {"phase", "attempt", "steps"}));
  Take take{node.line, TRY(text(node, "phase")), 1, {}};
  if (take.phase.empty()) return bad(node.line, "'phase' is empty");
  if (const Node* attempt = child(node, "attempt"))
    take.attempt = TRY(number(*attempt, "attempt", 1, 1'000'000));
  const Node* steps = child(node, "steps");
  if (steps == nullptr || steps->kind != Node::Kind::list)
    return bad(steps == nullptr ? node.line : steps->line, "'steps' must be a list");
  for (const Node& item : steps->items) take.steps.push_back(TRY(step(item)));
  return take;
}

Result<Cassette> Reader::cassette(const Node& node) const {
  if (node.kind != Node::Kind::map || child(node, "cassette") == nullptr)
    return bad(std::max(node.line, 1), "not a cassette", "its first line is: cassette: 1");
  const Node& version = *child(node, "cassette");
  if (version.text != "1")
    return bad(version.line, "this is a cassette of version '" + printable(version.text) + "'",
               "this Capsule plays version 1");
  TRY_VOID(check_keys(node, {"cassette", "about", "takes"}));
  TRY(optional_text(node, "about"));
  const Node* takes = child(node, "takes");
  if (takes == nullptr || takes->kind != Node::Kind::list)
    return bad(takes == nullptr ? node.line : takes->line, "'takes' must be a list");
  Cassette cassette;
  for (const Node& item : takes->items) {
    Take next = TRY(take(item));
    for (const Take& other : cassette.takes)
      if (other.phase == next.phase && other.attempt == next.attempt)
        return bad(next.line,
                   "a second take for " + printable(next.phase) + ", attempt " +
                       std::to_string(next.attempt),
                   "the first one is on line " + std::to_string(other.line));
    cassette.takes.push_back(std::move(next));
  }
  return cassette;
}

}  // namespace

Result<Cassette> parse_cassette(std::string_view text, std::string_view name) {
  const auto tree = config::parse_yaml(text);
  if (!tree)
    return fail(Reason::damaged,
                std::string(name) + ":" + std::to_string(std::max(tree.error().line, 1)) + ": " +
                    tree.error().message,
                tree.error().hint);
  return Reader(name).cassette(*tree);
}

const Take* find_take(const Cassette& cassette, std::string_view phase, int attempt) {
  const Take* best = nullptr;
  for (const Take& take : cassette.takes)
    if (take.phase == phase && take.attempt <= attempt &&
        (best == nullptr || take.attempt > best->attempt))
      best = &take;
  return best;
}

}  // namespace capsule::agent::rehearsal
