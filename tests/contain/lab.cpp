#include "tests/contain/lab.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/contain/parts.h"

namespace capsule::test::contain {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr uid_t kUser = 4242;
constexpr std::chrono::seconds kLimit{120};

// One start of the attempting program: what would spoil the others' evidence is alone, in a
// worktree of its own.
struct Start {
  const char* worktree;
  std::vector<std::string> ids;
};
std::vector<Start> starts(const std::vector<std::string>& ids) {
  const std::map<std::string, const char*> alone = {{"W17", "w17"}, {"W23", "w23"}, {"W24", "w24"},
                                                    {"W41", "w41"}, {"G01", "g01"}, {"P14", "own"},
                                                    {"P15", "own"}, {"P20", "own"}};
  std::vector<Start> all{{"own", {}}, {"git", {}}};
  for (const std::string& id : ids) {
    if (const auto found = alone.find(id); found != alone.end())
      all.push_back({found->second, {id}});
    else
      all[id[0] == 'G' ? 1 : 0].ids.push_back(id);
  }
  std::erase_if(all, [](const Start& start) { return start.ids.empty(); });
  return all;
}

std::vector<std::string> words_of(const Lab& lab, const Walls& walls, const Start& start) {
  std::vector<std::string> words;
  if (walls.role != Role::none) {
    words = {kCapsule, "contain", "--preset=" + walls.preset,
             std::string("--role=") + name_of(walls.role)};
    // Only a network of its own has a proxy to attack.
    const std::string port = ":" + std::to_string(kAllowed);
    if (walls.preset == "strict")
      for (const std::string& host :
           {"allowed.lab" + port, kOtherHost + port, "rebound.lab:" + std::to_string(kTcp)})
        words.push_back("--allow=" + host);
    words.emplace_back("--");
  }
  words.push_back("./tools/attempt");
  for (const auto& [name, value] : lab.values) words.push_back(name + "=" + value);
  words.insert(words.end(), start.ids.begin(), start.ids.end());
  return words;
}

// As a careless parent starts an agent: with secrets in the environment, files left open and a
// terminal.
[[noreturn]] void become_program(const Lab& lab, const Walls& walls, const Start& start,
                                 int output) {
  must(chdir(lab.place.c_str()) == 0, lab.place);
  must(dup2(lab.terminal, STDIN_FILENO) == 0, "terminal");
  const int log = open(lab.log().c_str(), O_WRONLY | O_APPEND);
  must(dup2(output, STDOUT_FILENO) == 1 && dup2(log, STDERR_FILENO) == 2, "output");
  const int file = open(lab.home("left-open.txt").c_str(), O_RDONLY);
  const int folder = open(lab.at("home").c_str(), O_RDONLY | O_DIRECTORY);
  must(dup2(file, 77) == 77 && dup2(folder, 78) == 78, "descriptors");
  std::vector<std::string> variables = {"PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
                                        "HOME=" + lab.at("home"),
                                        "GITHUB_TOKEN=" + lab.secret("github"),
                                        "AWS_SECRET_ACCESS_KEY=" + lab.secret("aws-key"),
                                        "SSH_AUTH_SOCK=" + lab.at("agent_socket"),
                                        "LANG=C.UTF-8"};
  if (!walls.without.empty()) variables.push_back("CAPSULE_TEST_WITHOUT=" + walls.without);
  const std::vector<std::string> words = words_of(lab, walls, start);
  std::vector<char*> argv;
  std::vector<char*> env;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  for (const std::string& one : variables) env.push_back(const_cast<char*>(one.c_str()));
  argv.push_back(nullptr);
  env.push_back(nullptr);
  execve(argv[0], argv.data(), env.data());
  throw Trouble{"no " + words[0]};
}

// Starts it below a process of the user, as an orchestrator would, and gives all that it printed.
std::string attempt_in(Lab& lab, const Walls& walls, const Start& start) {
  make_terminal(lab);
  lab.place =
      lab.project(walls.checkout ? "" : std::string(".capsule/worktrees/") + start.worktree);
  int ends[2];
  must(pipe2(ends, O_CLOEXEC) == 0, "pipe");
  make_victim(lab, "guardian", {}, [&] {
    must(ioctl(lab.terminal, TIOCSCTTY, 0) == 0, "terminal");
    const pid_t child = fork();
    if (child == 0) become_program(lab, walls, start, ends[1]);
    close(ends[1]);
  });
  close(ends[1]);
  std::string said;
  char part[65536];
  for (ssize_t size; (size = read(ends[0], part, sizeof part)) > 0;)
    said.append(part, static_cast<std::size_t>(size));
  close(ends[0]);
  return said;
}

// All that was said about it, by whoever made it.
std::string part_of(const std::string& said, const std::string& id) {
  const std::string head = "=== " + id + "\n";
  std::string parts;
  for (std::size_t at = 0; (at = said.find(head, at)) != said.npos; at += head.size())
    parts += said.substr(at + head.size(), said.find("\n=== ", at + 3) - at - head.size() + 1);
  return parts;
}

Json judged(Lab& lab, bool free, const std::vector<std::string>& ids, const std::string& said) {
  Json seen = Json::object();
  // What a free attempt sends may still be on its way; what a contained one sends must never come.
  const auto until = Clock::now() + std::chrono::seconds(free ? 5 : 0);
  let_listeners_catch_up(lab);
  for (const std::string& id : ids) {
    const std::string words = part_of(said, id);
    bool out = got_out(lab, id, words);
    while (!out && id[0] == 'N' && words.find("send") != words.npos && Clock::now() < until) {
      usleep(20000);
      out = got_out(lab, id, words);
    }
    seen[id] = {{"out", out}, {"said", words}};
  }
  return seen;
}

// The guardian of this start, and what it has started, are of no use any more.
void end_guardian(Lab& lab) {
  const pid_t guardian = lab.victims["guardian"];
  kill(guardian, SIGKILL);
  waitpid(guardian, nullptr, 0);
  close(lab.lines["guardian"]);
}

void attempt_all(Lab& lab, const Walls& walls, const std::vector<Start>& all, Json& report) {
  for (const Start& start : all) {
    const std::string said = attempt_in(lab, walls, start);
    // These end the program too that makes the attempts.
    const bool suicidal = std::set<std::string>{"P14", "P15", "P20"}.contains(start.ids[0]);
    if (said.find("=== ") == said.npos || (!suicidal && !said.ends_with("=== done\n")))
      report["trouble"] =
          "the attempts did not come to their end: " + said.substr(0, 2000) + text_of(lab.log());
    report["seen"].update(judged(lab, walls.role == Role::none, start.ids, said));
    end_guardian(lab);
  }
}

// What is done in the lab, and adds its reports.
using Work = std::function<void(Lab&, Json& reports)>;

void make_lab(Lab& lab) {
  // Read before the lab's own /tmp hides whatever was built there.
  const std::string tool = text_of(CAPSULE_ATTEMPT);
  must(!tool.empty(), CAPSULE_ATTEMPT);
  make_machine(lab, CAPSULE_BINARY);
  make_home(lab, tool);
  make_victims(lab);
  make_listeners(lab);
}

Work behind(const std::vector<Walls>& walls, const std::vector<std::string>& ids) {
  return [=](Lab& lab, Json& reports) {
    const std::vector<Start> all = starts(ids);
    for (const Start& start : all) lab.worktrees.push_back(start.worktree);
    make_lab(lab);
    for (const Walls& one : walls) {
      reports.push_back({{"trouble", ""}, {"seen", Json::object()}});
      attempt_all(lab, one, all, reports.back());
    }
  };
}

Work through(const Through& run, const std::vector<std::string>& ids) {
  return [=](Lab& lab, Json& reports) {
    lab.runs = true;
    lab.client = run.client;
    lab.place = "/home/ada/project/.capsule/worktrees/own";
    make_lab(lab);
    make_run(lab, run, ids);
    const Ran ran = run_all(lab, run);
    reports.push_back({{"trouble", ""},
                       {"seen", judged(lab, run.preset == "off", ids, ran.said)},
                       {"code", ran.code},
                       {"printed", ran.printed},
                       {"finished", ran.finished}});
    end_guardian(lab);
  };
}

// Process 1 of the lab. Says what was seen to `report`.
[[noreturn]] void live(Lab lab, const Work& work, int report) {
  Json result = {{"trouble", ""}, {"reports", Json::array()}};
  try {
    work(lab, result["reports"]);
  } catch (const Trouble& trouble) {
    result["trouble"] = trouble.why;
  }
  const std::string text = result.dump(-1, ' ', true, Json::error_handler_t::replace);
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t size = write(report, text.data() + at, text.size() - at);
    if (size <= 0) break;
    at += static_cast<std::size_t>(size);
  }
  _exit(0);
}

void map_ids(uid_t outside, gid_t group) {
  const auto write_text = [](const char* path, const std::string& text) {
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    must(fd >= 0 && write(fd, text.data(), text.size()) > 0, path);
    close(fd);
  };
  write_text("/proc/self/setgroups", "deny");
  write_text("/proc/self/uid_map", std::to_string(outside) + " " + std::to_string(outside) + " 1");
  write_text("/proc/self/gid_map", std::to_string(group) + " " + std::to_string(group) + " 1");
}

int namespaces() {
  const int own = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;
  return geteuid() == 0 ? own : own | CLONE_NEWUSER;
}

// The process that makes the namespaces; process 1 is its child and dies with it.
[[noreturn]] void begin(const Lab& lab, const Work& work, int report) {
  try {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const uid_t user = geteuid();
    const gid_t group = getegid();
    must(unshare(namespaces()) == 0, "namespaces");
    if (user != 0) map_ids(user, group);
    const pid_t first = fork();
    must(first >= 0, "fork");
    if (first == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      live(lab, work, report);
    }
    close(report);
    waitpid(first, nullptr, 0);
  } catch (const Trouble& trouble) {
    const std::string text = Json{{"trouble", trouble.why}}.dump();
    if (write(report, text.data(), text.size()) < 0) _exit(1);
  }
  _exit(0);
}

std::string random_word() {
  unsigned char bytes[8];
  if (getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) std::abort();
  std::string word;
  for (const unsigned char byte : bytes) {
    word += static_cast<char>('a' + byte % 16);
    word += static_cast<char>('a' + byte / 16);
  }
  return word;
}

std::string read_all(int fd, Clock::time_point until) {
  std::string text;
  char part[65536];
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd ready{fd, POLLIN, 0};
    if (left <= 0 || poll(&ready, 1, static_cast<int>(left)) <= 0) return {};
    const ssize_t size = read(fd, part, sizeof part);
    if (size <= 0) return text;
    text.append(part, static_cast<std::size_t>(size));
  }
}

// A run that was hurt may have its agent called once more, when the evidence was looked at already:
// what it made immutable then can be removed, too.
std::error_code remove_lab(const std::string& base) {
  namespace fs = std::filesystem;
  std::error_code trouble;
  fs::remove_all(base, trouble);
  if (!trouble) return trouble;
  const auto skip = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(base, skip, trouble), end; !trouble && at != end;
       at.increment(trouble)) {
    if (!at->is_regular_file() || at->is_symlink()) continue;
    const int fd = open(at->path().c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    const long none = 0;
    ioctl(fd, FS_IOC_SETFLAGS, &none);
    close(fd);
  }
  fs::remove_all(base, trouble);
  return trouble;
}

// The lab's own words; with "trouble" when there was none.
Json in_lab(As as, const Work& work) {
  const auto without_lab = [](const std::string& why) { return Json{{"trouble", why}}; };
  if (const std::string why = why_no_lab(as); !why.empty()) return without_lab(why);
  std::string base = (std::filesystem::temp_directory_path() / "capsule-lab-XXXXXX").string();
  int ends[2];
  if (mkdtemp(base.data()) == nullptr || chmod(base.c_str(), 0755) != 0 ||
      pipe2(ends, O_CLOEXEC) != 0)
    return without_lab(std::strerror(errno));
  Lab lab{.base = base, .nonce = random_word()};
  lab.uid = as == As::root ? 0 : geteuid() == 0 ? kUser : geteuid();
  const pid_t child = fork();
  if (child == 0) begin(lab, work, ends[1]);
  close(ends[1]);
  const std::string text = read_all(ends[0], Clock::now() + kLimit);
  close(ends[0]);
  // Who has said all is about to end, and his end is that of all in the lab: nobody is left who
  // would write there while it is removed.
  if (text.empty()) kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  const std::error_code trouble = remove_lab(base);
  Json result = Json::parse(text, nullptr, false);
  if (!result.is_object())
    return without_lab(text.empty() ? "the lab had not ended in its time" : "no report: " + text);
  if (trouble) return without_lab("not removed: " + trouble.message());
  return result;
}

Report report_of(const Json& result, std::size_t which) {
  Report report;
  report.trouble = result["trouble"];
  if (!report.trouble.empty()) return report;
  const Json& one = result["reports"][which];
  report.trouble = one["trouble"];
  for (const auto& [id, seen] : one["seen"].items())
    report.seen[id] = {.out = seen["out"], .said = seen["said"]};
  return report;
}

}  // namespace

std::vector<std::string> Report::out() const {
  std::vector<std::string> ids;
  for (const auto& [id, one] : seen)
    if (one.out) ids.push_back(id);
  return ids;
}

const char* name_of(As as) { return as == As::root ? "root" : "user"; }
const char* name_of(Role role) {
  constexpr const char* kNames[] = {"nobody", "writer", "reviewer", "gate"};
  return kNames[static_cast<std::size_t>(role)];
}

const char* name_of(Workflow workflow) {
  constexpr const char* kNames[] = {"pipeline", "delivery", "auto"};
  return kNames[static_cast<std::size_t>(workflow)];
}

std::string why_no_lab(As as) {
  if (as == As::root && geteuid() != 0) return "only root can try with root's rights";
  const pid_t child = fork();
  if (child == 0) _exit(unshare(namespaces()) == 0 ? 0 : errno);
  int status = 0;
  waitpid(child, &status, 0);
  if (status == 0) return {};
  return std::string("no namespaces for a lab: ") + std::strerror(WEXITSTATUS(status));
}

std::vector<std::string> ids_of(const std::string& letters) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    execl(CAPSULE_ATTEMPT, "attempt", "--list", nullptr);
    _exit(127);
  }
  close(ends[1]);
  const std::string list = read_all(ends[0], Clock::now() + kLimit);
  close(ends[0]);
  waitpid(child, nullptr, 0);
  std::vector<std::string> ids;
  for (std::size_t at = 0; at + 3 < list.size(); at = list.find('\n', at) + 1)
    if (letters.find(list[at]) != letters.npos) ids.push_back(list.substr(at, 3));
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::vector<Report> attempt(As as, const std::vector<Walls>& walls,
                            const std::vector<std::string>& ids) {
  std::vector<Report> reports(walls.size());
  const Json result = in_lab(as, behind(walls, ids));
  for (std::size_t i = 0; i < reports.size(); ++i) reports[i] = report_of(result, i);
  return reports;
}

RunReport attempt_through(As as, const Through& run, const std::vector<std::string>& ids) {
  const Json result = in_lab(as, through(run, ids));
  RunReport report{report_of(result, 0), -1, {}, {}};
  if (!report.trouble.empty()) return report;
  report.code = result["reports"][0]["code"];
  report.printed = result["reports"][0]["printed"];
  for (const Json& role : result["reports"][0]["finished"]) report.finished.push_back(role);
  return report;
}

}  // namespace capsule::test::contain
