#include "symbols/jit_map.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define JIT_MAP_BYTES_MAX (256u << 20)
#define STATUS_BYTES_MAX (64u << 10)

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
		symtab_add(pieces, start, end - start, BINDING_GLOBAL, entry->name, true);
}

/* Cuts the entries of `tab` into disjoint pieces: each address goes to the last entry there. */
static void
cut_pieces(struct symtab *tab)
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

void
jit_map_parse(struct symtab *tab, const char *text, size_t len)
{
	const char *end = text + len;

	for (const char *line = text; line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		const char *line_end = newline ? newline : end;
		uint64_t start;
		uint64_t size;
		const char *at = parse_hex(line, line_end, &start);

		if (at)
			at = parse_hex(at, line_end, &size);
		if (at && at < line_end && size > 0)
			symtab_add(tab, start, size, BINDING_GLOBAL,
				arena_dup(&tab->arena, at, (size_t)(line_end - at)), true);
		line = line_end + 1;
	}
	cut_pieces(tab);
}

/* Reads the map at `path`; false where there is none, or none of `owner`'s or ours or root's. */
static bool
load_path(struct symtab *tab, const char *path, uid_t owner)
{
	char opened[64];
	struct err ignored = {0};
	struct stat info;
	struct buf text = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	bool trusted = false;

	if (fd < 0)
		return false;
	snprintf(opened, sizeof(opened), "/proc/self/fd/%d", fd);
	if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
		trusted = info.st_uid == 0 || info.st_uid == geteuid() || info.st_uid == owner;
	if (trusted && file_read(opened, &text, JIT_MAP_BYTES_MAX, &ignored) == 0)
		jit_map_parse(tab, buf_text(&text), text.len);
	buf_release(&text);
	close(fd);
	return trusted;
}

uint32_t
jit_map_inner_pid(const char *status)
{
	const char *line = strstr(status, "\nNSpid:");
	uint32_t pid = 0;

	for (const char *at = line ? line + 7 : ""; *at == '\t' || *at == ' ';) {
		char *end;

		pid = (uint32_t)strtoul(at, &end, 10);
		if (end == at)
			return 0;
		at = end;
	}
	return pid;
}

void
jit_map_load(struct symtab *tab, const char *root, uint32_t pid)
{
	char path[96];
	struct err ignored = {0};
	struct stat process;
	struct buf status = {0};
	uint32_t inner = 0;
	bool loaded = false;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", pid);
	if (!root[0] && stat(path, &process) == 0 &&
		file_read(path, &status, STATUS_BYTES_MAX, &ignored) == 0)
		inner = jit_map_inner_pid(buf_text(&status));
	buf_release(&status);
	if (inner) {
		snprintf(path, sizeof(path),
			"/proc/%" PRIu32 "/root"
			"/tmp/perf-%" PRIu32 ".map",
			pid, inner);
		loaded = load_path(tab, path, process.st_uid);
	}
	if (!loaded) {
		char *below = mem_printf("%s/tmp/perf-%" PRIu32 ".map", root, pid);

		load_path(tab, below, geteuid());
		free(below);
	}
}

struct jit_map {
	uint32_t pid;
	struct symtab tab;
	struct jit_map *next;
};

struct symtab *
jit_maps_of(struct jit_maps *maps, uint32_t pid)
{
	struct jit_map *map = maps->first;

	while (map && map->pid != pid)
		map = map->next;
	if (!map) {
		map = mem_zalloc(1, sizeof(*map));
		map->pid = pid;
		map->next = maps->first;
		maps->first = map;
		jit_map_load(&map->tab, maps->root, pid);
	}
	return &map->tab;
}

void
jit_maps_release(struct jit_maps *maps)
{
	while (maps->first) {
		struct jit_map *map = maps->first;

		maps->first = map->next;
		symtab_release(&map->tab);
		free(map);
	}
}
