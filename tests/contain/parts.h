// The parts that lab.cpp puts together. All run in process 1 of the lab, or in children of it.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/contain/lab.h"

namespace capsule::test::contain {

struct Lab {
  std::string base;  // the folder on disk, by a path that only process 1 uses
  std::string nonce;
  uid_t uid = 0;                                   // the user's
  std::map<std::string, std::string> values = {};  // that attempts are told
  std::map<std::string, pid_t> victims = {};
  std::map<std::string, int> lines = {};    // to victims, which answer as long as they live
  std::vector<std::string> worktrees = {};  // that the attempts begin in
  std::string place = {};                   // the one that the last began in
  std::string client = {};                  // the real one's program on this machine
  std::string service = {};                 // where its service is, in the lab
  bool runs = false;                        // Capsule makes worktrees and journal by itself
  int terminal = -1;                        // the user's, as programs see it
  int leader = -1;                          // its other end
  std::string log() const { return home("agent.log"); }  // what programs print as their errors

  std::string secret(std::string_view name) const {
    return "SECRET-" + std::string(name) + "-" + nonce;
  }
  std::string mark(std::string_view id) const { return "MARK-" + std::string(id) + "-" + nonce; }
  const std::string& at(const std::string& name) const { return values.at(name); }
  std::string home(std::string_view below) const { return at("home") + "/" + std::string(below); }
  std::string project(std::string_view below) const {
    return at("project") + "/" + std::string(below);
  }
};

// What cannot be made ends the lab with a sentence. Thrown and caught in process 1 only.
struct Trouble {
  std::string why;
};
void must(bool held, const std::string& what);  // with errno's words

inline constexpr const char* kCapsule = "/srv/capsule";  // the program, as the lab sees it
inline constexpr int kTcp = 7001;
inline constexpr int kUdp = 7002;
inline constexpr int kProxy = 3128;
inline constexpr int kCall = 7003;
inline constexpr int kAllowed = 7004;  // of the other host, and behind the proxy
inline constexpr const char* kOwnHost = "10.99.7.1";
inline constexpr const char* kOtherHost = "10.99.7.2";
inline constexpr const char* kOtherHost6 = "fd99:7::2";

// In a child with the user's rights; process 1 goes on at once.
pid_t start_as_user(const Lab& lab, const std::function<void()>& work);
void become_user(const Lab& lab);
// The same, and waits for it.
void user_does(const Lab& lab, const std::function<void()>& work);
// The user runs a program and waits; gives its exit code. Its output goes to `output`, or to
// nobody.
int user_runs(const Lab& lab, const std::vector<std::string>& words, std::string* output = nullptr);

void make_machine(Lab& lab,
                  const std::string& capsule);  // mounts, names, network device; before all others
void make_home(Lab& lab, const std::string& attempt);  // the program that makes them
void make_victims(Lab& lab);
void make_listeners(Lab& lab);
// Starts a victim, which answers from when it is `ready` until somebody kills it. `prepare` runs
// with the lab's rights, `live` with the user's.
void make_victim(Lab& lab, const std::string& name, const std::function<void()>& prepare,
                 const std::function<void()>& live);
// Asks it. What had been sent to it before has reached it when this returns.
bool is_alive(const Lab& lab, const std::string& name);
void make_terminal(Lab& lab);  // a new one: it ends with the session that it was given to
void run_ip(const std::vector<std::vector<std::string>>& lines);  // words after `ip`, line by line
void connect_hosts(Lab& lab, pid_t other_host);

// Every line that a listener has heard so far, "host: …" or "other: …".
std::string heard(const Lab& lab);
// Returns when the listeners have taken in all that has reached them.
void let_listeners_catch_up(const Lab& lab);

// A run of Capsule in the lab, by its user. What its agents and checks said is in `said`.
struct Ran {
  int code = -1;
  std::string printed = {}, said = {};
  std::vector<std::string> finished = {};
};
void make_run(Lab& lab, const Through& run, const std::vector<std::string>& ids);
Ran run_all(Lab& lab, const Through& run);

// Whether the attempt got out, from what it printed and from what the lab looks like now.
bool got_out(Lab& lab, const std::string& id, const std::string& said);

std::string text_of(const std::string& path);
void put(const std::string& path, const std::string& text, mode_t mode = 0644);  // makes folders

}  // namespace capsule::test::contain
