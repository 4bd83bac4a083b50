/*
 * The place of each address in a program whose digest is made, without the omitted ranges; and the
 * output of bytes, numbers and places into the digest.
 */
#include "base/mem.h"
#include "base/search.h"
#include "code/digest_internal.h"

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

bool
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

bool
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
