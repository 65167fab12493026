// record_clients FOLDER [--limit=SECONDS] [CLIENT…] [CASE…]
//
// Runs the agent clients that are in the cache against the scripted model, one call for each case
// in event mode, and writes what they print into FOLDER/CLIENT: CASE.out, CASE.err where there is
// any, and cases.json with exit codes, requests and what the model charged. Paths, ports and the
// like are replaced, so that two recordings can be compared. Not a test: its files are what tests
// read.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <iterator>
#include <set>

#include "tests/client/clients.h"
#include "tests/client/model.h"
#include "tests/program/harness.h"

extern char** environ;  // NOLINT: POSIX gives it no header

namespace capsule::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrompt = "Please write the greeting.";
constexpr const char* kMore = "Now say it in French.";
constexpr const char* kSession = "0b1e7c54-6a4f-4f52-9c1a-5d6f0e2a7b31";
constexpr long kReset = 1'893'456'000;  // 2030-01-01

constexpr int kLimit = 60;

struct Case {
  std::string name;
  std::vector<Say> answers;
  int limit = kLimit;   // seconds, by which a silent client is ended
  bool listens = true;  // a model is there
  int retries = 0;
};

std::vector<Case> cases() {
  using std::chrono::seconds;
  const auto limited = [](int after) {
    return fails({.fault = Fault::rate_limited, .retry_after = seconds(after)});
  };
  return {
      {"success",
       {bash("echo hello >greeting.txt; cat greeting.txt")
            .costing({.input = 100, .output = 20, .cache_read = 1000}),
        say("It greets.\n\n{\"status\":\"PASS\",\"feedback\":\"fine\",\"files_changed\":[],"
            "\"summary\":\"did it\"}")
            .costing({.input = 30, .output = 11, .cache_read = 2000})}},
      {"tool-fails", {bash("echo oh no >&2; exit 3"), say("It failed with 3.")}},
      {"empty", {say("")}},
      {"unauthorised", {fails(Fault::unauthorised)}},
      {"rate-limited", {fails(Fault::rate_limited)}},
      {"rate-limited-2s", {limited(2)}},
      {"rate-limited-1h", {limited(3600)}},
      {"rate-limited-once", {fails(Fault::rate_limited, 1), say("It greets.")}},
      {"usage-limit", {fails({.fault = Fault::usage_limit, .resets_at = kReset})}},
      {"no-credit", {fails(Fault::no_credit)}},
      {"overloaded", {fails(Fault::overloaded)}},
      {"server-error", {fails(Fault::server_error)}},
      {"cut", {fails(Fault::cut)}},
      {"refused", {fails(Fault::refused)}},
      {"too-long", {fails(Fault::too_long)}},
      {"silent", {fails(Fault::silent)}, 10},
      {"unreachable", {}, kLimit, false},
      {"overloaded-once", {fails(Fault::overloaded, 1), say("It greets.")}, kLimit, true, 2},
      {"cut-once", {fails(Fault::cut, 1), say("It greets.")}, kLimit, true, 2},
      {"late-overload", {bash("echo hello"), fails(Fault::overloaded)}},
  };
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

struct Recorder {
  const ClientRow& row;
  std::string program;
  std::string folder;  // of the client's transcripts
  std::string base;    // temporary
  std::string place = {};
  Json summary = Json::object();

  // What a client says over and over again without telling anything is kept twice.
  static std::string without_repeats(const std::string& text) {
    std::string kept;
    int repeats = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
      const std::string line = text.substr(at, end - at);
      at = end;
      if (line.find("session.background_tasks_changed") != line.npos && ++repeats > 2) continue;
      kept += line;
    }
    return kept;
  }

  std::string clean(std::string text, const std::string& url) const {
    text = without_repeats(text);
    // Some name folders after the path, in their own spelling.
    text = replaced(std::move(text), replaced(place, "/", "-") + "-work", "-srv-project");
    text = replaced(std::move(text), replaced(place, "/", "%2F") + "%2Fwork", "%2Fsrv%2Fproject");
    text = replaced(std::move(text), place + "/home", "/home/somebody");
    text = replaced(std::move(text), place + "/work", "/srv/project");
    text = replaced(std::move(text), place + "/tmp", "/tmp");
    text = replaced(std::move(text), url.substr(7), "127.0.0.1:1");
    text = replaced(std::move(text), fs::path(program).parent_path().string(), "/opt/" + row.name);
    return text;
  }

  Call call_of(const Room& room, const std::string& prompt, std::vector<std::string> words,
               int limit) const {
    Call call{.program = "timeout", .limit = std::chrono::seconds(limit + 60)};
    call.cwd = place + "/work";
    for (char** entry = environ; *entry != nullptr; ++entry) {
      const std::string_view text = *entry;
      const std::string_view name = text.substr(0, text.find('='));
      if (concerns_clients(name)) call.env[std::string(name)] = std::nullopt;
    }
    for (const auto& [name, value] : row.variables(room)) call.env[name] = value;
    call.env["HOME"] = room.home;
    call.env["TMPDIR"] = place + "/tmp";
    call.env["SHELL"] = "/bin/bash";
    call.input = prompt;
    for (std::string& word : words) {
      if (word == "{prompt}") {
        word = prompt;
        call.input.clear();
      }
      word = replaced(word, "{session}", kSession);
    }
    call.args = {"-k", "3", std::to_string(limit), program};
    call.args.insert(call.args.end(), words.begin(), words.end());
    return call;
  }

  void keep(const std::string& name, const Outcome& outcome, const Script& script,
            const std::string& url, double seconds) {
    write_file(folder + "/" + name + ".out", clean(outcome.out, url));
    const std::string err = clean(outcome.err, url);
    fs::remove(folder + "/" + name + ".err");
    if (!err.empty()) write_file(folder + "/" + name + ".err", err.substr(0, 8000));
    const Tokens used = script.used();
    summary[name] = {
        {"exit", outcome.exit_code},
        {"seconds", static_cast<int>(seconds + 0.5)},
        {"requests", script.turns().size()},
        {"tokens",
         {{"input", used.input}, {"output", used.output}, {"cache_read", used.cache_read}}}};
    if (!script.surprises().empty()) summary[name]["surprises"] = script.surprises();
    std::printf("%-9s %-18s exit %3d  %4.1f s  %zu requests\n", row.name.c_str(), name.c_str(),
                outcome.exit_code, seconds, script.turns().size());
    std::fflush(stdout);
  }

  // In folders of its own: some clients leave processes that write on.
  void record(const Case& one) {
    place = base + "/" + row.name + "-" + one.name;
    for (const char* name : {"work", "home", "tmp"}) fs::create_directories(place + "/" + name);
    run({.args = {"init", "-q", place + "/work"}, .program = "git"});
    Script script;
    script.when(kPrompt, one.answers);
    script.when(kMore, {say("Bonjour.").costing({.input = 5, .output = 2, .cache_read = 3000})});
    const Model model(script);
    const Room room{place + "/home", one.listens ? model.url() : "http://127.0.0.1:9", one.retries,
                    true};
    for (const auto& [name, text] : row.files(room)) write_file(room.home + "/" + name, text);
    const auto went = [&](std::vector<std::string> words, const char* prompt, const char* name) {
      const auto from = std::chrono::steady_clock::now();
      const Outcome outcome = run(call_of(room, prompt, std::move(words), one.limit));
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - from;
      keep(name, outcome, script, room.url, took.count());
      return outcome;
    };
    std::vector<std::string> words = row.events(room);
    words.insert(words.end(), row.begin.begin(), row.begin.end());
    const Outcome first = went(words, kPrompt, one.name.c_str());
    if (one.name != "success") return;
    words = row.plain(room);
    went(words, kPrompt, "plain-success");
    // The id that the client chose, wherever it stands.
    std::string session = kSession;
    for (const std::string key : {"\"thread_id\":\"", "\"sessionID\":\"", "\"session_id\":\""}) {
      const std::size_t at = first.out.find(key);
      if (!row.begin.empty() || at == first.out.npos) continue;
      const std::size_t from = at + key.size();
      session = first.out.substr(from, first.out.find('"', from) - from);
    }
    words = row.events(room);
    for (const std::string& word : row.resume)
      words.push_back(replaced(word, "{session}", session));
    if (row.name == "codex") words.push_back("-");
    went(words, kMore, "resumed");
  }
};

int record_all(const std::string& folder, std::set<std::string> wanted) {
  const auto is_wanted = [&](const std::string& name, const auto& all) {
    for (const auto& one : all)
      if (wanted.contains(one.name)) return wanted.contains(name);
    return true;
  };
  char pattern[] = "/tmp/record-clients-XXXXXX";
  const std::string base = mkdtemp(pattern);
  std::vector<Case> all = cases();
  const std::string option = "--limit=";
  for (const std::string& word : std::set<std::string>(wanted)) {
    if (!word.starts_with(option)) continue;
    for (Case& one : all)
      if (one.limit == kLimit) one.limit = std::stoi(word.substr(option.size()));
    wanted.erase(word);
  }
  for (const ClientRow& row : client_rows()) {
    if (!is_wanted(row.name, client_rows())) continue;
    const std::vector<std::string> words = where_words(row.name);
    const Outcome where = run({.args = {words.begin() + 1, words.end()}, .program = words[0]});
    if (where.exit_code != 0) {
      std::printf("%s: %s", row.name.c_str(), where.err.c_str());
      continue;
    }
    Recorder recorder{row, where.out.substr(0, where.out.find('\n')), folder + "/" + row.name,
                      base};
    fs::create_directories(recorder.folder);
    const std::string index = recorder.folder + "/cases.json";
    if (fs::exists(index)) recorder.summary = Json::parse(read_file(index));
    for (const Case& one : all)
      if (is_wanted(one.name, all)) {
        recorder.record(one);
        write_file(index, recorder.summary.dump(1) + "\n");
      }
  }
  std::error_code ignored;
  fs::remove_all(base, ignored);
  return 0;
}

}  // namespace
}  // namespace capsule::test

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: record_clients FOLDER [--limit=SECONDS] [CLIENT…] [CASE…]\n");
    return 2;
  }
  return capsule::test::record_all(argv[1], std::set<std::string>(argv + 2, argv + argc));
}
