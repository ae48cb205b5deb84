// A library to be preloaded: makes the k-th call of one kind fail, as a full disk, a lost folder or a full
// memory would. Calls are counted from the first line of main to its last.
//
//   FAULT_KIND=write FAULT_AT=3 LD_PRELOAD=libfail_at.so command ...    the third write fails
//   FAULT_KIND=malloc FAULT_AT=1 FAULT_BYTES=8000 ...                   the first that asks for 8,000 bytes,
//   or a little more FAULT_COUNTS=FILE LD_PRELOAD=libfail_at.so command ...              writes "kind count"
//   lines at the end
//
// Kinds: open (fopen too), write (fwrite's own too), read, fsync, rename, malloc.
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
}

namespace {

enum Kind { opens, writes, reads, fsyncs, renames, mallocs, kinds };
const char* const names[kinds] = {"open", "write", "read", "fsync", "rename", "malloc"};
const int reasons[kinds] = {EMFILE, ENOSPC, EIO, EIO, EACCES, ENOMEM};

long counts[kinds];
bool active = false;
int chosen = -1;
long at = 0;
size_t least_bytes = 0, slack_bytes = 64;  // what aligning adds

// Whether this call is the one; sets errno.
bool fails(Kind kind) {
  if (!active) return false;
  const long number = __atomic_add_fetch(&counts[kind], 1, __ATOMIC_RELAXED);
  if (kind != chosen || number != at) return false;
  errno = reasons[kind];
  return true;
}

bool allocation_fails(size_t size) {
  if (least_bytes > 0 && (size < least_bytes || size > least_bytes + slack_bytes)) return false;
  return fails(mallocs);
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

void tell_counts() {
  active = false;
  const char* const path = getenv("FAULT_COUNTS");
  if (!path) return;
  const long file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  char line[64];
  for (int kind = 0; kind < kinds; ++kind) {
    const int length = snprintf(line, sizeof line, "%s %ld\n", names[kind], counts[kind]);
    if (syscall(SYS_write, file, line, length) != length) _exit(99);
  }
  syscall(SYS_close, file);
}

int (*real_main)(int, char**, char**);

int counted_main(int argc, char** argv, char** environment) {
  active = true;
  const int code = real_main(argc, argv, environment);
  tell_counts();
  return code;
}

}  // namespace

extern "C" {

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*rtld_fini)(), void* stack_end) {
  if (const char* const kind = getenv("FAULT_KIND"))
    for (int k = 0; k < kinds; ++k)
      if (strcmp(kind, names[k]) == 0) chosen = k;
  if (const char* const number = getenv("FAULT_AT")) at = atol(number);
  if (const char* const bytes = getenv("FAULT_BYTES")) least_bytes = static_cast<size_t>(atol(bytes));
  real_main = main;
  using Start = int (*)(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*);
  return next<Start>("__libc_start_main")(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

void* malloc(size_t size) { return allocation_fails(size) ? nullptr : __libc_malloc(size); }
void* calloc(size_t count, size_t size) {
  return allocation_fails(count * size) ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) { return allocation_fails(size) ? nullptr : __libc_realloc(old, size); }
int posix_memalign(void** out, size_t alignment, size_t size) {
  if (allocation_fails(size)) return ENOMEM;
  *out = __libc_memalign(alignment, size);
  return *out ? 0 : ENOMEM;
}
void* aligned_alloc(size_t alignment, size_t size) {
  return allocation_fails(size) ? nullptr : __libc_memalign(alignment, size);
}

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (fails(opens)) return -1;
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
int open64(const char* path, int flags, ...) __attribute__((alias("open")));
FILE* fopen(const char* path, const char* mode) {
  return fails(opens) ? nullptr : next<FILE* (*)(const char*, const char*)>("fopen")(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  return fails(opens) ? nullptr : next<FILE* (*)(const char*, const char*)>("fopen64")(path, mode);
}
ssize_t write(int file, const void* bytes, size_t count) {
  return fails(writes) ? -1 : syscall(SYS_write, file, bytes, count);
}
size_t fwrite(const void* bytes, size_t size, size_t count, FILE* stream) {
  if (stream != stderr && fails(writes)) return 0;
  return next<size_t (*)(const void*, size_t, size_t, FILE*)>("fwrite")(bytes, size, count, stream);
}
ssize_t read(int file, void* bytes, size_t count) {
  return fails(reads) ? -1 : syscall(SYS_read, file, bytes, count);
}
int fsync(int file) { return fails(fsyncs) ? -1 : static_cast<int>(syscall(SYS_fsync, file)); }
int rename(const char* from, const char* to) {
  return fails(renames) ? -1 : static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

}  // extern "C"
