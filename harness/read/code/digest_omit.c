/*
 * The ranges that are omitted from a digest: paths of the build's folder, and the padding that
 * depends on their length. digest_go.c adds what a Go program has of its build.
 */
#include "base/buf.h"
#include "base/mem.h"
#include "base/search.h"
#include "code/digest_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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

/* Sorts the ranges, drops those that overlap an earlier one, and sets `before` of each. */
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

void
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
