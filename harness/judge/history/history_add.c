#include "history/history_add.h"

#include "base/file.h"
#include "base/file_links.h"
#include "base/lock.h"
#include "base/mem.h"
#include "history/entry.h"
#include "history/history_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK_WAIT_S 60
/* Read of the end of a file before lines are appended: some hundred lines. */
#define END_BYTES ((size_t)64 * 1024)

/* With .gitattributes, so that git merges nights that were added on two branches. */
static int
make_folder(const char *dir, const char *machine_class, struct err *err)
{
	static const char attributes[] = "*" HISTORY_SUFFIX " merge=union\n";
	char *folder = file_join(dir, machine_class);
	char *path = file_join(dir, ".gitattributes");
	int result = file_make_folder(folder, 1, err);

	if (result == 0 && !file_exists(path))
		result = file_write(path, attributes, strlen(attributes), err);
	free(path);
	free(folder);
	return result;
}

static bool
has_entry(const struct history_file *file, const struct history_entry *entry)
{
	return file->nentries > 0 && bsearch(entry, file->entries, file->nentries,
					     sizeof(*file->entries), history_by_measurement);
}

static int
check_size(const char *path, size_t len, struct err *err)
{
	if (len <= HISTORY_FILE_MAX)
		return 0;
	err_set(err, ERR_INPUT, "'%s' would be larger than the %zu MiB of a history that is read",
		path, HISTORY_FILE_MAX >> 20);
	return err_note(err, "profile_run-history(1) says how old nights are removed");
}

/* Reads the whole file, and replaces it by one in order. */
static int
rewrite(const char *path, const struct history_file *added, size_t *nadded, struct err *err)
{
	struct history_file file = {0};
	struct arena arena = {0};
	struct buf out = {0};
	int result = file_exists(path) ? history_file_read(&file, path, &arena, err) : 0;
	const size_t had = file.nentries;

	for (size_t i = 0; result == 0 && i < added->nentries; i++) {
		struct history_file old = {.entries = file.entries, .nentries = had};

		if (has_entry(&old, &added->entries[i]))
			continue;
		file.entries = mem_grow(
			file.entries, &file.capacity, file.nentries + 1, sizeof(*file.entries));
		file.entries[file.nentries++] = added->entries[i];
	}
	*nadded = file.nentries - had;
	if (result == 0 && *nadded > 0) {
		history_file_sort(&file);
		history_file_put(&file, &out);
		result = check_size(path, out.len, err);
		if (result == 0)
			result = file_write(path, buf_text(&out), out.len, err);
	}
	buf_release(&out);
	history_file_release(&file);
	arena_release(&arena);
	return result;
}

/* A file of which only the end is read. */
struct file_end {
	int fd;
	size_t size;
	struct arena arena;
	struct history_file file; /* the last lines, in order */
};

/*
 * Opens the file where lines may be appended to it as it is: it is ours alone and has our header. A
 * link would be replaced, not written to.
 */
static bool
file_end_open(struct file_end *end, int folder_fd, const char *name)
{
	static const char header[] = HISTORY_HEADER;
	char first[sizeof(header)] = "";
	struct stat status;

	*end = (struct file_end){
		.fd = openat(folder_fd, name,
			O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)};
	if (end->fd < 0 || fstat(end->fd, &status) < 0 || !S_ISREG(status.st_mode) ||
		status.st_nlink != 1 ||
		pread(end->fd, first, sizeof(first), 0) != (ssize_t)sizeof(first))
		return false;
	end->size = (size_t)status.st_size;
	return memcmp(first, header, sizeof(header) - 1) == 0 &&
	       first[sizeof(header) - 1] == '0' + HISTORY_VERSION;
}

/* Reads the last lines; false where they are not whole, not in order, or damaged. */
static bool
file_end_read(struct file_end *end, const char *path)
{
	const size_t from = end->size > END_BYTES ? end->size - END_BYTES : 0;
	const size_t len = end->size - from;
	char *text = arena_alloc(&end->arena, len);
	struct err err = {0};

	if (pread(end->fd, text, len, (off_t)from) != (ssize_t)len || text[len - 1] != '\n')
		return false;
	const char *start = from > 0 ? (const char *)memchr(text, '\n', len) + 1 : text;

	if (history_file_parse_lines(
		    &end->file, path, start, (size_t)(text + len - start), &end->arena, &err) < 0)
		return false;
	for (size_t i = 1; i < end->file.nentries; i++) {
		if (history_by_measurement(&end->file.entries[i - 1], &end->file.entries[i]) >= 0)
			return false;
	}
	return end->file.nentries > 0;
}

static void
file_end_close(struct file_end *end)
{
	if (end->fd >= 0)
		close(end->fd);
	history_file_release(&end->file);
	arena_release(&end->arena);
}

/* Appends the entries. Cut by an error, they are taken back; by a kill, the next add does so. */
static int
file_end_append(
	struct file_end *end, const char *path, const struct history_file *added, struct err *err)
{
	struct buf out = {0};
	int result;

	for (size_t i = 0; i < added->nentries; i++)
		history_entry_put(&added->entries[i], &out);
	result = check_size(path, end->size + out.len, err);
	if (result == 0) {
		result = file_put(end->fd, buf_text(&out), out.len, path, err);
		if (result == 0 && fdatasync(end->fd) < 0)
			result = err_set_errno(err, ERR_SYSTEM, errno, "cannot write '%s'", path);
		if (result < 0 && ftruncate(end->fd, (off_t)end->size) < 0)
			err_note(err, "its last line may be cut off");
	}
	buf_release(&out);
	return result;
}

/* Whether the file has all of the entries in its last lines. */
static bool
has_all(const struct file_end *end, const struct history_file *added)
{
	for (size_t i = 0; i < added->nentries; i++) {
		if (!has_entry(&end->file, &added->entries[i]))
			return false;
	}
	return true;
}

/*
 * A night that is later than the last one, or was added just before, is decided by the end of the
 * file, whatever its size. All else is by rewriting it.
 */
static int
add_to(int folder_fd, const char *path, const struct history_file *added, size_t *nadded,
	struct err *err)
{
	struct file_end end;
	bool is_done = false;
	int result = 0;

	if (file_end_open(&end, folder_fd, file_basename(path)) && file_end_read(&end, path)) {
		const struct history_entry *last = &end.file.entries[end.file.nentries - 1];

		if (added->entries[0].started > last->started) {
			is_done = true;
			*nadded = added->nentries;
			result = file_end_append(&end, path, added, err);
		} else {
			is_done = has_all(&end, added);
		}
	}
	file_end_close(&end);
	return is_done ? result : rewrite(path, added, nadded, err);
}

int
history_lock(const char *dir, struct err *err)
{
	static const struct lock_wait wait = {
		.seconds = LOCK_WAIT_S, .what = "another profile_run adds to the history"};

	return lock_dir(dir, NULL, &wait, err);
}

int
history_add(const char *dir, const char *machine_class, const char *workload,
	const struct history_entry *entries, size_t nentries, size_t *nadded, struct err *err)
{
	struct history_file added = {0};

	*nadded = 0;
	if (nentries == 0)
		return 0;
	if (machine_class[0] == '\0' || machine_class[0] == '.' || strchr(machine_class, '/'))
		return err_set(err, ERR_INPUT,
			"the machine class '%s' cannot be the name of a folder", machine_class);
	char *name = history_file_name(workload);

	if (!name)
		return err_set(
			err, ERR_INPUT, "the workload '%s' cannot be the name of a file", workload);
	int result = make_folder(dir, machine_class, err);
	const int lock = result < 0 ? -1 : history_lock(dir, err);

	if (lock < 0) {
		free(name);
		return -1;
	}
	char *folder = file_join(dir, machine_class);
	char *path = file_join(folder, name);
	int folder_fd = file_open_folder(folder, 1, false, err);

	result = -1;

	added.entries = mem_grow(NULL, &added.capacity, nentries, sizeof(*entries));
	memcpy(added.entries, entries, nentries * sizeof(*entries));
	added.nentries = nentries;
	history_file_sort(&added);
	if (folder_fd >= 0) {
		result = add_to(folder_fd, path, &added, nadded, err);
		close(folder_fd);
	}
	history_file_release(&added);
	free(path);
	free(folder);
	free(name);
	close(lock);
	return result;
}
