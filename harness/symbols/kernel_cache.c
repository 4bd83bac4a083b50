#include "symbols/kernel_cache.h"

#include "base/search.h"

#include <string.h>

#define MAGIC "PRknames"
#define VERSION 1

/* No two things share a page of code; where the kernel's are larger this is only more careful. */
#define PAGE_BYTES 4096u
/* No function is as long: further apart are two sections, and anything may lie between them. */
#define SPAN_MAX (1u << 20)
/* Many times as many names as any kernel has. */
#define COUNT_MAX (16u << 20)

/* In the machine's own byte order: the file never leaves it. */
struct header {
	char magic[8];
	uint64_t checksum; /* of all that follows it */
	uint32_t version;
	uint32_t count;
	uint64_t names_bytes;
	uint64_t base;
	uint64_t text;
	char key[HASH_TEXT_SIZE - 1];
};

/* Sorted by start; the names follow the last one. */
struct entry {
	uint32_t start;
	uint32_t span;   /* the bytes that are certainly this symbol's */
	uint32_t name;   /* offset in the names */
	uint32_t module; /* likewise; 0 is none */
};

#define CHECKED_AT offsetof(struct header, version)

static uint64_t
rotate(uint64_t value, unsigned bits)
{
	return value << bits | value >> (64 - bits);
}

#define PRIME UINT64_C(0x9e3779b185ebca87)

static void
add_words(uint64_t lanes[4], const uint64_t words[4])
{
	for (size_t i = 0; i < 4; i++)
		lanes[i] = rotate((lanes[i] ^ words[i]) * PRIME, 29);
}

/*
 * Against truncation and bad disks, not against enemies: four lanes, so that millions of bytes take
 * well below a millisecond. Each step is a bijection of its lane, so that no change of one word
 * goes unseen.
 */
static uint64_t
checksum(const unsigned char *bytes, size_t len)
{
	uint64_t lanes[4] = {len, 1, 2, 3};
	uint64_t words[4] = {0};
	uint64_t sum = 0;

	for (; len >= sizeof(words); len -= sizeof(words), bytes += sizeof(words)) {
		memcpy(words, bytes, sizeof(words));
		add_words(lanes, words);
	}
	if (len > 0) {
		memset(words, 0, sizeof(words));
		memcpy(words, bytes, len);
		add_words(lanes, words);
	}
	for (size_t i = 0; i < 4; i++)
		sum = rotate((sum ^ lanes[i]) * PRIME, 31);
	return sum;
}

void
kernel_cache_seal(void *bytes, size_t len, const char key[HASH_TEXT_SIZE])
{
	unsigned char *at = bytes;

	if (len < sizeof(struct header))
		return;
	memcpy(at + offsetof(struct header, key), key, HASH_TEXT_SIZE - 1);

	uint64_t sum = checksum(at + CHECKED_AT, len - CHECKED_AT);

	memcpy(at + offsetof(struct header, checksum), &sum, sizeof(sum));
}

/* Symbols of no file: they come and go while the kernel's and its modules' stay. */
static bool
is_passing(const char *module)
{
	return module && (strcmp(module, "[bpf]") == 0 || strncmp(module, "[__builtin__", 12) == 0);
}

static bool
same_module(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/*
 * How much of a symbol is its own whatever may appear beside it: all of it where the next one is of
 * the same code, else what is left of its page.
 */
static uint64_t
certain_span(const struct symtab *tab, size_t i)
{
	const struct symtab_entry *entry = &tab->entries[i];
	uint64_t span = PAGE_BYTES - entry->start % PAGE_BYTES;

	/* Stretched over the last address. */
	if (entry->end <= entry->start)
		return 0;
	if (entry->end - entry->start < span)
		span = entry->end - entry->start;
	if (i + 1 == tab->count)
		return span;

	const struct symtab_entry *next = entry + 1;
	uint64_t distance = next->start - entry->start;

	if (distance < span)
		return distance;
	if (!next->data && same_module(entry->module, next->module) && distance <= SPAN_MAX &&
		entry->end >= next->start)
		return distance;
	return span;
}

/* The offset of a module's name, which is written once for the run of its symbols. */
static uint32_t
put_module(struct buf *names, const char *module, const char **last, uint32_t *last_offset)
{
	if (!module)
		return 0;
	if (!*last || strcmp(module, *last) != 0) {
		*last = module;
		*last_offset = (uint32_t)names->len;
		buf_put(names, module, strlen(module) + 1);
	}
	return *last_offset;
}

/* Appends the entries to `out` and their names to `names`; how many, or 0 if they do not fit. */
static uint32_t
put_entries(const struct symtab *tab, uint64_t base, struct buf *out, struct buf *names)
{
	const char *module = NULL;
	uint32_t module_at = 0;
	uint32_t count = 0;

	/* Offset 0 is "none". */
	buf_putc(names, '\0');
	for (size_t i = 0; i < tab->count; i++) {
		const struct symtab_entry *from = &tab->entries[i];

		if (from->data || is_passing(from->module))
			continue;
		/* A name is short of a line, and lines are in a text of 256 MiB at most. */
		if (from->start - base > UINT32_MAX || names->len > UINT32_MAX / 2 ||
			count == COUNT_MAX)
			return 0;

		struct entry entry = {
			.start = (uint32_t)(from->start - base),
			.span = (uint32_t)certain_span(tab, i),
			.module = put_module(names, from->module, &module, &module_at),
		};

		entry.name = (uint32_t)names->len;
		buf_put(names, from->name, strlen(from->name) + 1);
		buf_put(out, &entry, sizeof(entry));
		count++;
	}
	return count;
}

bool
kernel_cache_build(
	const struct symtab *tab, uint64_t text, const char key[HASH_TEXT_SIZE], struct buf *out)
{
	struct header header = {
		.magic = MAGIC,
		.version = VERSION,
		.base = tab->count > 0 ? tab->entries[0].start : 0,
		.text = text,
	};
	size_t before = out->len;
	struct buf names;

	buf_init(&names);
	buf_put(out, &header, sizeof(header));
	header.count = put_entries(tab, header.base, out, &names);
	header.names_bytes = names.len;
	if (header.count > 0) {
		memcpy(out->data + before, &header, sizeof(header));
		buf_put(out, names.data, names.len);
		kernel_cache_seal(out->data + before, out->len - before, key);
	} else {
		out->len = before;
	}
	buf_release(&names);
	return header.count > 0;
}

bool
kernel_cache_use(
	struct kernel_cache *cache, const void *bytes, size_t len, const char key[HASH_TEXT_SIZE])
{
	const unsigned char *at = bytes;
	struct header header;

	*cache = (struct kernel_cache){0};
	if (len < sizeof(header))
		return false;
	memcpy(&header, at, sizeof(header));
	if (memcmp(header.magic, MAGIC, sizeof(header.magic)) != 0 || header.version != VERSION ||
		memcmp(header.key, key, sizeof(header.key)) != 0 || header.count == 0 ||
		header.count > COUNT_MAX)
		return false;

	size_t entries_bytes = (size_t)header.count * sizeof(struct entry);

	if (len - sizeof(header) <= entries_bytes ||
		len - sizeof(header) - entries_bytes != header.names_bytes || at[len - 1] != '\0' ||
		checksum(at + CHECKED_AT, len - CHECKED_AT) != header.checksum)
		return false;
	*cache = (struct kernel_cache){
		.entries = at + sizeof(header),
		.names = (const char *)at + sizeof(header) + entries_bytes,
		.count = header.count,
		.names_bytes = (size_t)header.names_bytes,
		.base = header.base,
		.text = header.text,
	};
	return true;
}

/* The bytes may be anywhere, so that an entry is copied out rather than pointed to. */
static struct entry
entry_at(const struct kernel_cache *cache, size_t i)
{
	struct entry entry;

	memcpy(&entry, cache->entries + i * sizeof(entry), sizeof(entry));
	return entry;
}

bool
kernel_cache_find(const struct kernel_cache *cache, uint64_t address, struct symtab_entry *found)
{
	if (address < cache->base || address - cache->base > UINT32_MAX)
		return false;

	uint32_t offset = (uint32_t)(address - cache->base);

	size_t until =
		search_until(cache->entries, cache->count, SEARCH_BY(struct entry, start), offset);

	if (until == 0)
		return false;

	struct entry entry = entry_at(cache, until - 1);

	/* A checksum is no proof: what is pointed to is inside, and the last name has an end. */
	if (offset < entry.start || offset - entry.start >= entry.span ||
		entry.name >= cache->names_bytes || entry.module >= cache->names_bytes)
		return false;
	*found = (struct symtab_entry){
		.start = cache->base + entry.start,
		.end = cache->base + entry.start + entry.span,
		.name = cache->names + entry.name,
		.module = entry.module ? cache->names + entry.module : NULL,
		.readable = true,
	};
	return true;
}
