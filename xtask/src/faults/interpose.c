/* Lets the Nth call of a kind fail, or be short, or be the last one of the process. `cargo xtask faults` and `cargo xtask
 * kill` build it and put it in front of the C library with LD_PRELOAD; nothing that users get contains it.
 *
 *   FAULT_CALL  open read write copy sync truncate rename link unlink mkdir chmod lock stat list; or change: all but
 *               read, stat and list
 *   FAULT_HOW   a number of an error; `short`: half of the bytes; `kill`: SIGKILL before it; `none`: only counted
 *   FAULT_AT    N, from 1
 *   FAULT_LAST  how many in a row, 1 unless said otherwise
 *   FAULT_DIR   only what is in this directory counts, by an absolute path, and what has a relative one
 *   FAULT_LOG   a file that gets a line for each call that was met
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PASS, FAIL, SHORT };

static atomic_long calls;

static const char *setting(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}

static int is_within(const char *path) {
    const char *dir = setting("FAULT_DIR");
    size_t len = strlen(dir);
    return path && (path[0] != '/' || (strncmp(path, dir, len) == 0 && (path[len] == '/' || path[len] == 0)));
}

static int is_fd_within(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t len = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
    path[len < 0 ? 0 : len] = 0;
    return path[0] == '/' && is_within(path);
}

/* What is to become of a call of this kind on this path, which counts. */
static int met(const char *kind, const char *path) {
    const char *wanted = setting("FAULT_CALL"), *how = setting("FAULT_HOW");
    int changes = strcmp(kind, "read") && strcmp(kind, "stat") && strcmp(kind, "list");
    if (strcmp(wanted, kind) != 0 && !(changes && strcmp(wanted, "change") == 0)) return PASS;
    if (strcmp(how, "short") == 0 && strcmp(kind, "read") && strcmp(kind, "write") && strcmp(kind, "copy")) return PASS;
    long number = atomic_fetch_add(&calls, 1) + 1, at = atol(setting("FAULT_AT"));
    long last = getenv("FAULT_LAST") ? atol(getenv("FAULT_LAST")) : 1;
    if (strcmp(how, "none") != 0 && (number < at || number - at >= last)) return PASS;
    char line[PATH_MAX + 64];
    int saved = errno, len = snprintf(line, sizeof line, "%s %ld %s\n", kind, number, path);
    int log = syscall(SYS_openat, AT_FDCWD, setting("FAULT_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (log >= 0) {
        syscall(SYS_write, log, line, len);
        syscall(SYS_close, log);
    }
    errno = saved;
    if (strcmp(how, "none") == 0) return PASS;
    if (strcmp(how, "short") == 0) return SHORT;
    if (strcmp(how, "kill") == 0) syscall(SYS_kill, getpid(), SIGKILL);
    errno = atoi(how);
    return FAIL;
}

static int met_path(const char *kind, int dir, const char *path) {
    char from[PATH_MAX];
    if (!is_within(path)) return PASS;
    if (path[0] != '/' && dir != AT_FDCWD && !is_fd_within(dir, from)) return PASS;
    return met(kind, path);
}

static int met_fd(const char *kind, int fd) {
    char path[PATH_MAX];
    return is_fd_within(fd, path) ? met(kind, path) : PASS;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define ON_PATH(result, name, kind, dir, path, declared, passed) \
    result name declared { return met_path(kind, dir, path) == FAIL ? -1 : REAL(name) passed; }
#define ON_FD(result, name, kind, fd, declared, passed) \
    result name declared { return met_fd(kind, fd) == FAIL ? -1 : REAL(name) passed; }

#define OPENED(name, dir, declared, passed) \
    int name declared { \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = va_arg(rest, mode_t); \
        va_end(rest); \
        return met_path("open", dir, path) == FAIL ? -1 : REAL(name) passed; \
    }
OPENED(open, AT_FDCWD, (const char *path, int flags, ...), (path, flags, mode))
OPENED(open64, AT_FDCWD, (const char *path, int flags, ...), (path, flags, mode))
OPENED(openat, dir, (int dir, const char *path, int flags, ...), (dir, path, flags, mode))
OPENED(openat64, dir, (int dir, const char *path, int flags, ...), (dir, path, flags, mode))

#define BYTES(name, kind, fd, len, declared, passed) \
    ssize_t name declared { \
        int found = met_fd(kind, fd); \
        if (found == SHORT && len > 1) len /= 2; \
        return found == FAIL ? -1 : REAL(name) passed; \
    }
BYTES(read, "read", fd, len, (int fd, void *bytes, size_t len), (fd, bytes, len))
BYTES(pread, "read", fd, len, (int fd, void *bytes, size_t len, off_t at), (fd, bytes, len, at))
BYTES(pread64, "read", fd, len, (int fd, void *bytes, size_t len, off64_t at), (fd, bytes, len, at))
BYTES(write, "write", fd, len, (int fd, const void *bytes, size_t len), (fd, bytes, len))
BYTES(pwrite, "write", fd, len, (int fd, const void *bytes, size_t len, off_t at), (fd, bytes, len, at))
BYTES(pwrite64, "write", fd, len, (int fd, const void *bytes, size_t len, off64_t at), (fd, bytes, len, at))
BYTES(writev, "write", fd, count, (int fd, const struct iovec *parts, int count), (fd, parts, count))
BYTES(copy_file_range, "copy", to, len,
      (int from, off64_t *from_at, int to, off64_t *to_at, size_t len, unsigned flags),
      (from, from_at, to, to_at, len, flags))
BYTES(sendfile, "copy", to, len, (int to, int from, off_t *at, size_t len), (to, from, at, len))
BYTES(sendfile64, "copy", to, len, (int to, int from, off64_t *at, size_t len), (to, from, at, len))

ON_FD(int, fsync, "sync", fd, (int fd), (fd))
ON_FD(int, fdatasync, "sync", fd, (int fd), (fd))
ON_FD(int, ftruncate, "truncate", fd, (int fd, off_t len), (fd, len))
ON_FD(int, ftruncate64, "truncate", fd, (int fd, off64_t len), (fd, len))
ON_PATH(int, rename, "rename", AT_FDCWD, to, (const char *from, const char *to), (from, to))
ON_PATH(int, renameat, "rename", to_dir, to, (int dir, const char *from, int to_dir, const char *to), (dir, from, to_dir, to))
ON_PATH(int, renameat2, "rename", to_dir, to, (int dir, const char *from, int to_dir, const char *to, unsigned flags),
        (dir, from, to_dir, to, flags))
ON_PATH(int, link, "link", AT_FDCWD, to, (const char *from, const char *to), (from, to))
ON_PATH(int, linkat, "link", to_dir, to, (int dir, const char *from, int to_dir, const char *to, int flags),
        (dir, from, to_dir, to, flags))
ON_PATH(int, unlink, "unlink", AT_FDCWD, path, (const char *path), (path))
ON_PATH(int, unlinkat, "unlink", dir, path, (int dir, const char *path, int flags), (dir, path, flags))
ON_PATH(int, rmdir, "unlink", AT_FDCWD, path, (const char *path), (path))
ON_PATH(int, mkdir, "mkdir", AT_FDCWD, path, (const char *path, mode_t mode), (path, mode))
ON_PATH(int, mkdirat, "mkdir", dir, path, (int dir, const char *path, mode_t mode), (dir, path, mode))
ON_PATH(int, chmod, "chmod", AT_FDCWD, path, (const char *path, mode_t mode), (path, mode))
ON_FD(int, fchmod, "chmod", fd, (int fd, mode_t mode), (fd, mode))
ON_FD(int, flock, "lock", fd, (int fd, int how), (fd, how))

int statx(int dir, const char *restrict path, int flags, unsigned mask, struct statx *restrict found) {
    /* The standard library asks with nothing at all whether the system knows this, which the header says nobody does. */
    const char *volatile given = path;
    if (!given) return REAL(statx)(dir, path, flags, mask, found);
    int what = path[0] ? met_path("stat", dir, path) : met_fd("stat", dir);
    return what == FAIL ? -1 : REAL(statx)(dir, path, flags, mask, found);
}

DIR *opendir(const char *path) {
    return met_path("list", AT_FDCWD, path) == FAIL ? NULL : REAL(opendir)(path);
}

struct dirent64 *readdir64(DIR *dir) {
    return met_fd("list", dirfd(dir)) == FAIL ? NULL : REAL(readdir64)(dir);
}
