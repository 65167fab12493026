// `capsule bead …`: the project's beads from the command line. The native store is worked on
// directly; where the project's tracker is bd, the same words go to bd and its answer is shown.
#include <optional>

#include "base/files.h"
#include "base/ids.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/project_args.h"
#include "command_line/input.h"
#include "json/text.h"
#include "ui/bead_text.h"
#include "world/bead_desk.h"

namespace capsule::cli {
namespace {

constexpr Option kBeadJson{"json", "", "Print JSON, in the shape that bd prints"};

std::string value_of(const Args& args, std::string_view option) {
  return std::string(args.option(option).value_or(""));
}

std::string first_word(const Args& args) { return std::string(args.positional(0).value_or("")); }

using task::Words;

// Damaged lines of the store are told, whatever the command was.
bool report_damage(const task::NativeStore& store) {
  for (const task::Damage& damage : store.damage())
    report({Reason::damaged,
            store.file_path() + ", line " + std::to_string(damage.line) + ": " + damage.why,
            "the line is kept as it is; repair or remove it"});
  return !store.damage().empty();
}

// What a command does in our own store, and the words that it is for bd.
template <class Native>
Result<int> run_either(const Args& args, Words words, Native native) {
  world::BeadDesk desk = TRY(world::BeadDesk::open(project_folder(args)));
  if (desk.is_bd()) {
    const task::Forwarded answer = TRY(desk.hand_over(std::move(words), args.flag("json")));
    print(answer.out);
    print_error(answer.err);
    return answer.ok ? 0 : 1;
  }
  task::NativeStore& store = desk.store();
  const Result<int> code = native(store);
  // The error of a bead that is not found names the first damaged line itself.
  const bool damaged = code || code.error().reason != Reason::damaged ? report_damage(store) : true;
  return code && *code < 0 ? (damaged ? 1 : 0) : code;
}

// For commands whose answer is incomplete when lines are damaged.
constexpr int kUnlessDamaged = -1;

Result<int> run_init(const Args& args) {
  const std::string dir(args.option("project-dir").value_or("."));
  const std::string prefix = value_of(args, "prefix");
  if (prefix.empty())
    return fail(Reason::usage, "bead init needs --prefix=NAME", "new ids begin with it");
  TRY_VOID(world::begin_beads(dir, prefix));
  const std::string path = dir + "/.beads";
  if (args.flag("json")) {
    print("{\"prefix\":" + json::quoted(prefix) + ",\"path\":" + json::quoted(path) + "}\n");
  } else {
    print("Beads are kept in " + printable(path) + "; new ids begin with " + printable(prefix) +
          "-\n");
  }
  return 0;
}

Result<int> run_import(const Args& args) {
  const std::string file = value_of(args, "input");
  if (file.empty()) return fail(Reason::usage, "bead import needs -i FILE", "'-' reads from stdin");
  return run_either(
      args, {"import", "-i", absolute_path(file)}, [&](task::NativeStore& store) -> Result<int> {
        command_line::Input input = TRY(command_line::Input::open(file));
        const auto count = TRY(store.import(TRY(input.whole()), file));
        const std::string created = std::to_string(count.created);
        const std::string updated = std::to_string(count.updated);
        const std::string same = std::to_string(count.unchanged);
        print(args.flag("json") ? "{\"created\":" + created + ",\"updated\":" + updated +
                                      ",\"unchanged\":" + same + "}\n"
                                : "Imported: " + created + " created, " + updated + " updated, " +
                                      same + " unchanged\n");
        return 0;
      });
}

Result<int> run_create(const Args& args) {
  const int priority = TRY(task::priority_in(args.option("priority").value_or("2")));
  const task::NewBead bead{.title = value_of(args, "title"),
                           .type = std::string(args.option("type").value_or("task")),
                           .priority = priority,
                           .parent = value_of(args, "parent"),
                           .description = value_of(args, "description"),
                           .acceptance = value_of(args, "acceptance")};
  if (trimmed(bead.title).empty()) return fail(Reason::usage, "bead create needs --title=TEXT");
  return run_either(args, words_to_create(bead), [&](task::NativeStore& store) -> Result<int> {
    const std::string id = TRY(store.create(bead));
    print(args.flag("json") ? TRY(store.object_json(id))
                            : "Created " + id + ": " + printable(bead.title) + "\n");
    return 0;
  });
}

// What a command lists, and what it says when that is nothing.
template <class List>
Result<int> list_either(const Args& args, Words words, const char* none, List list) {
  return run_either(args, std::move(words), [&](task::NativeStore& store) -> Result<int> {
    const std::vector<engine::Bead> beads = TRY(list(store));
    print(args.flag("json") ? TRY(store.list_json(beads))
          : beads.empty()   ? none
                            : ui::bead_lines(beads));
    return kUnlessDamaged;
  });
}

Result<int> list_beads(const Args& args) {
  const engine::BeadFilter filter{value_of(args, "parent"), value_of(args, "status"),
                                  args.flag("all")};
  return list_either(args, task::words_to_list(filter), "No beads.\n",
                     [&](task::NativeStore& store) { return store.list(filter); });
}

Result<int> run_ready(const Args& args) {
  return list_either(args, {"ready"}, "Nothing is ready.\n",
                     [](task::NativeStore& store) { return store.ready(); });
}

Result<int> run_show(const Args& args) {
  const std::string id = first_word(args);
  return run_either(args, {"show", id}, [&](task::NativeStore& store) -> Result<int> {
    print(args.flag("json") ? TRY(store.show_json(id)) : ui::bead_page(TRY(store.show(id))));
    return 0;
  });
}

// A change of the bead that is named first, and the words that tell it before its id and title.
template <class Change>
Result<int> change_either(const Args& args, Words words, const char* done, Change change) {
  return run_either(args, std::move(words), [&](task::NativeStore& store) -> Result<int> {
    const std::string id = first_word(args);
    TRY_VOID(change(store, id));
    const engine::Bead bead = TRY(store.show(id));
    print(args.flag("json") ? TRY(store.array_json(id))
                            : done + id + ": " + printable(bead.title) + "\n");
    return 0;
  });
}

Result<int> run_close(const Args& args) {
  const std::string reason = value_of(args, "reason");
  return change_either(args, task::words_to_close(first_word(args), reason), "✓ closed ",
                       [&](auto& store, const std::string& id) { return store.close(id, reason); });
}

Result<int> run_reopen(const Args& args) {
  const std::string reason = value_of(args, "reason");
  TRY_VOID(check_id("bead id", first_word(args)));
  return change_either(
      args, task::words_to_reopen(first_word(args), reason), "↻ open again ",
      [&](auto& store, const std::string& id) { return store.reopen(id, reason); });
}

Result<int> run_update(const Args& args) {
  const auto text = [&](std::string_view option) -> std::optional<std::string> {
    const auto value = args.option(option);
    return value ? std::optional<std::string>(*value) : std::nullopt;
  };
  task::BeadChange change{.title = text("title"),
                          .type = text("type"),
                          .status = text("status"),
                          .description = text("description"),
                          .acceptance = text("acceptance"),
                          .design = text("design"),
                          .notes = text("notes")};
  if (const auto priority = args.option("priority"))
    change.priority = TRY(task::priority_in(*priority));
  if (change.empty())
    return fail(Reason::usage, "bead update: nothing to change was named",
                "for example --title=TEXT, --status=STATUS or --priority=N");
  TRY_VOID(check_id("bead id", first_word(args)));
  TRY_VOID(task::check_change(change));
  return change_either(
      args, task::words_to_update(first_word(args), change), "Updated ",
      [&](auto& store, const std::string& id) { return store.update(id, change); });
}

Result<int> run_comment(const Args& args) {
  const std::string id = first_word(args);
  const std::string text(args.positional(1).value_or(""));
  return run_either(args, {"comments", "add", id, text},
                    [&](task::NativeStore& store) -> Result<int> {
                      TRY_VOID(store.add_comment(id, text));
                      print(args.flag("json") ? TRY(store.last_comment_json(id))
                                              : "Comment added to " + id + "\n");
                      return 0;
                    });
}

constexpr Positional kId[] = {{"ID", "The bead"}};
constexpr Positional kComment[] = {{"ID", "The bead"}, {"TEXT", "What to say"}};
constexpr Option kCommon[] = {kProjectDir, kBeadJson};
constexpr Option kInit[] = {{"prefix", "NAME", "What new ids begin with"}, kProjectDir, kBeadJson};
constexpr Option kImport[] = {
    {"input", "FILE", "JSON lines, one bead each; - is stdin", {}, {}, 'i'},
    kProjectDir,
    kBeadJson};
constexpr Option kCreate[] = {{"title", "TEXT", "One line that names the work"},
                              {"type", "TYPE", "What it is", "task|bug|feature|epic|chore", "task"},
                              {"priority", "N", "0 (most urgent) to 4", {}, "2"},
                              {"parent", "ID", "The bead that it belongs to"},
                              {"description", "TEXT", "What to do, and why"},
                              {"acceptance", "TEXT", "How to tell that it is done"},
                              kProjectDir,
                              kBeadJson};
constexpr Option kList[] = {
    {"parent", "ID", "Only the children of this bead"},
    {"status", "STATUS", "Only these", "open|in_progress|blocked|deferred|closed"},
    {"all", "", "Closed ones too"},
    kProjectDir,
    kBeadJson};
constexpr Option kClose[] = {
    {"reason", "TEXT", "Why it is closed", {}, "Closed"}, kProjectDir, kBeadJson};

constexpr Option kReopen[] = {
    {"reason", "TEXT", "Why it is open again; kept as a comment"}, kProjectDir, kBeadJson};
constexpr Option kUpdate[] = {
    {"title", "TEXT", "One line that names the work"},
    {"type", "TYPE", "What it is", "task|bug|feature|epic|chore"},
    {"priority", "N", "0 (most urgent) to 4"},
    {"status", "STATUS", "How it stands", "open|in_progress|blocked|deferred|closed"},
    {"description", "TEXT", "What is to be done, and why"},
    {"acceptance", "TEXT", "How one sees that it is done"},
    {"design", "TEXT", "How it is to be done"},
    {"notes", "TEXT", "What else there is to know"},
    kProjectDir,
    kBeadJson};

constexpr Command kBeadRows[] = {
    {.path = "bead init",
     .summary = "Make a store for beads in a project",
     .details = "Beads are kept in .beads/issues.jsonl, one per line, in the shape that the "
                "tracker bd writes. Existing beads stay.",
     .options = kInit,
     .run = run_init,
     .examples = "capsule bead init --prefix=demo",
     .people_only = true},
    {.path = "bead import",
     .summary = "Add beads from a file of JSON lines",
     .details = "An existing bead gets the members that the file has for it and keeps "
                "the others. A damaged line is named, and then nothing is imported.",
     .options = kImport,
     .run = run_import,
     .examples = "capsule bead import -i issues.jsonl",
     .people_only = true},
    {.path = "bead create",
     .summary = "Add a bead",
     .details = "Its id is the next free number after the prefix, or after its parent's id and a "
                "dot.",
     .options = kCreate,
     .run = run_create,
     .examples = "capsule bead create --title='Validate e-mail' --type=task --priority=1",
     .people_only = true},
    {.path = "bead list",
     .summary = "List beads",
     .details = "By priority. Closed beads are left out unless --all or --status=closed is given.",
     .options = kList,
     .run = list_beads,
     .examples = "capsule bead list --parent=demo-1.1 --all"},
    {.path = "bead show",
     .summary = "Show a bead",
     .positionals = kId,
     .options = kCommon,
     .run = run_show,
     .examples = "capsule bead show demo-1.1.1 --json"},
    {.path = "bead ready",
     .summary = "List open beads that wait for nothing",
     .options = kCommon,
     .run = run_ready},
    {.path = "bead close",
     .summary = "Close a bead",
     .positionals = kId,
     .options = kClose,
     .run = run_close,
     .people_only = true},
    {.path = "bead reopen",
     .summary = "Open a closed bead again",
     .details = "A bead that Capsule has merged is new work once it is open again: 'capsule run' "
                "starts from what main holds now.",
     .positionals = kId,
     .options = kReopen,
     .run = run_reopen,
     .examples = "capsule bead reopen demo-1.1.1 --reason='empty input still fails'",
     .people_only = true},
    {.path = "bead update",
     .summary = "Change what a bead says",
     .details = "Only what is named changes; a text that is given as nothing (--notes=) is "
                "removed.",
     .positionals = kId,
     .options = kUpdate,
     .run = run_update,
     .examples = "capsule bead update demo-1.1.1 --priority=0 --acceptance='- accepts a+b@c.d'",
     .people_only = true},
    {.path = "bead comments add",
     .summary = "Add a comment to a bead",
     .positionals = kComment,
     .options = kCommon,
     .run = run_comment,
     .examples = "capsule bead comments add demo-1.1.1 'see the style guide'",
     .people_only = true},
};

}  // namespace

std::span<const Command> bead_commands() { return kBeadRows; }

}  // namespace capsule::cli
