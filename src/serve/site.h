// The web face of a project: pages, API and actions over an http::Server. Everything that a request
// may do is decided by http::judge() and, for effects, by who is at the other end.
//
// Single-threaded, on the thread of the Loop, which must outlive it.
#pragma once

#include <deque>
#include <memory>
#include <set>
#include <string>

#include "follow/follower.h"
#include "http/admission.h"
#include "http/server.h"
#include "serve/transcripts.h"
#include "serve/worker.h"
#include "world/project.h"

namespace capsule::serve {

struct SiteOptions {
  http::Server::Address address;
  bool read_only = false;
  std::string folder;   // of the page's files; empty: those of the program
  std::string program;  // that carries actions out: this one
  http::Limits limits = {};
  std::chrono::milliseconds ping{15000};  // how often a stream on which nothing happens is told so
};

class Site : public http::Handler {
 public:
  // `project` must outlive it. Errors: those of Server::listen, io.
  static Result<std::unique_ptr<Site>> open(process::Loop& loop, const world::Project& project,
                                            SiteOptions options);
  ~Site() override;

  // Makes a token that is good for one browser, and forgets the one before: the address to open, or
  // of a unix socket the path of it ("/?token=…").
  std::string new_address();

  void on_request(http::ExchangeId id, const http::Request& request) override;
  void on_stream_end(http::ExchangeId id) override {
    streams_.erase(id);
    fact_streams_.erase(id);
  }

 private:
  Site(process::Loop& loop, const world::Project& project, SiteOptions options);
  void route(http::ExchangeId id, const http::Request& request);
  void about(http::ExchangeId id);
  void act(http::ExchangeId id, const http::Request& request);
  void view(http::ExchangeId id, const http::Request& request);
  Result<view::Project> replayed(const std::string& run, std::uint64_t at, int journal);
  void events(http::ExchangeId id, const http::Request& request);
  void diff(http::ExchangeId id, const http::Request& request);
  void transcript(http::ExchangeId id, const http::Request& request);
  void later(http::ExchangeId id, std::function<http::Response()> work);
  void on_change(const view::Project& now);
  void ping();
  struct Facts {
    std::string events;
    bool cut = false;  // who wants the rest connects again with the last id
  };
  // Facts after that place, of all runs; at most so many bytes.
  Facts facts_after(std::uint64_t place);
  void tell_facts(http::ExchangeId id, const Facts& facts);
  void forget_events();
  // What streams know the newest fact by.
  std::uint64_t newest_place() const { return before_ + shown_.newest.seq; }

  process::Loop& loop_;
  const world::Project& project_;
  const SiteOptions options_;
  http::Policy policy_;
  std::unique_ptr<http::Server> server_;
  Transcripts transcripts_;                  // of the worker, as are:
  std::unique_ptr<engine::Records> reader_;  // for what is replayed; null: not opened yet
  int reader_of_ = 0;                        // how many journals were gone when it was opened
  std::unique_ptr<Worker> worker_;
  std::unique_ptr<follow::Follower> follower_;
  std::set<http::ExchangeId> streams_;
  std::set<http::ExchangeId> fact_streams_;  // those of them that are told facts, too
  view::Project shown_;                      // as streams know it
  std::string trouble_;                      // of the journal, as streams know it
  // Ids in streams are the numbers of facts. When another journal takes the place of one, they go
  // on behind its last: who comes back with an old id is never taken for one who knows the new.
  std::uint64_t before_ = 0;
  int journals_gone_ = 0;  // as streams know it
  struct Event {
    std::uint64_t place;
    std::string bytes;
  };
  std::deque<Event> events_;  // for streams that come back
  std::size_t event_bytes_ = 0;
  std::uint64_t complete_from_ = 0;       // events_ has all that came after this place
  std::optional<process::TimerId> ping_;  // while somebody listens
};

}  // namespace capsule::serve
