#include "history/history_files.h"

#include "base/file.h"
#include "base/file_links.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "history/entry.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".tsv"
#define FORMAT_VERSION 1
#define HEADER "# profile_run history "
#define LOCK_WAIT_S 60
/* Read of the end of a file before lines are appended: some hundred lines. */
#define END_BYTES ((size_t)64 * 1024)
#define LINE_FIELDS 14
#define WORK_DIGITS 16

static const char field_names[] =
	"started\tcommit\tmetric\tunit\tcost\terror\tmode\tagainst\tratio\tratio_error\tversion\t"
	"report\tfunction";

static int
by_measurement(const void *a, const void *b)
{
	return history_entry_compare(a, b);
}

/* Among several entries about one measurement, the one whose line sorts first is kept. */
static bool
is_smaller(const struct history_entry *a, const struct history_entry *b)
{
	struct buf lines[2] = {{0}};

	history_entry_put(a, &lines[0]);
	history_entry_put(b, &lines[1]);
	bool smaller = strcmp(buf_text(&lines[0]), buf_text(&lines[1])) < 0;

	buf_release(&lines[0]);
	buf_release(&lines[1]);
	return smaller;
}

static void
sort_and_unite(struct history_file *file)
{
	size_t n = 0;

	if (file->nentries == 0)
		return;
	qsort(file->entries, file->nentries, sizeof(*file->entries), by_measurement);
	for (size_t i = 0; i < file->nentries; i++) {
		const struct history_entry *entry = &file->entries[i];

		if (n == 0 || history_entry_compare(&file->entries[n - 1], entry) != 0)
			file->entries[n++] = *entry;
		else if (is_smaller(entry, &file->entries[n - 1]))
			file->entries[n - 1] = *entry;
	}
	file->nentries = n;
}

/* Checks the format's version in a header line; ignores other lines that begin with '#'. */
static int
check_comment(const struct location *at, struct err *err)
{
	size_t len = strlen(HEADER);

	if (at->line_len < len || memcmp(at->line_text, HEADER, len) != 0)
		return 0;
	const char *version = at->line_text + len;

	if (at->line_len > len && *version == '0' + FORMAT_VERSION &&
		(at->line_len == len + 1 || version[1] == ':'))
		return 0;
	struct location found = *at;

	found.column = (unsigned)len + 1;
	err_set_at(err, &found, "expected version %d of the format", FORMAT_VERSION);
	return err_note(err, "a newer profile_run may have written it");
}

static int
parse_line(
	struct history_file *file, const struct location *at, struct arena *arena, struct err *err)
{
	if (at->line_len == 0)
		return 0;
	if (at->line_text[0] == '#')
		return check_comment(at, err);
	if (at->line_len > HISTORY_LINE_MAX)
		return err_set_at(err, at, "expected a line of at most %zu bytes; this has %zu",
			HISTORY_LINE_MAX, at->line_len);
	file->entries = mem_grow(
		file->entries, &file->capacity, file->nentries + 1, sizeof(*file->entries));
	if (history_entry_parse(&file->entries[file->nentries], at, arena, err) < 0)
		return -1;
	file->nentries++;
	return 0;
}

/*
 * Whether a line without its end was cut: its writer was killed, or writes at this moment. All that
 * is cut begins with a time, or with the zeros that a crash of the machine leaves, and a whole line
 * ends with the work, of which the length is known.
 */
static bool
is_cut(const char *line, size_t len)
{
	size_t nfields = 1;
	const char *last = line;

	if (len == 0 || (line[0] != '\0' && !text_is_digit(line[0])))
		return false;
	for (const char *c = line; c < line + len; c++) {
		if (*c != '\t')
			continue;
		nfields++;
		last = c + 1;
	}
	const size_t last_len = (size_t)(line + len - last);

	return nfields < LINE_FIELDS ||
	       !(last_len == WORK_DIGITS || (last_len == 1 && *last == '-'));
}

/* Parses every line, without putting them in order. */
static int
parse_lines(struct history_file *file, const char *name, const char *text, size_t len,
	struct arena *arena, struct err *err)
{
	const char *end = text + len;
	unsigned number = 1;

	for (const char *at = text; at < end; number++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;
		const struct location here = {
			.file = name,
			.line = number,
			.column = 1,
			.line_text = at,
			.line_len = (size_t)(stop - at),
		};

		if (!newline && is_cut(at, here.line_len)) {
			log_warn("%s:%u: the last line is cut off and ignored", name, number);
			return 0;
		}
		if (parse_line(file, &here, arena, err) < 0) {
			history_file_release(file);
			return -1;
		}
		at = newline ? newline + 1 : end;
	}
	return 0;
}

int
history_file_parse(struct history_file *file, const char *name, const char *text, size_t len,
	struct arena *arena, struct err *err)
{
	if (parse_lines(file, name, text, len, arena, err) < 0)
		return -1;
	sort_and_unite(file);
	return 0;
}

void
history_file_release(struct history_file *file)
{
	free(file->entries);
	file->entries = NULL;
	file->nentries = file->capacity = 0;
}

void
history_file_put(const struct history_file *file, struct buf *out)
{
	buf_printf(out, HEADER "%d: %s\n", FORMAT_VERSION, field_names);
	for (size_t i = 0; i < file->nentries; i++)
		history_entry_put(&file->entries[i], out);
}

static int
read_one(struct history_file *file, const char *path, struct arena *arena, struct err *err)
{
	const char *name = file_basename(path);
	char *folder = mem_dup(path, (size_t)(name - path) - 1);
	struct buf text = {0};
	int fd = file_open_folder(folder, 1, false, err);
	int result = fd < 0 ? -1 : file_read_in(fd, name, path, &text, HISTORY_FILE_MAX, err);

	if (result == 0)
		result = history_file_parse(file, path, buf_text(&text), text.len, arena, err);
	if (fd >= 0)
		close(fd);
	free(folder);
	buf_release(&text);
	return result;
}

/* The workload that a file is of, the arena's; NULL where it is no file of a history. */
static const char *
workload_of(const char *name, struct arena *arena)
{
	size_t len = strlen(name);
	size_t suffix = strlen(SUFFIX);

	if (name[0] == '.' || len <= suffix || strcmp(name + len - suffix, SUFFIX) != 0)
		return NULL;
	return arena_dup(arena, name, len - suffix);
}

static int
read_class(struct history *history, const char *dir, const char *machine_class, struct err *err)
{
	char *folder = file_join(dir, machine_class);
	DIR *stream = opendir(folder);
	struct dirent *entry;
	int result = 0;

	/* Beside the folders of machines there are files. */
	if (!stream && errno != ENOTDIR)
		result = err_set_errno(err, ERR_SYSTEM, errno, "cannot read '%s'", folder);
	while (result == 0 && stream && (entry = readdir(stream))) {
		const char *workload = workload_of(entry->d_name, &history->arena);

		if (!workload)
			continue;
		history->files = mem_grow(history->files, &history->capacity, history->nfiles + 1,
			sizeof(*history->files));
		struct history_file *file = &history->files[history->nfiles];
		char *path = file_join(folder, entry->d_name);

		*file = (struct history_file){
			.machine_class = arena_strdup(&history->arena, machine_class),
			.workload = workload,
		};
		result = read_one(file, path, &history->arena, err);
		history->nfiles += result == 0;
		free(path);
	}
	if (stream)
		closedir(stream);
	free(folder);
	return result;
}

static int
by_name(const void *a, const void *b)
{
	const struct history_file *x = a;
	const struct history_file *y = b;
	int order = strcmp(x->machine_class, y->machine_class);

	return order ? order : strcmp(x->workload, y->workload);
}

static bool
has_entries(const struct history *history)
{
	for (size_t i = 0; i < history->nfiles; i++) {
		if (history->files[i].nentries > 0)
			return true;
	}
	return false;
}

int
history_read(struct history *history, const char *dir, struct err *err)
{
	DIR *stream = opendir(dir);
	struct dirent *entry;
	int result = 0;

	*history = (struct history){0};
	if (!stream && errno != ENOENT)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot read '%s'", dir);
	while (result == 0 && stream && (entry = readdir(stream))) {
		if (entry->d_name[0] != '.')
			result = read_class(history, dir, entry->d_name, err);
	}
	if (stream)
		closedir(stream);
	if (result == 0 && !has_entries(history)) {
		result = err_set(err, ERR_INPUT, "there is no history in '%s'", dir);
		err_note(err, "'profile_run history add REPORT' adds a night to one");
	}
	if (result < 0) {
		history_release(history);
		return -1;
	}
	qsort(history->files, history->nfiles, sizeof(*history->files), by_name);
	return 0;
}

void
history_release(struct history *history)
{
	for (size_t i = 0; i < history->nfiles; i++)
		history_file_release(&history->files[i]);
	free(history->files);
	arena_release(&history->arena);
	*history = (struct history){0};
}

int
history_check_workload(
	const struct history *history, const char *workload, const char *dir, struct err *err)
{
	for (size_t i = 0; i < history->nfiles; i++) {
		if (strcmp(history->files[i].workload, workload) == 0)
			return 0;
	}
	return err_set(err, ERR_INPUT, "there is no history of '%s' in '%s'", workload, dir);
}

/* Folders and files are named by them. */
static int
check_name(const char *what, const char *name, struct err *err)
{
	if (name[0] != '\0' && name[0] != '.' && !strchr(name, '/'))
		return 0;
	return err_set(err, ERR_INPUT, "%s '%s' cannot be the name of a file", what, name);
}

/* With .gitattributes, so that git merges nights that were added on two branches. */
static int
make_folder(const char *dir, const char *machine_class, struct err *err)
{
	static const char attributes[] = "*" SUFFIX " merge=union\n";
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
					     sizeof(*file->entries), by_measurement);
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
	int result = file_exists(path) ? read_one(&file, path, &arena, err) : 0;
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
		sort_and_unite(&file);
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
	static const char header[] = HEADER;
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
	       first[sizeof(header) - 1] == '0' + FORMAT_VERSION;
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

	if (parse_lines(&end->file, path, start, (size_t)(text + len - start), &end->arena, &err) <
		0)
		return false;
	for (size_t i = 1; i < end->file.nentries; i++) {
		if (by_measurement(&end->file.entries[i - 1], &end->file.entries[i]) >= 0)
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
	if (check_name("the machine class", machine_class, err) < 0 ||
		check_name("the workload", workload, err) < 0 ||
		make_folder(dir, machine_class, err) < 0)
		return -1;
	int lock = history_lock(dir, err);

	if (lock < 0)
		return -1;
	char *folder = file_join(dir, machine_class);
	char *path = mem_printf("%s/%s" SUFFIX, folder, workload);
	int folder_fd = file_open_folder(folder, 1, false, err);
	int result = -1;

	added.entries = mem_grow(NULL, &added.capacity, nentries, sizeof(*entries));
	memcpy(added.entries, entries, nentries * sizeof(*entries));
	added.nentries = nentries;
	sort_and_unite(&added);
	if (folder_fd >= 0) {
		result = add_to(folder_fd, path, &added, nadded, err);
		close(folder_fd);
	}
	history_file_release(&added);
	free(path);
	free(folder);
	close(lock);
	return result;
}
