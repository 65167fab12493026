#include "serve/site.h"

#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "base/clock.h"
#include "base/ids.h"
#include "base/text.h"
#include "json/text.h"
#include "notify/sender.h"
#include "process/command.h"
#include "serve/pages.h"
#include "serve/reading.h"
#include "ui/web/actions.h"
#include "ui/web/json_line.h"
#include "ui/web/rows.h"
#include "world/activities.h"

namespace capsule::serve {
namespace {

using http::ExchangeId;
using http::Request;
using http::Response;

constexpr std::string_view kActions = "/api/v1/actions";
constexpr std::size_t kMaxKeptEventBytes = std::size_t{2} << 20;
constexpr std::chrono::seconds kActionLimit{30};
// Less than what a stream may have unsent.
constexpr std::size_t kMaxFactBytes = std::size_t{512} * 1024;

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size())
    return std::nullopt;
  return value;
}

// Each who looks takes one, and many systems allow a thousand until somebody asks for more.
void allow_descriptors(const http::Limits& limits) {
  const rlim_t wanted = limits.streams + limits.connections + 128;
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= wanted) return;
  files.rlim_cur = std::min(files.rlim_max, wanted);
  (void)::setrlimit(RLIMIT_NOFILE, &files);
}

int status_for(Reason reason) {
  switch (reason) {
    case Reason::usage:
      return 400;
    case Reason::not_found:
      return 404;
    case Reason::refused:
      return 403;
    case Reason::exists:
    case Reason::blocked:
    case Reason::conflict:
      return 409;
    default:
      return 500;
  }
}

Response reply_error(const Error& error) {
  return serve::reply_error(status_for(error.reason), error.message);
}

Response reply_result(const Result<std::string>& json) {
  return json ? reply_json(200, *json) : reply_error(json.error());
}

// What the command says is what the person is told.
Response run_action(const std::string& program, const std::vector<std::string>& words) {
  process::Spec spec;
  spec.argv = {program};
  spec.argv.insert(spec.argv.end(), words.begin(), words.end());
  spec.max_out_bytes = spec.max_err_bytes = std::size_t{64} * 1024;
  spec.deadline = process::Clock::now() + kActionLimit;
  const auto output = process::run(spec);
  if (!output) return reply_error(output.error());
  if (output->timed_out)
    return serve::reply_error(409, "the command takes long; look at the run before trying again");
  if (output->ok()) return reply_json(202, "{\"said\":" + json::quoted(trimmed(output->out)) + "}");
  return serve::reply_error(409, trimmed(output->err.empty() ? output->out : output->err));
}

}  // namespace

Result<std::unique_ptr<Site>> Site::open(process::Loop& loop, const world::Project& project,
                                         SiteOptions options) {
  allow_descriptors(options.limits);
  std::unique_ptr<Site> site(new Site(loop, project, std::move(options)));
  site->server_ =
      TRY(http::Server::listen(loop, site->options_.address, *site, site->options_.limits));
  site->policy_.port = site->server_->port();
  site->policy_.session = random_hex(16);
  if (!site->options_.read_only) site->policy_.effects = kActions;
  site->worker_ = TRY(Worker::create(loop));
  site->follower_ = TRY(follow::Follower::start(
      loop, project, [raw = site.get()](const view::Project& now) { raw->on_change(now); }));
  site->shown_ = site->follower_->project();
  site->trouble_ = site->follower_->trouble();
  site->complete_from_ = site->shown_.newest.seq;
  return site;
}

Site::Site(process::Loop& loop, const world::Project& project, SiteOptions options)
    : loop_(loop), project_(project), options_(std::move(options)) {}

Site::~Site() {
  if (ping_) loop_.cancel(*ping_);
}

std::string Site::new_address() {
  policy_.token = random_hex(16);
  const std::string path = "/?token=" + policy_.token;
  return policy_.port == 0 ? path : "http://127.0.0.1:" + std::to_string(policy_.port) + path;
}

void Site::on_request(ExchangeId id, const Request& request) {
  const http::Verdict verdict = http::judge(request, policy_);
  // A page that is only open asks, too: it says when somebody touches it.
  if (request.has(http::kOwnHeader) &&
      (verdict == http::Verdict::allowed || verdict == http::Verdict::effect))
    notify::note_presence(project_.root());
  switch (verdict) {
    case http::Verdict::exchange: {
      policy_.token.clear();
      Response response = reply(303, "", "");
      for (const http::Header& header : http::exchanged(policy_).headers)
        response.headers.push_back(header);
      return server_->answer(id, response);
    }
    case http::Verdict::effect:
      return act(id, request);
    case http::Verdict::allowed:
      return route(id, request);
    default: {
      Response response = reply(http::status_of(verdict), "text/plain; charset=utf-8",
                                std::string(http::words_of(verdict)) + "\n");
      if (verdict == http::Verdict::other_method)
        response.headers.push_back(
            {"Allow", std::string(http::methods_at(request.path(), policy_))});
      return server_->answer(id, response);
    }
  }
}

void Site::route(ExchangeId id, const Request& request) {
  const std::string_view path = request.path();
  if (!request.has_clear_query())
    return server_->answer(id, serve::reply_error(400, "a parameter stands twice, or is no text"));
  if (path == "/api/v1/view") return view(id, request);
  if (path == "/api/v1/about") return about(id);
  if (path == "/api/v1/events" && request.method == http::Method::get) return events(id, request);
  if (path == "/api/v1/diff") return diff(id, request);
  if (path == "/api/v1/transcript") return transcript(id, request);
  if (path.starts_with("/api/")) return server_->answer(id, serve::reply_error(404, "no such API"));
  server_->answer(id, page(path, options_.folder));
}

void Site::about(ExchangeId id) {
  const std::string& root = project_.root();
  server_->answer(id, reply_json(200, web::JsonLine()
                                          .text("name", root.substr(root.rfind('/') + 1))
                                          .text("project", root)
                                          .text("version", CAPSULE_VERSION)
                                          .flag("read_only", options_.read_only)
                                          .text("trouble", follower_->trouble())
                                          .done()));
}

// Beside the loop; the client may be gone when it is done.
void Site::later(ExchangeId id, std::function<Response()> work) {
  const bool added = worker_->add([this, id, work = std::move(work)] {
    auto response = std::make_shared<Response>(work());
    return [this, id, response] { server_->answer(id, *response); };
  });
  if (!added) server_->answer(id, serve::reply_error(503, "too much is asked for at once"));
}

void Site::act(ExchangeId id, const Request& request) {
  const http::Peer peer = server_->peer(id);
  if (peer == http::Peer::agent)
    return server_->answer(
        id, serve::reply_error(403,
                               "this is for people; agents may not do it. An agent ends its "
                               "work with a signal, and says there what should change"));
  if (peer == http::Peer::unknown)
    return server_->answer(
        id, serve::reply_error(403, "it cannot be seen which program asks; use the command"));
  const auto action = web::read_action(request.body);
  if (!action) return server_->answer(id, reply_error(action.error()));
  const auto words = web::command_for(follower_->project(), *action, project_.root());
  if (!words) return server_->answer(id, reply_error(words.error()));
  later(id, [program = options_.program, words = *words] { return run_action(program, words); });
}

void Site::view(ExchangeId id, const Request& request) {
  const std::string run = request.parameter("run").value_or("");
  if (!run.empty() && view::find_run(follower_->project(), run) == nullptr)
    return server_->answer(id, serve::reply_error(404, "there is no such run"));
  if (!request.parameter("at"))
    return server_->answer(
        id, reply_json(200, web::view_json(follower_->project(), run, project_.option)));
  const auto at = number_in(*request.parameter("at"));
  if (run.empty() || !at)
    return server_->answer(id, serve::reply_error(400, "at wants a run, and the number of a fact"));
  later(id, [this, run, at = *at, journal = follower_->journals_gone()] {
    const auto then = replayed(run, at, journal);
    return then ? reply_json(200, web::view_json(*then, run, project_.option))
                : reply_error(then.error());
  });
}

// Beside the loop, with a reader of the journal of its own.
Result<view::Project> Site::replayed(const std::string& run, std::uint64_t at, int journal) {
  if (!reader_ || reader_of_ != journal) reader_ = TRY(world::journal_of(project_));
  reader_of_ = journal;
  if (!reader_) return fail(Reason::not_found, "there is no journal yet");
  return follow::replayed(*reader_, at, run);
}

void Site::events(ExchangeId id, const Request& request) {
  std::string since = request.parameter("from").value_or("");
  if (const auto header = request.only("last-event-id")) since = *header;
  const auto from = number_in(since);
  const std::vector<http::Header> headers(http::safety_headers().begin(),
                                          http::safety_headers().end());
  if (!server_->stream(id, headers)) return;
  streams_.insert(id);
  const bool facts = request.parameter("facts") == "1";
  if (facts) fact_streams_.insert(id);
  if (!ping_) ping_ = loop_.after(options_.ping, [this] { ping(); });
  std::string missed = ": \n\n";
  if (facts && from) {
    const Facts all = facts_after(*from);
    if (all.cut) return tell_facts(id, all);
    missed += all.events;
  }
  // Rows are whole: one that is known already does no harm. An event of the same fact may be new.
  if (from && *from >= complete_from_ && *from <= newest_place()) {
    for (const Event& event : events_)
      if (event.place >= *from) missed += event.bytes;
  } else {
    missed += http::event_bytes("reload", "", "{}");
  }
  server_->send(id, missed);
}

void Site::on_change(const view::Project& now) {
  const std::string rows = web::changes_json(shown_, now, project_.option);
  const bool other_trouble = trouble_ != follower_->trouble();
  const bool other_journal =
      journals_gone_ != follower_->journals_gone() || now.newest.seq < shown_.newest.seq;
  if (rows.empty() && !other_trouble && !other_journal) return;
  const std::uint64_t before = newest_place();
  if (other_journal) before_ = before + 1;
  // As long as a file of a removed folder is open, nobody is told that the folder is gone.
  if (other_journal)
    (void)worker_->add([this] {
      reader_.reset();
      return [] {};
    });
  journals_gone_ = follower_->journals_gone();
  trouble_ = follower_->trouble();
  shown_ = now;
  const std::set<ExchangeId> told = fact_streams_;
  if (!told.empty()) {
    const Facts facts = facts_after(before);
    for (const ExchangeId id : told) tell_facts(id, facts);
  }
  if (other_journal || other_trouble) return forget_events();
  const std::uint64_t place = newest_place();
  Event event{place, http::event_bytes("rows", std::to_string(place), rows)};
  const std::set<ExchangeId> listeners = streams_;  // one that does not read leaves meanwhile
  for (const ExchangeId id : listeners) server_->send(id, event.bytes);
  event_bytes_ += event.bytes.size();
  events_.push_back(std::move(event));
  while (event_bytes_ > kMaxKeptEventBytes) {
    event_bytes_ -= events_.front().bytes.size();
    complete_from_ = events_.front().place + 1;
    events_.pop_front();
  }
}

// Another journal may be in the place of the one before: its numbers mean something else.
void Site::forget_events() {
  events_.clear();
  event_bytes_ = 0;
  complete_from_ = newest_place();
  const std::string bytes = http::event_bytes("reload", std::to_string(complete_from_), "{}");
  const std::set<ExchangeId> listeners = streams_;
  for (const ExchangeId id : listeners) server_->send(id, bytes);
}

// A stream that is told no more is ended: what came next would have a later id.
void Site::tell_facts(ExchangeId id, const Facts& facts) {
  server_->send(id, facts.events);
  if (!facts.cut || !streams_.contains(id)) return;
  on_stream_end(id);
  server_->end(id);
}

Site::Facts Site::facts_after(std::uint64_t place) {
  const std::uint64_t seq = place > before_ ? place - before_ : 0;
  engine::Records* const journal = follower_->journal();
  std::vector<event::Fact> facts;
  if (journal != nullptr)
    for (const view::Run& run : follower_->project().runs) {
      if (run.newest.seq <= seq) continue;
      auto more = journal->read(run.run, seq);
      if (more) std::move(more->begin(), more->end(), std::back_inserter(facts));
    }
  std::sort(facts.begin(), facts.end(),
            [](const event::Fact& a, const event::Fact& b) { return a.seq < b.seq; });
  Facts told;
  for (const event::Fact& fact : facts) {
    told.cut = told.events.size() > kMaxFactBytes;
    told.events += told.cut ? http::event_bytes("more", "", "{}")
                            : http::event_bytes("fact", std::to_string(before_ + fact.seq),
                                                web::fact_json(fact));
    if (told.cut) break;
  }
  return told;
}

void Site::ping() {
  ping_.reset();
  const std::set<ExchangeId> listeners = streams_;
  for (const ExchangeId id : listeners) server_->send(id, ": ping\n\n");
  if (!streams_.empty()) ping_ = loop_.after(options_.ping, [this] { ping(); });
}

// Names come from the request; what git is given comes from the view.
void Site::diff(ExchangeId id, const Request& request) {
  const std::string run = request.parameter("run").value_or("");
  const view::Run* const found = view::find_run(follower_->project(), run);
  const auto to = number_in(request.parameter("to").value_or(""));
  const auto from = number_in(request.parameter("from").value_or("0"));
  if (found == nullptr || !valid_id(run) || !to || !from)
    return server_->answer(id, serve::reply_error(400, "a diff wants run, to and perhaps from"));
  const auto snapshot = [&](std::uint64_t agent) -> std::string {
    const view::Attempt* const attempt =
        agent > 1'000'000 ? nullptr : view::find_attempt(*found, static_cast<int>(agent));
    return attempt == nullptr ? "" : attempt->snapshot;
  };
  const std::string after = snapshot(*to);
  if (after.empty() || !after.starts_with("refs/capsule/"))
    return server_->answer(id, serve::reply_error(404, "nothing was kept of that attempt"));
  const std::string before = *from == 0 ? after + "^" : snapshot(*from);
  if (before.empty() || !before.starts_with("refs/capsule/"))
    return server_->answer(id, serve::reply_error(404, "nothing was kept of the earlier attempt"));
  later(id, [repository = project_.repository, before, after] {
    return reply_result(diff_json(repository, before, after));
  });
}

void Site::transcript(ExchangeId id, const Request& request) {
  const std::string run = request.parameter("run").value_or("");
  const auto agent = number_in(request.parameter("agent").value_or(""));
  const auto from = number_in(request.parameter("from").value_or("0"));
  const std::string of = request.parameter("of").value_or("stdout");
  if (!valid_id(run) || !agent || *agent > 1'000'000 || !from || (of != "stdout" && of != "stderr"))
    return server_->answer(id, serve::reply_error(400, "a transcript wants run and agent"));
  auto known = follower_->run(run);
  if (!known) return server_->answer(id, reply_error(known.error()));
  const view::Attempt* const attempt =
      view::find_attempt(*view::find_run(follower_->project(), run), static_cast<int>(*agent));
  const bool err = of == "stderr";
  Transcripts::Stream stream;
  stream.key = run + "/" + std::to_string(*agent) + (err ? "/stderr" : "");
  stream.at_work = known->live() && attempt != nullptr && attempt->running;
  later(id, [this, known = *std::move(known), agent = static_cast<int>(*agent), err, from = *from,
             stream = std::move(stream)]() mutable {
    for (world::LogFile& file : world::logs_of_agent(project_, known, agent))
      if (file.name.ends_with(".stderr") == err) stream.files.push_back(std::move(file));
    return reply_result(transcripts_.piece(stream, from));
  });
}

}  // namespace capsule::serve
