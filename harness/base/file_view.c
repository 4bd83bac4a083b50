#include "base/file_view.h"

#include "base/file_guard.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Address space costs nothing until it is written to; if this much is refused, less is reserved. */
#define RESERVE_MOST ((size_t)1 << 40)
#define RESERVE_LEAST ((size_t)1 << 26)
#define HEAD_BYTES ((size_t)64 << 10)
#define CHUNK_BYTES ((size_t)1 << 20)

struct file_stream {
	int fd;
	char *path;      /* owned */
	size_t reserved; /* bytes of address space at the view's data */
	size_t writable; /* of them */
	size_t len;
};

/* A descriptor of the file; "-" is standard input. -1 on error. */
static int
file_open_to_read(const char *path, struct err *err)
{
	int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		err_set_errno(err, ERR_INPUT, errno, "cannot open '%s'", path);
	return fd;
}

int
file_read_open(int fd, const char *path, struct buf *out, size_t limit_bytes, struct err *err)
{
	char chunk[16384]; /* the stack may be a small one */
	ssize_t got;

	while ((got = read(fd, chunk, sizeof(chunk))) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_set_errno(err, ERR_SYSTEM, errno, "cannot read '%s'", path);
		if (out->len + (size_t)got > limit_bytes)
			return err_set(
				err, ERR_INPUT, "'%s' is larger than %zu bytes", path, limit_bytes);
		buf_put(out, chunk, (size_t)got);
	}
	return 0;
}

int
file_read(const char *path, struct buf *out, size_t limit_bytes, struct err *err)
{
	int fd = file_open_to_read(path, err);

	if (fd < 0)
		return -1;
	int result = file_read_open(fd, path, out, limit_bytes, err);

	close(fd);
	return result;
}

static void *
reserve(size_t *bytes)
{
	for (*bytes = RESERVE_MOST; *bytes >= RESERVE_LEAST; *bytes /= 2) {
		void *at = mmap(NULL, *bytes, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (at != MAP_FAILED)
			return at;
	}
	return NULL;
}

/* Makes room for another chunk. */
static int
make_room(const struct file_view *view, struct err *err)
{
	struct file_stream *stream = view->stream;

	if (stream->len < stream->writable)
		return 0;
	if (stream->writable >= stream->reserved ||
		mprotect((char *)view->data + stream->writable, CHUNK_BYTES,
			PROT_READ | PROT_WRITE) < 0)
		return err_set(
			err, ERR_SYSTEM, "'%s' is larger than the available memory", stream->path);
	stream->writable += CHUNK_BYTES;
	return 0;
}

int
file_view_more(const struct file_view *view, size_t *len, struct err *err)
{
	struct file_stream *stream = view->stream;
	ssize_t got;

	if (!stream) {
		bool more = *len < view->len;

		*len = view->len;
		return more;
	}
	if (*len < stream->len) {
		*len = stream->len;
		return 1;
	}
	if (make_room(view, err) < 0)
		return -1;
	do
		got = read(stream->fd, (char *)view->data + stream->len,
			stream->writable - stream->len);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot read '%s'", stream->path);
	stream->len += (size_t)got;
	*len = stream->len;
	return got > 0;
}

static void
end_stream(struct file_view *view)
{
	if (!view->stream)
		return;
	close(view->stream->fd);
	free(view->stream->path);
	free(view->stream);
	view->stream = NULL;
}

/* Takes over `fd`. */
static int
begin_stream(struct file_view *view, int fd, const char *path, struct err *err)
{
	struct file_stream *stream = mem_zalloc(1, sizeof(*stream));
	void *at = reserve(&stream->reserved);
	int more = 1;

	*stream = (struct file_stream){
		.fd = fd, .path = mem_strdup(path), .reserved = stream->reserved};
	view->stream = stream;
	if (!at) {
		end_stream(view);
		return err_set(err, ERR_SYSTEM, "not enough memory to read '%s'", path);
	}
	view->data = at;
	while (more > 0 && view->len < HEAD_BYTES)
		more = file_view_more(view, &view->len, err);
	if (more < 0)
		file_view_close(view);
	return more < 0 ? -1 : 0;
}

int
file_view_open_stream(struct file_view *view, const char *path, struct err *err)
{
	struct stat st;
	int fd = file_open_to_read(path, err);

	*view = (struct file_view){.data = ""};
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		close(fd);
		return err_set(err, ERR_INPUT, "'%s' is a folder, expected a file", path);
	}
	if (S_ISREG(st.st_mode) && st.st_size > 0 && lseek(fd, 0, SEEK_CUR) == 0) {
		void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

		if (map != MAP_FAILED) {
			close(fd);
			*view = (struct file_view){.data = map,
				.len = (size_t)st.st_size,
				.mapped = true,
				.guard = file_guard_watch(map, (size_t)st.st_size)};
			return 0;
		}
	}
	return begin_stream(view, fd, path, err);
}

int
file_view_read_all(struct file_view *view, struct err *err)
{
	int more = 1;

	while (more > 0)
		more = file_view_more(view, &view->len, err);
	return more;
}

int
file_view_open(struct file_view *view, const char *path, struct err *err)
{
	if (file_view_open_stream(view, path, err) < 0)
		return -1;
	if (file_view_read_all(view, err) < 0) {
		file_view_close(view);
		return -1;
	}
	return 0;
}

void
file_view_close(struct file_view *view)
{
	if (view->mapped) {
		file_guard_end(view->guard);
		munmap((void *)view->data, view->len);
	} else if (view->stream) {
		munmap((void *)view->data, view->stream->reserved);
	}
	end_stream(view);
	*view = (struct file_view){.data = ""};
}

bool
file_view_was_cut(const struct file_view *view)
{
	return view->mapped && file_guard_was_cut(view->guard);
}

void
file_view_done(const struct file_view *view, size_t from, size_t to)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	from -= from % page;
	to -= to % page;
	if (from < to && (view->mapped || view->stream))
		madvise((char *)view->data + from, to - from, MADV_DONTNEED);
}
