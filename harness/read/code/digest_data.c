/*
 * The digest of data: pointers and tables of jumps by where they lead, all else byte by byte.
 */
#include "base/mem.h"
#include "base/search.h"
#include "code/digest_internal.h"

#include <string.h>

#define WORD 8
#define ENTRY 4

void
digest_add_target(struct digest *digest, uint64_t address)
{
	if (!digest_section_at(digest, address))
		return;
	digest->targets = mem_grow(digest->targets, &digest->targets_capacity, digest->ntargets + 1,
		sizeof(*digest->targets));
	digest->targets[digest->ntargets++] = address;
}

/* The first target at `address` or behind it; UINT64_MAX if none. */
static uint64_t
next_target(const struct digest *digest, uint64_t address)
{
	size_t at = search_before(
		digest->targets, digest->ntargets, SEARCH_BY_VALUE(uint64_t), address);

	return at < digest->ntargets ? digest->targets[at] : UINT64_MAX;
}

static bool
is_among(const uint64_t *addresses, size_t count, uint64_t address)
{
	size_t at = search_before(addresses, count, SEARCH_BY_VALUE(uint64_t), address);

	return at < count && addresses[at] == address;
}

/* A walk over the bytes of a section. */
struct walk {
	struct digest *digest;
	const struct digest_section *section;
	uint64_t at;
	size_t range;     /* index of the next omitted range */
	uint64_t target;  /* the next address that something leads to */
	uint64_t pointer; /* the address in the last word that was a pointer */
	unsigned numbers; /* so many words behind that pointer may still be a length of its bytes */
	bool table;       /* entries of a table of jumps, which begins at `table_at` */
	uint64_t table_at;
};

static uint64_t
address_of(const struct walk *walk)
{
	return walk->section->address + walk->at;
}

/* Whether so many bytes are left ahead of the section's end and the next omitted range. */
static bool
has_bytes(const struct walk *walk, uint64_t bytes)
{
	const struct digest *digest = walk->digest;

	return walk->section->size - walk->at >= bytes &&
	       (walk->range == digest->nranges ||
		       digest->ranges[walk->range].address >= address_of(walk) + bytes);
}

/* Puts the substitute of the omitted range that begins here. False where none does. */
static bool
put_omitted(struct walk *walk)
{
	struct digest *digest = walk->digest;

	if (walk->range == digest->nranges ||
		digest->ranges[walk->range].address > address_of(walk))
		return false;
	const struct digest_range *range = &digest->ranges[walk->range++];

	digest_put_omitted(digest, range);
	if (range->end > address_of(walk))
		walk->at = range->end - walk->section->address;
	return true;
}

static void
remember_pointer(struct walk *walk, uint64_t pointer)
{
	walk->pointer = pointer;
	walk->numbers = 2;
}

/*
 * Puts a word that is an address. Where it is the dynamic linker that writes it, the linker's table
 * has it, and what is in the file does not count.
 */
static bool
put_pointer(struct walk *walk, uint64_t word)
{
	struct digest *digest = walk->digest;
	bool got = strncmp(walk->section->name, ".got", 4) == 0;

	if (!got && is_among(digest->filled, digest->nfilled, address_of(walk))) {
		digest_mark(digest, 'f', 0);
		/* Linkers leave the address there, too, or zero. */
		remember_pointer(walk, word);
		return true;
	}
	if ((!got && !digest->fixed &&
		    !is_among(digest->moved, digest->nmoved, address_of(walk))) ||
		!digest_section_at(digest, word) || !digest_address(digest, 'a', word))
		return false;
	remember_pointer(walk, word);
	return true;
}

/* Puts a length behind a pointer, where some of the bytes are omitted, without those. */
static bool
put_length(struct walk *walk, uint64_t word)
{
	struct digest *digest = walk->digest;
	uint64_t place[2];
	uint32_t number[2];

	if (walk->numbers == 0)
		return false;
	walk->numbers--;
	if (word > digest->len || !digest_omits(digest, walk->pointer, walk->pointer + word) ||
		!digest_place(digest, walk->pointer, &number[0], &place[0]) ||
		!digest_place(digest, walk->pointer + word, &number[1], &place[1]) ||
		number[0] != number[1])
		return false;
	digest_mark(digest, 'l', place[1] - place[0]);
	return true;
}

static bool
put_word(struct walk *walk)
{
	uint64_t word;

	if (address_of(walk) % WORD != 0 || !has_bytes(walk, WORD))
		return false;
	memcpy(&word, walk->section->bytes + walk->at, WORD);
	if (!put_pointer(walk, word) && !put_length(walk, word))
		return false;
	walk->at += WORD;
	return true;
}

/*
 * Puts an entry of a table of jumps that begins where code leads to: the distance from the table's
 * beginning to code.
 */
static bool
put_jump(struct walk *walk)
{
	const struct digest *digest = walk->digest;
	const uint64_t address = address_of(walk);
	const struct digest_section *code;
	int32_t distance;

	if (address == walk->target) {
		walk->table = address % ENTRY == 0;
		walk->table_at = address;
	}
	if (!walk->table || address % ENTRY != 0 || !has_bytes(walk, ENTRY)) {
		walk->table = walk->table && address % ENTRY != 0;
		return false;
	}
	memcpy(&distance, walk->section->bytes + walk->at, ENTRY);
	code = digest_section_at(digest, walk->table_at + (uint64_t)(int64_t)distance);
	if (!code || !(code->header.sh_flags & SHF_EXECINSTR) ||
		!digest_address(walk->digest, 'j', walk->table_at + (uint64_t)(int64_t)distance)) {
		walk->table = false;
		return false;
	}
	walk->at += ENTRY;
	return true;
}

/* Puts a table of exceptions: it has distances to the addresses of types, which are data that is
 * written. */
static void
put_exceptions(struct digest *digest, const struct digest_section *section)
{
	uint64_t at = 0;

	while (at < section->size) {
		const uint64_t address = section->address + at;
		const struct digest_section *data = NULL;
		uint64_t target = 0;
		int32_t distance;

		if (address % ENTRY == 0 && section->size - at >= ENTRY) {
			memcpy(&distance, section->bytes + at, ENTRY);
			target = digest->fixed ? (uint32_t)distance
					       : address + (uint64_t)(int64_t)distance;
			data = distance != 0 ? digest_section_at(digest, target) : NULL;
		}
		if (data && (data->header.sh_flags & SHF_WRITE) &&
			digest_address(digest, 'e', target)) {
			at += ENTRY;
			continue;
		}
		digest_raw(digest, section->bytes + at, 1);
		at++;
	}
}

void
digest_data(struct digest *digest, const struct digest_section *section, uint64_t from)
{
	struct walk walk = {.digest = digest, .section = section, .at = from};
	const bool jumps = !(section->header.sh_flags & SHF_WRITE);

	if (!section->bytes) {
		digest_mark(digest, 'z', section->size);
		return;
	}
	if (digest->machine == EM_X86_64 && strcmp(section->name, ".gcc_except_table") == 0) {
		put_exceptions(digest, section);
		return;
	}
	walk.range = search_until(digest->ranges, digest->nranges,
		SEARCH_BY(struct digest_range, end), section->address + from);
	walk.target = next_target(digest, section->address + from);
	while (walk.at < section->size) {
		while (walk.target < address_of(&walk))
			walk.target = next_target(digest, walk.target + 1);
		if (put_omitted(&walk) || (jumps && put_jump(&walk)) || put_word(&walk))
			continue;
		digest_raw(digest, section->bytes + walk.at, 1);
		walk.at++;
	}
}
