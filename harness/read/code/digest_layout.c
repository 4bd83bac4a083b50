/*
 * The layout of a program whose digest is made: the place of each address, the ranges that are
 * omitted (paths of the build's folder, paddings), and the walk over the bytes of data.
 */
#include "code/digest_internal.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/sort.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Thread-local zeros have no place of their own: addresses there are those of what follows. */
static bool
has_addresses(const struct digest_section *section)
{
	return section->header.sh_type != SHT_NOBITS || !(section->header.sh_flags & SHF_TLS);
}

const struct digest_section *
digest_section_at(const struct digest *digest, uint64_t address)
{
	size_t until = search_until(digest->sections, digest->nsections,
		SEARCH_BY(struct digest_section, address), address);

	while (until-- > 0) {
		const struct digest_section *section = &digest->sections[until];

		if (!has_addresses(section) || section->size == 0)
			continue;
		return address - section->address < section->size ? section : NULL;
	}
	return NULL;
}

/* The range that `address` is in, or the first one behind it. */
static size_t
ranges_before(const struct digest *digest, uint64_t address)
{
	return search_until(
		digest->ranges, digest->nranges, SEARCH_BY(struct digest_range, end), address);
}

static uint64_t
omitted_before(const struct digest *digest, size_t range)
{
	const struct digest_range *last = range > 0 ? &digest->ranges[range - 1] : NULL;

	if (!last)
		return 0;
	/* The substitute of each other one counts one. */
	return last->before + (last->end - last->address) - (last->kind != OMIT_PADDING);
}

/*
 * Where `address` is, as it is compared: the number of its section and the place in that. The end
 * of a section counts as in it. False where it is in none, or within omitted bytes.
 */
static bool
digest_place(const struct digest *digest, uint64_t address, uint32_t *number, uint64_t *place)
{
	const struct digest_section *section = digest_section_at(digest, address);
	size_t range = ranges_before(digest, address);

	if (!section && address > 0) {
		section = digest_section_at(digest, address - 1);
		if (section && section->address + section->size != address)
			section = NULL;
	}
	if (!section || (range < digest->nranges && digest->ranges[range].address < address))
		return false;
	uint64_t omitted = omitted_before(digest, range) -
			   omitted_before(digest, ranges_before(digest, section->address));

	*number = section->number;
	*place = address - section->address - omitted;
	return true;
}

/* Whether bytes are omitted between two addresses. */
static bool
digest_omits(const struct digest *digest, uint64_t from, uint64_t to)
{
	size_t range = ranges_before(digest, from);

	return to > from && range < digest->nranges && digest->ranges[range].address < to;
}

void
digest_flush(struct digest *digest)
{
	const unsigned char *run = digest->run;
	uint64_t len = digest->run_len;

	if (len == 0)
		return;
	digest->run_len = 0;
	digest_mark(digest, 'r', len);
	sha256_stream_add(digest->out, run, len);
}

void
digest_raw(struct digest *digest, const unsigned char *bytes, size_t len)
{
	if (digest->run_len > 0 && digest->run + digest->run_len == bytes) {
		digest->run_len += len;
		return;
	}
	digest_flush(digest);
	digest->run = bytes;
	digest->run_len = len;
}

void
digest_mark(struct digest *digest, char mark, uint64_t value)
{
	unsigned char bytes[1 + sizeof(value)];

	digest_flush(digest);
	bytes[0] = (unsigned char)mark;
	memcpy(bytes + 1, &value, sizeof(value));
	sha256_stream_add(digest->out, bytes, sizeof(bytes));
}

void
digest_text(struct digest *digest, char mark, const char *text)
{
	size_t len = strlen(text);

	digest_mark(digest, mark, len);
	sha256_stream_add(digest->out, text, len);
}

bool
digest_address(struct digest *digest, char mark, uint64_t address)
{
	uint32_t number;
	uint64_t place;

	if (!digest_place(digest, address, &number, &place))
		return false;
	digest_mark(digest, mark, number);
	digest_mark(digest, '+', place);
	return true;
}

/* The omissions from a digest: paths of the build's folder, and what a Go program has of its
 * build. */

/* Objects that begin at a multiple of so many bytes have zeros ahead of them that align them. */
#define PADDED_ALIGNMENT 16
#define PADDING_MAX 31
#define TEXT_ALIGNMENT 8

void
digest_add_range(struct digest *digest, uint64_t address, uint64_t size, enum digest_omission kind,
	char *text)
{
	digest->ranges = mem_grow(digest->ranges, &digest->ranges_capacity, digest->nranges + 1,
		sizeof(*digest->ranges));
	digest->ranges[digest->nranges++] = (struct digest_range){
		.address = address, .end = address + size, .kind = kind, .text = text};
}

static int
compare_ranges(const void *a, const void *b)
{
	const struct digest_range *one = a;
	const struct digest_range *other = b;

	if (one->address != other->address)
		return one->address < other->address ? -1 : 1;
	return (one->end > other->end) - (one->end < other->end);
}

/* Sorts them, leaves out those that overlap one before, and counts. */
static void
finish_ranges(struct digest *digest)
{
	size_t kept = 0;
	uint64_t before = 0;

	if (digest->nranges > 0)
		qsort(digest->ranges, digest->nranges, sizeof(*digest->ranges), compare_ranges);
	for (size_t i = 0; i < digest->nranges; i++) {
		struct digest_range range = digest->ranges[i];

		if (kept > 0 && range.address < digest->ranges[kept - 1].end) {
			free(range.text);
			continue;
		}
		range.before = before;
		before += range.end - range.address - (range.kind != OMIT_PADDING);
		digest->ranges[kept++] = range;
	}
	digest->nranges = kept;
}

static bool
is_of_path(unsigned char byte)
{
	return isalnum(byte) || byte == '/' || byte == '.' || byte == '_' || byte == '-';
}

/* The first place of `folder` as the beginning of a path; NULL if none. */
static const unsigned char *
find_folder(const unsigned char *bytes, size_t len, const char *folder)
{
	const size_t folder_len = strlen(folder);
	const unsigned char *end = bytes + len;
	const unsigned char *at = bytes;

	while (folder_len > 1 && (at = memmem(at, (size_t)(end - at), folder, folder_len))) {
		const unsigned char *behind = at + folder_len;

		if (behind < end && (*behind == '/' || *behind == '\0') &&
			(at == bytes || !is_of_path(at[-1])))
			return at;
		at++;
	}
	return NULL;
}

static bool
is_target(const struct digest *digest, uint64_t address)
{
	size_t at = search_before(
		digest->targets, digest->ntargets, SEARCH_BY_VALUE(uint64_t), address);

	return at < digest->ntargets && digest->targets[at] == address;
}

/* Whether something leads to an address from `from` on and below `to`. */
static bool
has_target(const struct digest *digest, uint64_t from, uint64_t to)
{
	size_t at =
		search_before(digest->targets, digest->ntargets, SEARCH_BY_VALUE(uint64_t), from);

	return at < digest->ntargets && digest->targets[at] < to;
}

/* Zeros behind the text at `offset` that align the next one. */
static void
omit_text_padding(
	struct digest *digest, const struct digest_section *section, uint64_t offset, uint64_t len)
{
	const unsigned char *end = memchr(section->bytes + offset, '\0', len - offset);
	uint64_t from = end ? (uint64_t)(end - section->bytes) + 1 : len;
	uint64_t to =
		(section->address + from + TEXT_ALIGNMENT - 1) / TEXT_ALIGNMENT * TEXT_ALIGNMENT -
		section->address;

	if (to > len || to == from ||
		has_target(digest, section->address + from, section->address + to))
		return;
	for (uint64_t i = from; i < to; i++)
		if (section->bytes[i] != '\0')
			return;
	digest_add_range(digest, section->address + from, to - from, OMIT_PADDING, NULL);
}

bool
digest_omit_folders(struct digest *digest, const struct digest_section *section, uint64_t from,
	uint64_t to, bool padded)
{
	bool any = false;

	for (const char *const *folder = digest->folders; folder && *folder; folder++) {
		const unsigned char *at = section->bytes + from;
		const unsigned char *end = section->bytes + to;

		while ((at = find_folder(at, (size_t)(end - at), *folder))) {
			uint64_t offset = (uint64_t)(at - section->bytes);

			digest_add_range(digest, section->address + offset, strlen(*folder),
				OMIT_FOLDER, NULL);
			any = true;
			at += strlen(*folder);
			if (padded)
				omit_text_padding(
					digest, section, (uint64_t)(at - section->bytes), to);
		}
	}
	return any;
}

/* Zeros ahead of objects: they depend on the length of what is before. */
static void
omit_paddings(struct digest *digest, const struct digest_section *section)
{
	size_t first = search_before(digest->targets, digest->ntargets, SEARCH_BY_VALUE(uint64_t),
		section->address + PADDING_MAX + 1);

	for (size_t i = first; i < digest->ntargets; i++) {
		uint64_t offset = digest->targets[i] - section->address;
		uint64_t zeros = 0;

		if (offset >= section->size)
			break;
		if (digest->targets[i] % PADDED_ALIGNMENT != 0)
			continue;
		while (zeros < PADDING_MAX && section->bytes[offset - zeros - 1] == '\0')
			zeros++;
		/* The first may end a text. */
		if (zeros <= 1 || zeros == PADDING_MAX)
			continue;
		uint64_t from = digest->targets[i] - zeros + 1;

		if (!has_target(digest, from, digest->targets[i]) && !is_target(digest, from - 1))
			digest_add_range(digest, from, zeros - 1, OMIT_PADDING, NULL);
	}
}

static bool
is_constant(const struct digest_section *section)
{
	return section->bytes && section->size > 0 && section->header.sh_type == SHT_PROGBITS &&
	       !(section->header.sh_flags & (SHF_EXECINSTR | SHF_WRITE));
}

void
digest_omit(struct digest *digest)
{
	digest_omit_go(digest);
	for (size_t i = 0; i < digest->nsections; i++) {
		const struct digest_section *section = &digest->sections[i];

		if (is_constant(section) && strncmp(section->name, ".rodata", 7) == 0 &&
			digest_omit_folders(digest, section, 0, section->size, true))
			omit_paddings(digest, section);
	}
	finish_ranges(digest);
}

/* Puts the substitute of a range. */
static void
digest_put_omitted(struct digest *digest, const struct digest_range *range)
{
	if (range->kind == OMIT_PADDING)
		return;
	if (range->text)
		digest_text(digest, (char)range->kind, range->text);
	else
		digest_mark(digest, (char)range->kind, 0);
}

void
digest_put_name(struct digest *digest, char mark, const char *name)
{
	struct buf text = {0};
	const unsigned char *at = (const unsigned char *)name;
	/* The terminator ends a path, too. */
	size_t left = strlen(name) + 1;

	while (left > 1) {
		const unsigned char *found = NULL;
		size_t len = 0;

		for (const char *const *folder = digest->folders; folder && *folder; folder++) {
			const unsigned char *place = find_folder(at, left, *folder);

			if (place && (!found || place < found)) {
				found = place;
				len = strlen(*folder);
			}
		}
		if (!found)
			break;
		buf_put(&text, at, (size_t)(found - at));
		buf_puts(&text, "\x01");
		left -= (size_t)(found + len - at);
		at = found + len;
	}
	buf_put(&text, at, left - 1);
	digest_text(digest, mark, buf_text(&text));
	buf_release(&text);
}

/* Data: pointers, tables of jumps, and bytes. */

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
	size_t range;     /* the next one that is omitted */
	uint64_t target;  /* the next address that something leads to */
	uint64_t pointer; /* the word before is, or was before one more number: of the address */
	unsigned numbers; /* words that may follow a pointer and be a length */
	bool table;       /* entries of a table of jumps, which begins at `table_at` */
	uint64_t table_at;
};

static uint64_t
address_of(const struct walk *walk)
{
	return walk->section->address + walk->at;
}

/* Bytes until which nothing else begins. */
static bool
has(const struct walk *walk, uint64_t bytes)
{
	const struct digest *digest = walk->digest;

	return walk->section->size - walk->at >= bytes &&
	       (walk->range == digest->nranges ||
		       digest->ranges[walk->range].address >= address_of(walk) + bytes);
}

/* The omitted range that begins here. */
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
 * A word that is an address. Where it is the dynamic linker that writes it, the linker's table has
 * it, and what is in the file does not count.
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

/* A length behind a pointer, of bytes that are partly omitted. */
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

	if (address_of(walk) % WORD != 0 || !has(walk, WORD))
		return false;
	memcpy(&word, walk->section->bytes + walk->at, WORD);
	if (!put_pointer(walk, word) && !put_length(walk, word))
		return false;
	walk->at += WORD;
	return true;
}

/*
 * An entry of a table that begins where code leads to: the distance from the table's beginning to
 * code.
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
	if (!walk->table || address % ENTRY != 0 || !has(walk, ENTRY)) {
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

/* Tables of exceptions: distances to the addresses of types, which are data that is written. */
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
