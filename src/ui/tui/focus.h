// What the dashboard shows, and where a person is in it. All of it is values: a screen is a pure
// function of these (draw.h), and so is what a key does (press.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "command_line/command.h"
#include "ui/view/view.h"

namespace capsule::tui {

enum class Screen { home, board, timeline, plan, beads, history, ledger };
inline constexpr int kScreens = 7;
enum class Tab { evidence, diff, transcript, task };
inline constexpr int kTabs = 4;

// Texts of beads are as they came, and hostile.
struct Bead {
  std::string id, title, type, status, parent;
  int priority = 2;
  std::string description = {}, acceptance = {};
};

// A text that is not in the view and has to be fetched.
struct Wish {
  enum class Kind {
    command,  // words: of our own program
    diff,     // words: from and to, both refs or commits
    archive,  // words: a bead and a run of it, whose worklog was kept
  } kind{};
  std::vector<std::string> words;
  std::int64_t printed = 0;  // how often it was seen to grow: once more, and the text is old
  std::string key() const;
};
struct Page {
  std::vector<std::string> lines;
  bool loading = false;
  bool cut = false;  // there is more than is shown
  std::string error = {};
};

// What is known of the project. The view may be an earlier one: replay.
struct Shown {
  const view::Project* project = nullptr;
  std::string trouble;                 // why the journal cannot be read; empty: it can
  std::string folder;                  // of the project, for people
  std::string now;                     // UTC
  std::string options;                 // " --project-dir=…", for commands to paste
  std::vector<std::string> providers;  // the one that counts first
  int pipeline_phases = 6;
  std::string main_branch = "main";
  std::vector<Bead> beads;
  std::string no_beads;               // why there are none
  std::map<std::string, Page> pages;  // by the key of their wish
  command_line::Table commands;       // of our own program, for its line
};

// Something over the screen that wants a key, or words.
struct Dialog {
  enum class Kind {
    help,
    confirm,  // enter or the letter does it
    input,    // a line of words
    output,   // what a command has printed
  } kind{};
  enum class Use { answer, filter, find, line } use{};
  std::string title;
  std::vector<std::string> lines;    // what one should know
  std::string yes;                   // "Run 4 tasks"
  view::Action action;               // that follows
  std::vector<std::string> options;  // numbered; one of them is the answer
  std::string text;                  // typed so far
  std::size_t behind = 0;            // bytes of it behind the cursor
  std::string draft;                 // where the text is kept when it is left
  int scroll = 0;
  // Of the command line: the line as it was before proposals were gone through, and which of them
  // it shows (-1: none); which earlier line it shows (as many as there are: none).
  std::string base;
  int cycle = -1;
  int recalled = 0;
  // Of what a command has printed.
  int number = 0;
  bool ended = false;
  int exit_code = 0;
};

struct PassedScreen {
  Screen screen = Screen::home;
  std::string run;
};

struct Focus {
  Screen screen = Screen::home;
  std::string run;                 // that board, timeline and plan show
  std::vector<PassedScreen> back;  // where escape leads
  int pane = 0;                    // 0: the list; 1: what is chosen in it
  Tab tab = Tab::evidence;
  bool full = false;                     // one pane has all the room
  std::map<Screen, std::string> chosen;  // the key of a row on each screen; empty: what is best
  int scroll = 0;                        // of the second pane
  bool at_end = true;                    // the transcript follows
  int agent = 0;                         // whose diff and transcript; 0: the newest
  std::string filter;
  std::string find;              // words that are looked for in a diff or a transcript
  int hit = 0;                   // the line where they were found last; 0: not yet
  std::set<std::string> closed;  // beads whose children are not shown
  std::string started;           // the bead that was run last from here
  std::size_t provider = 0;      // of Shown::providers
  std::optional<Dialog> dialog;
  std::map<std::string, std::string> drafts;
  std::vector<std::string> history;     // lines of commands, oldest first
  int commands = 0;                     // that were run from the command line
  std::optional<std::uint64_t> replay;  // so many facts of the run are shown; none: all
  std::uint64_t facts = 0;              // that it had when replay began
  std::string note;                     // one line, for some seconds
};

// What a key wants of the world.
struct Effect {
  enum class Kind {
    leave,
    command,
    copy,
    shell,  // in a worktree, on this terminal; text: the folder, words: the run and the tree's task
    editor,  // the same
  } kind{};
  std::vector<std::string> words;  // command: of our own program
  std::string text;                // copy
  int number = 0;                  // of the command line: whose output is to be shown; 0: none
};

}  // namespace capsule::tui
