// One end of a connection that never waits, and what flows from one end to another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/files.h"
#include "contain/net/request.h"

namespace capsule::contain {

class Stream {
 public:
  enum class State {
    moved,
    later,   // nothing can be moved now
    ended,   // the other side has said all
    broken,  // neither way, ever again
  };
  struct Moved {
    State state = State::later;
    std::size_t bytes = 0;
  };
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  virtual ~Stream() = default;

  virtual Moved read(char* into, std::size_t room) = 0;
  virtual Moved write(std::string_view bytes) = 0;
  // Nothing more will be written.
  virtual void finish() = 0;
  virtual int fd() const = 0;
  // What epoll has to wait for on `fd`, for one who wants to read, to write, or both.
  virtual std::uint32_t events(bool reads, bool writes) const = 0;
};

// A connected socket, as it is.
class PlainStream : public Stream {
 public:
  explicit PlainStream(File socket) : socket_(std::move(socket)) {}
  Moved read(char* into, std::size_t room) override;
  Moved write(std::string_view bytes) override;
  void finish() override;
  int fd() const override { return socket_.fd(); }
  std::uint32_t events(bool reads, bool writes) const override;

 private:
  File socket_;
};

// What one end says and the other has not heard yet: never more than kRoom bytes.
class Flow {
 public:
  static constexpr std::size_t kRoom = std::size_t{32} * 1024;

  // With a body, what comes after its end is never read.
  explicit Flow(std::string first = {}, std::optional<Body> body = {})
      : bytes_(std::move(first)), body_(std::move(body)) {}

  // Whether anything moved.
  bool move(Stream& from, Stream& to);
  bool wants_reading() const { return !ended_ && !is_complete() && bytes_.size() < kRoom; }
  bool wants_writing() const { return !bytes_.empty(); }
  // Everything was said and heard.
  bool over() const { return bytes_.empty() && (ended_ || is_complete()); }
  bool broken() const { return broken_; }

 private:
  bool is_complete() const { return body_ && body_->complete(); }
  bool fill(Stream& from);
  bool drain(Stream& to);

  std::string bytes_;
  std::optional<Body> body_;
  bool ended_ = false;     // nothing more will come
  bool finished_ = false;  // and the other end knows
  bool broken_ = false;
};

}  // namespace capsule::contain
