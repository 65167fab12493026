#include "cluster/connection.h"

#include <libpq-fe.h>
#include <poll.h>

#include <cerrno>
#include <charconv>

#include "base/clock.h"
#include "base/text.h"

namespace capsule::cluster {
namespace {

struct Clear {
  void operator()(PGresult* result) const { PQclear(result); }
};
using Held = std::unique_ptr<PGresult, Clear>;

// What libpq says, on one line. Messages of the server may name a role or a database, never a
// password.
std::string one_line(const char* text) {
  std::string line(trimmed(text == nullptr ? "" : text));
  for (char& c : line)
    if (c == '\n' || c == '\t') c = ' ';
  return printable(line);
}

struct State {
  std::string_view prefix;
  Why why;
};
// The first that the SQLSTATE begins with.
constexpr State kStates[] = {
    {"CP001", Why::fenced},    {"CP002", Why::conflict}, {"CP003", Why::no_run},
    {"CP004", Why::elsewhere}, {"CP005", Why::at_work},  {"23505", Why::exists},
    {"42501", Why::denied},    {"28", Why::denied},      {"3F000", Why::foreign},
    {"42883", Why::foreign},   {"42P01", Why::foreign},  {"40", Why::again},
    {"55P03", Why::again},     {"08", Why::away},        {"57", Why::away},
    {"53", Why::away},         {"25006", Why::away},
};

Why why_of(std::string_view state) {
  for (const State& known : kStates)
    if (state.starts_with(known.prefix)) return known.why;
  return Why::broken;
}

Refusal refusal_of(const PGresult* result) {
  const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  // Without a state it is libpq that complains: of the connection.
  if (state == nullptr) return {Why::away, one_line(PQresultErrorMessage(result))};
  return {why_of(state), one_line(text)};
}

Rows rows_of(const PGresult* result) {
  Rows rows(static_cast<std::size_t>(PQntuples(result)));
  const int columns = PQnfields(result);
  for (std::size_t at = 0; at < rows.size(); ++at)
    for (int column = 0; column < columns; ++column)
      rows[at].emplace_back(
          PQgetvalue(result, static_cast<int>(at), column),
          static_cast<std::size_t>(PQgetlength(result, static_cast<int>(at), column)));
  return rows;
}

bool wait_for(int socket, short events, std::int64_t until) {
  for (;;) {
    const std::int64_t left = until - monotonic_ms();
    if (left <= 0) return false;
    pollfd look{socket, events, 0};
    const int ready = ::poll(&look, 1, static_cast<int>(left));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

// Our functions say nothing above a notice, so a warning is about the commit.
void hear(void* warned, const PGresult* result) {
  const char* severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
  if (severity != nullptr && std::string_view(severity) == "WARNING")
    *static_cast<bool*>(warned) = true;
}

}  // namespace

Connection::Connection(pg_conn* connection) : connection_(connection) {
  PQsetNoticeReceiver(connection_, hear, &warned_);
  PQsetErrorVerbosity(connection_, PQERRORS_TERSE);
}
Connection::~Connection() { PQfinish(connection_); }

tl::expected<std::unique_ptr<Connection>, Refusal> Connection::open(const Address& address) {
  std::vector<const char*> names, values;
  for (const auto& [name, value] : address.parameters()) {
    names.push_back(name.c_str());
    values.push_back(value.c_str());
  }
  // Whatever the machine's language is: texts are UTF-8.
  names.insert(names.end(), {"client_encoding", nullptr});
  values.insert(values.end(), {"UTF8", nullptr});
  std::unique_ptr<Connection> made(
      new Connection(PQconnectdbParams(names.data(), values.data(), /*expand_dbname=*/0)));
  if (PQstatus(made->connection_) != CONNECTION_OK) {
    const std::string text = one_line(PQerrorMessage(made->connection_));
    return tl::unexpected(Refusal{Why::away, text});
  }
  // Nothing of ours is long, and nothing is to hold a lock for long.
  const Answer limits = made->call(
      "SELECT set_config('statement_timeout', '0', false),"
      " set_config('lock_timeout', '10s', false),"
      " set_config('idle_in_transaction_session_timeout', '10s', false),"
      " set_config('search_path', 'pg_catalog', false)");
  if (!limits) return tl::unexpected(limits.error());
  return made;
}

bool Connection::broken() const { return away_ || PQstatus(connection_) != CONNECTION_OK; }

Answer Connection::call(const char* sql, const Values& values, std::chrono::milliseconds patience) {
  std::vector<const char*> texts;
  for (const auto& value : values) texts.push_back(value ? value->c_str() : nullptr);
  warned_ = false;
  if (PQsendQueryParams(connection_, sql, static_cast<int>(texts.size()), nullptr, texts.data(),
                        nullptr, nullptr, /*resultFormat=*/0) != 1) {
    away_ = true;
    return tl::unexpected(Refusal{Why::away, one_line(PQerrorMessage(connection_))});
  }
  return finish(patience);
}

Answer Connection::run(const char* sql) {
  warned_ = false;
  if (PQsendQuery(connection_, sql) != 1) {
    away_ = true;
    return tl::unexpected(Refusal{Why::away, one_line(PQerrorMessage(connection_))});
  }
  return finish(kPatience);
}

std::vector<std::string> Connection::heard(int wake, std::chrono::milliseconds patience) {
  const auto told = [&] {
    std::vector<std::string> channels;
    while (PGnotify* notify = PQnotifies(connection_)) {
      channels.emplace_back(notify->relname);
      PQfreemem(notify);
    }
    return channels;
  };
  if (auto channels = told(); !channels.empty()) return channels;
  pollfd look[] = {{wake, POLLIN, 0}, {PQsocket(connection_), POLLIN, 0}};
  if (::poll(look, 2, static_cast<int>(patience.count())) <= 0 || look[1].revents == 0) return {};
  if (PQconsumeInput(connection_) != 1) away_ = true;
  return told();
}

Answer Connection::finish(std::chrono::milliseconds patience) {
  const std::int64_t until = monotonic_ms() + patience.count();
  Rows rows;
  std::optional<Refusal> refusal;
  for (;;) {
    while (PQisBusy(connection_) == 1) {
      if (!wait_for(PQsocket(connection_), POLLIN, until)) {
        away_ = true;
        return tl::unexpected(Refusal{Why::away, "it does not answer"});
      }
      if (PQconsumeInput(connection_) != 1) {
        away_ = true;
        return tl::unexpected(Refusal{Why::away, one_line(PQerrorMessage(connection_))});
      }
    }
    const Held result(PQgetResult(connection_));
    if (!result) break;
    const ExecStatusType status = PQresultStatus(result.get());
    if (status == PGRES_TUPLES_OK)
      rows = rows_of(result.get());
    else if (status != PGRES_COMMAND_OK && !refusal)
      refusal = refusal_of(result.get());
  }
  if (refusal) {
    away_ |= refusal->why == Why::away;
    return tl::unexpected(*std::move(refusal));
  }
  if (warned_) {
    away_ = true;
    return tl::unexpected(
        Refusal{Why::doubtful, "it did not wait for its standby to have what it committed"});
  }
  return rows;
}

std::string array_of(const std::vector<std::string_view>& texts) {
  std::string array = "{";
  for (const std::string_view text : texts) {
    if (array.size() > 1) array += ',';
    array += '"';
    for (const char c : text) {
      if (c == '"' || c == '\\') array += '\\';
      array += c;
    }
    array += '"';
  }
  return array += '}';
}

std::int64_t number_of(const std::string& text) {
  std::int64_t number = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Error error_of(const Refusal& refusal, const Address& address) {
  const std::string where = "the database at " + address.shown();
  switch (refusal.why) {
    case Why::away:
    case Why::again:
      return {Reason::io, where + " cannot be used: " + refusal.message,
              "once it is back, give the same command again"};
    case Why::doubtful:
      return {Reason::io, where + " has not said for sure what it recorded: " + refusal.message,
              "see to its standby, then give the same command again"};
    case Why::fenced:
      return {Reason::conflict, "another capsule has taken this over in the meantime",
              "'capsule status' says who works on it"};
    case Why::conflict:
      return {Reason::conflict, "something else has written to the run in the meantime",
              "is another capsule working on it?"};
    case Why::no_run:
      return {Reason::not_found, "there is no such run"};
    case Why::elsewhere:
      return {Reason::refused, "this run was begun on " + printable(refusal.message),
              "its worktree is there: go on with it there"};
    case Why::at_work:
      return {Reason::blocked, printable(refusal.message) + " is being worked on",
              "wait until it has ended, or pause it"};
    case Why::exists:
      return {Reason::exists, "there is a run of this name already"};
    case Why::denied:
      return {Reason::refused, where + " does not let this user do that: " + refusal.message,
              "its owner can: GRANT capsule_worker TO …"};
    case Why::foreign:
      return {Reason::refused, where + " has no journal that this capsule can use",
              "its owner makes or renews it: capsule cluster init ADDRESS"};
    case Why::broken:
      break;
  }
  return {Reason::failed, where + " refused: " + refusal.message};
}

}  // namespace capsule::cluster
