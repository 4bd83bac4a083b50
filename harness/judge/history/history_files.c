#include "history/history_files.h"

#include "base/file.h"
#include "base/file_links.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "history/entry.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_FIELDS 14
#define WORK_DIGITS 16

static const char field_names[] =
	"started\tcommit\tmetric\tunit\tcost\terror\tmode\tagainst\tratio\tratio_error\tversion\t"
	"report\tfunction";

int
history_by_measurement(const void *a, const void *b)
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

void
history_file_sort(struct history_file *file)
{
	size_t n = 0;

	if (file->nentries == 0)
		return;
	qsort(file->entries, file->nentries, sizeof(*file->entries), history_by_measurement);
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
	size_t len = strlen(HISTORY_HEADER);

	if (at->line_len < len || memcmp(at->line_text, HISTORY_HEADER, len) != 0)
		return 0;
	const char *version = at->line_text + len;

	if (at->line_len > len && *version == '0' + HISTORY_VERSION &&
		(at->line_len == len + 1 || version[1] == ':'))
		return 0;
	struct location found = *at;

	found.column = (unsigned)len + 1;
	err_set_at(err, &found, "expected version %d of the format", HISTORY_VERSION);
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

int
history_file_parse_lines(struct history_file *file, const char *name, const char *text, size_t len,
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
	if (history_file_parse_lines(file, name, text, len, arena, err) < 0)
		return -1;
	history_file_sort(file);
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
	buf_printf(out, HISTORY_HEADER "%d: %s\n", HISTORY_VERSION, field_names);
	for (size_t i = 0; i < file->nentries; i++)
		history_entry_put(&file->entries[i], out);
}

int
history_file_read(struct history_file *file, const char *path, struct arena *arena, struct err *err)
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
	const size_t len = strlen(name);
	const size_t suffix = strlen(HISTORY_SUFFIX);
	size_t n = 0;

	if (name[0] == '.' || len <= suffix || strcmp(name + len - suffix, HISTORY_SUFFIX) != 0)
		return NULL;
	char *workload = arena_alloc(arena, len - suffix + 1);

	for (const char *c = name; c < name + len - suffix; c++) {
		const int high = *c == '%' ? text_hex_digit(c[1]) : -1;
		const int low = high >= 0 ? text_hex_digit(c[2]) : -1;

		workload[n] = *c;
		if (low >= 0 && high + low > 0) {
			workload[n] = (char)(high * 16 + low);
			c += 2;
		}
		n++;
	}
	workload[n] = '\0';
	return workload;
}

char *
history_file_name(const char *workload)
{
	struct buf name = {0};

	for (const char *c = workload; *c; c++) {
		const unsigned char byte = (unsigned char)*c;

		if (byte < 0x20 || byte == 0x7f || byte == '/' || byte == '%' ||
			(byte == '.' && c == workload))
			buf_printf(&name, "%%%02X", byte);
		else
			buf_putc(&name, *c);
	}
	buf_puts(&name, HISTORY_SUFFIX);
	char *copy = workload[0] && name.len <= NAME_MAX ? mem_strdup(buf_text(&name)) : NULL;

	buf_release(&name);
	return copy;
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
		result = history_file_read(file, path, &history->arena, err);
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
