// A file layer for SQLite that counts syncs and can fail: the n-th write, sync, truncation or open,
// once or from then on. One of it for the whole program; single-threaded.
#pragma once

#include <sqlite3.h>

#include <cerrno>
#include <cstring>

namespace capsule::test {

struct Faults {
  int syncs = 0;       // how many were asked for
  int operations = 0;  // how many that can fail were asked for
  int fail_at = 0;     // the operation that fails, from 1; 0: none
  bool for_good = false;
  int fail_code = SQLITE_IOERR_WRITE;  // of writes; syncs fail as syncs do
  bool failed = false;
};

inline Faults& faults() {
  static Faults faults;
  return faults;
}

namespace fault_vfs {

struct File {
  sqlite3_file base;
  sqlite3_file* real;
};

inline sqlite3_file* real(sqlite3_file* file) { return reinterpret_cast<File*>(file)->real; }

inline bool fails() {
  Faults& now = faults();
  ++now.operations;
  const bool hit = now.fail_at > 0 &&
                   (now.for_good ? now.operations >= now.fail_at : now.operations == now.fail_at);
  now.failed |= hit;
  return hit;
}

inline const sqlite3_io_methods* methods() {
  static const sqlite3_io_methods table{
      3,
      [](sqlite3_file* f) {
        const int code =
            real(f)->pMethods != nullptr ? real(f)->pMethods->xClose(real(f)) : SQLITE_OK;
        sqlite3_free(real(f));
        return code;
      },
      [](sqlite3_file* f, void* to, int n, sqlite3_int64 at) {
        return real(f)->pMethods->xRead(real(f), to, n, at);
      },
      [](sqlite3_file* f, const void* from, int n, sqlite3_int64 at) {
        if (!fails()) return real(f)->pMethods->xWrite(real(f), from, n, at);
        // A disk that fills up takes a part first.
        if (n > 1) (void)real(f)->pMethods->xWrite(real(f), from, n / 2, at);
        return faults().fail_code;
      },
      [](sqlite3_file* f, sqlite3_int64 size) {
        return fails() ? SQLITE_IOERR_TRUNCATE : real(f)->pMethods->xTruncate(real(f), size);
      },
      [](sqlite3_file* f, int flags) {
        ++faults().syncs;
        return fails() ? SQLITE_IOERR_FSYNC : real(f)->pMethods->xSync(real(f), flags);
      },
      [](sqlite3_file* f, sqlite3_int64* size) {
        return real(f)->pMethods->xFileSize(real(f), size);
      },
      [](sqlite3_file* f, int level) { return real(f)->pMethods->xLock(real(f), level); },
      [](sqlite3_file* f, int level) { return real(f)->pMethods->xUnlock(real(f), level); },
      [](sqlite3_file* f, int* out) { return real(f)->pMethods->xCheckReservedLock(real(f), out); },
      [](sqlite3_file* f, int op, void* arg) {
        return real(f)->pMethods->xFileControl(real(f), op, arg);
      },
      [](sqlite3_file* f) { return real(f)->pMethods->xSectorSize(real(f)); },
      [](sqlite3_file* f) { return real(f)->pMethods->xDeviceCharacteristics(real(f)); },
      [](sqlite3_file* f, int page, int size, int extend, void volatile** out) {
        return real(f)->pMethods->xShmMap(real(f), page, size, extend, out);
      },
      [](sqlite3_file* f, int offset, int n, int flags) {
        return real(f)->pMethods->xShmLock(real(f), offset, n, flags);
      },
      [](sqlite3_file* f) { real(f)->pMethods->xShmBarrier(real(f)); },
      [](sqlite3_file* f, int del) { return real(f)->pMethods->xShmUnmap(real(f), del); },
      [](sqlite3_file* f, sqlite3_int64 at, int n, void** out) {
        return real(f)->pMethods->xFetch(real(f), at, n, out);
      },
      [](sqlite3_file* f, sqlite3_int64 at, void* page) {
        return real(f)->pMethods->xUnfetch(real(f), at, page);
      },
  };
  return &table;
}

inline int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out) {
  auto* below = static_cast<sqlite3_vfs*>(vfs->pAppData);
  auto* wrapped = reinterpret_cast<File*>(file);
  wrapped->base.pMethods = nullptr;
  if ((flags & SQLITE_OPEN_CREATE) != 0 && fails()) return SQLITE_CANTOPEN;
  wrapped->real = static_cast<sqlite3_file*>(sqlite3_malloc(below->szOsFile));
  std::memset(wrapped->real, 0, static_cast<std::size_t>(below->szOsFile));
  const int code = below->xOpen(below, name, wrapped->real, flags, out);
  if (code == SQLITE_OK) {
    wrapped->base.pMethods = methods();
  } else {
    sqlite3_free(wrapped->real);
  }
  return code;
}

}  // namespace fault_vfs

// Registers it at the first call; returns its name.
inline const char* fault_vfs_name() {
  static sqlite3_vfs vfs = [] {
    sqlite3_vfs copy = *sqlite3_vfs_find(nullptr);
    copy.pAppData = sqlite3_vfs_find(nullptr);
    copy.zName = "capsule-faults";
    copy.szOsFile = sizeof(fault_vfs::File);
    copy.pNext = nullptr;
    copy.xOpen = fault_vfs::open;
    return copy;
  }();
  static const int registered = sqlite3_vfs_register(&vfs, 0);
  return registered == SQLITE_OK ? "capsule-faults" : nullptr;
}

}  // namespace capsule::test
