/*
 * The names of code that a process made while it ran: its perf map and its jitdump are parsed, and
 * ranges that overlap are cut into pieces that do not.
 */
#include "symbols/symbols_internal.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sysfs.h"
#include "elf/program_copies.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Entries that cover the place where the pieces are cut, the last of the file on top: a heap. */
struct layers {
	const struct symtab_entry **top;
	size_t count;
};

static void
swap(const struct symtab_entry **a, const struct symtab_entry **b)
{
	const struct symtab_entry *entry = *a;

	*a = *b;
	*b = entry;
}

static void
push(struct layers *layers, const struct symtab_entry *entry)
{
	size_t at = layers->count++;

	layers->top[at] = entry;
	for (; at > 0 && layers->top[(at - 1) / 2]->order < layers->top[at]->order;
		at = (at - 1) / 2)
		swap(&layers->top[(at - 1) / 2], &layers->top[at]);
}

static void
pop(struct layers *layers)
{
	size_t at = 0;

	layers->top[0] = layers->top[--layers->count];
	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < layers->count &&
			layers->top[child + 1]->order > layers->top[child]->order)
			child++;
		if (child >= layers->count || layers->top[child]->order <= layers->top[at]->order)
			return;
		swap(&layers->top[child], &layers->top[at]);
		at = child;
	}
}

/* Adds `start` to `end` of `entry`, to the previous piece if that is of the same entry. */
static void
add_piece(struct symtab *pieces, const struct symtab_entry *entry, uint64_t start, uint64_t end)
{
	struct symtab_entry *last = pieces->count > 0 ? &pieces->entries[pieces->count - 1] : NULL;

	if (last && last->end == start && last->name == entry->name)
		last->end = end;
	else
		symtab_add(
			pieces, start, end - start, BINDING_GLOBAL, entry->name, entry->readable);
}

/* Cuts the entries into disjoint pieces: each address goes to the one that was added last. */
static void
jit_pieces_cut(struct symtab *tab)
{
	struct symtab pieces = {0};
	struct layers layers = {.top = mem_zalloc(tab->count + 1, sizeof(struct symtab_entry *))};
	uint64_t at = 0;

	symtab_index(tab);
	for (size_t i = 0; i < tab->count || layers.count > 0;) {
		if (layers.count == 0)
			at = tab->entries[i].start;
		while (i < tab->count && tab->entries[i].start == at)
			push(&layers, &tab->entries[i++]);
		while (layers.count > 0 && layers.top[0]->end <= at)
			pop(&layers);
		if (layers.count == 0)
			continue;
		uint64_t end = layers.top[0]->end;

		if (i < tab->count && tab->entries[i].start < end)
			end = tab->entries[i].start;
		add_piece(&pieces, layers.top[0], at, end);
		at = end;
	}
	free((void *)layers.top);
	free(tab->entries);
	tab->entries = pieces.entries;
	tab->count = pieces.count;
	tab->capacity = pieces.capacity;
	symtab_index(tab);
}

/* A number and the space behind it; "0x" may stand before it, as Java writes both numbers. */
static const char *
parse_hex(const char *at, const char *end, uint64_t *value)
{
	if (end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
		at += 2;
	const char *start = at;

	for (*value = 0; at < end && isxdigit((unsigned char)*at) && at - start < 16; at++) {
		char c = (char)tolower((unsigned char)*at);

		*value = *value << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	return at > start && at < end && *at == ' ' ? at + 1 : NULL;
}

void
jit_map_parse(struct symtab *tab, const char *text, size_t len)
{
	const char *end = text + len;

	for (const char *line = text; line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		const char *line_end = newline ? newline : end;
		uint64_t start;
		uint64_t size = 0;
		size_t name_len;
		const char *at = parse_hex(line, line_end, &start);

		if (at)
			at = parse_hex(at, line_end, &size);
		name_len = at ? (size_t)(line_end - at) : 0;
		if (name_len > JIT_NAME_BYTES_MAX)
			name_len = JIT_NAME_BYTES_MAX;
		if (name_len > 0 && size > 0)
			symtab_add(tab, start, size, BINDING_GLOBAL,
				arena_dup(&tab->arena, at, name_len), true);
		line = line_end + 1;
	}
	jit_pieces_cut(tab);
}

/* "JiTD" in the writer's byte order. */
#define MAGIC UINT32_C(0x4A695444)

struct dump_header {
	uint32_t magic;
	uint32_t version;
	uint32_t header_bytes;
	uint32_t machine;
	uint32_t padding;
	uint32_t pid;
	uint64_t time;
	uint64_t flags;
};

enum record_id {
	RECORD_LOAD = 0,
	RECORD_MOVE = 1,
};

struct record_head {
	uint32_t id;
	uint32_t bytes; /* of the whole record */
	uint64_t time;
};

/* The name and the code follow. */
struct record_load {
	uint32_t pid;
	uint32_t tid;
	uint64_t vma;
	uint64_t address;
	uint64_t bytes;
	uint64_t number;
};

struct record_move {
	uint32_t pid;
	uint32_t tid;
	uint64_t vma;
	uint64_t from;
	uint64_t to;
	uint64_t bytes;
	uint64_t number; /* of the load */
};

/* The names that were read. */
struct dump {
	struct symtab *tab;
	struct key_map starts;
	const char **names; /* the last one at each start */
	size_t capacity;
};

static void
add_code(struct dump *dump, uint64_t start, uint64_t bytes, const char *name)
{
	const uint32_t number = key_map_add(&dump->starts, start);

	dump->names = mem_grow(
		(void *)dump->names, &dump->capacity, dump->starts.count, sizeof(*dump->names));
	dump->names[number] = name;
	symtab_add(dump->tab, start, bytes, BINDING_GLOBAL, name, false);
}

static void
take_load(struct dump *dump, const char *body, size_t len)
{
	struct record_load load;

	if (len < sizeof(load))
		return;
	memcpy(&load, body, sizeof(load));
	const char *name = body + sizeof(load);
	const size_t room = len - sizeof(load);
	const size_t name_len = strnlen(name, room);

	if (name_len > 0 && name_len < room && load.bytes > 0)
		add_code(dump, load.address, load.bytes,
			arena_dup(&dump->tab->arena, name,
				name_len < JIT_NAME_BYTES_MAX ? name_len : JIT_NAME_BYTES_MAX));
}

static void
take_move(struct dump *dump, const char *body, size_t len)
{
	struct record_move move;

	if (len < sizeof(move))
		return;
	memcpy(&move, body, sizeof(move));
	const uint32_t number = key_map_find(&dump->starts, move.from);

	if (number < dump->capacity && move.bytes > 0)
		add_code(dump, move.to, move.bytes, dump->names[number]);
}

static void
take_records(struct dump *dump, const char *at, const char *end)
{
	struct record_head head;

	for (; (size_t)(end - at) >= sizeof(head); at += head.bytes) {
		memcpy(&head, at, sizeof(head));
		if (head.bytes < sizeof(head) || head.bytes > (size_t)(end - at))
			return;
		const char *body = at + sizeof(head);

		if (head.id == RECORD_LOAD)
			take_load(dump, body, head.bytes - sizeof(head));
		else if (head.id == RECORD_MOVE)
			take_move(dump, body, head.bytes - sizeof(head));
	}
}

bool
jit_dump_parse(struct symtab *tab, const char *bytes, size_t len)
{
	struct dump dump = {.tab = tab};
	struct dump_header header;

	if (len < sizeof(header))
		return false;
	memcpy(&header, bytes, sizeof(header));
	if (header.magic != MAGIC || header.header_bytes < sizeof(header) ||
		header.header_bytes > len)
		return false;
	symtab_allow_names(tab, len);
	take_records(&dump, bytes + header.header_bytes, bytes + len);
	jit_pieces_cut(tab);
	key_map_release(&dump.starts);
	free((void *)dump.names);
	return true;
}

#define NAMES_BYTES_MAX (256u << 20)
#define STATUS_BYTES_MAX (64u << 10)

/* Reads the file; false where there is none, or none of `owner`'s or ours or root's. */
static bool
read_trusted(const char *path, uid_t owner, struct buf *out)
{
	char opened[64];
	struct err ignored = {0};
	struct stat info;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	bool trusted = false;

	if (fd < 0)
		return false;
	snprintf(opened, sizeof(opened), "/proc/self/fd/%d", fd);
	if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
		trusted = info.st_uid == 0 || info.st_uid == geteuid() || info.st_uid == owner;
	bool good = trusted && file_read(opened, out, NAMES_BYTES_MAX, &ignored) == 0;

	close(fd);
	return good;
}

/* A process as it is now. */
struct process_now {
	uint32_t inner_pid; /* 0: it does not live */
	uid_t owner;
};

static struct process_now
look_up(const char *root, uint32_t pid)
{
	struct process_now now = {.owner = geteuid()};
	char path[64];
	struct err ignored = {0};
	struct stat info;
	struct buf status = {0};

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", pid);
	if (!root[0] && stat(path, &info) == 0 &&
		file_read(path, &status, STATUS_BYTES_MAX, &ignored) == 0) {
		now.inner_pid = sysfs_inner_pid(buf_text(&status));
		now.owner = info.st_uid;
	}
	buf_release(&status);
	return now;
}

/* As the living process sees the file, under its own number; else below `root`. */
static bool
read_of(const char *root, uint32_t pid, const char *inner_path, const char *path, struct buf *out,
	const struct process_now *now)
{
	char *seen = mem_printf("/proc/%" PRIu32 "/root%s", pid, inner_path);
	bool good = now->inner_pid > 0 && read_trusted(seen, now->owner, out);

	free(seen);
	if (good)
		return true;
	char *below = mem_printf("%s%s", root, path);

	good = read_trusted(below, geteuid(), out);
	free(below);
	return good;
}

void
jit_names_load_map(struct symtab *tab, const char *root, const char *beside, uint32_t pid)
{
	const struct process_now now = look_up(root, pid);
	struct buf text = {0};
	char inner[64];
	char path[64];

	snprintf(inner, sizeof(inner), "/tmp/perf-%" PRIu32 ".map", now.inner_pid);
	snprintf(path, sizeof(path), "/tmp/perf-%" PRIu32 ".map", pid);
	char *copy = beside ? program_copies_jit_map(beside, pid) : NULL;

	/* It was copied as the process had another place for it than ours. */
	if ((copy && read_trusted(copy, geteuid(), &text)) ||
		read_of(root, pid, inner, path, &text, &now))
		jit_map_parse(tab, buf_text(&text), text.len);
	buf_release(&text);
	free(copy);
}

/* Reads the dump at `path`, as the process sees it, on the same terms. False if it is not there. */
static bool
jit_names_load_dump(struct symtab *tab, const char *root, uint32_t pid, const char *path)
{
	const struct process_now now = look_up(root, pid);
	struct buf bytes = {0};
	bool good = read_of(root, pid, path, path, &bytes, &now) &&
		    jit_dump_parse(tab, bytes.data, bytes.len);

	buf_release(&bytes);
	return good;
}

struct jit_process {
	const char *dump; /* read; NULL: none */
	struct symtab tab;
};

struct symtab *
jit_names_of(struct jit_names *names, uint32_t pid, const char *dump)
{
	const size_t known = names->pids.count;
	const uint32_t number = key_map_add(&names->pids, pid);

	if (names->pids.count > known) {
		names->processes = mem_grow(names->processes, &names->capacity, names->pids.count,
			sizeof(*names->processes));
		names->processes[number] = (struct jit_process){.dump = NULL};
		jit_names_load_map(&names->processes[number].tab, names->modules->root,
			names->modules->beside, pid);
	}
	struct jit_process *process = &names->processes[number];

	if (dump && process->dump != dump) {
		process->dump = dump;
		if (!jit_names_load_dump(&process->tab, names->modules->root, pid, dump))
			module_note(names->modules,
				"%s%s: cannot be read as a jitdump: no names for the code of process %" PRIu32,
				names->modules->root, dump, pid);
	}
	return &process->tab;
}

void
jit_names_release(struct jit_names *names)
{
	for (size_t i = 0; i < names->pids.count; i++)
		symtab_release(&names->processes[i].tab);
	free(names->processes);
	key_map_release(&names->pids);
}
