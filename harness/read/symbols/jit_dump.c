/*
 * Parses a jitdump.
 */
#include "base/map.h"
#include "base/mem.h"
#include "symbols/symbols_internal.h"

#include <stdlib.h>
#include <string.h>

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
