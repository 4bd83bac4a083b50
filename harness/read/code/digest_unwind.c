/*
 * The digest of .eh_frame: which code each entry is for, by where that is. Source: LSB Core 5.0,
 * sections 10.6.1 to 10.6.2.
 */
#include "base/mem.h"
#include "code/digest_internal.h"

#include <dwarf.h>
#include <elf.h>
#include <string.h>

#define PC_RELATIVE_4 (DW_EH_PE_pcrel | DW_EH_PE_sdata4)

struct record {
	const unsigned char *bytes; /* behind the length */
	uint64_t address;
	uint32_t len;
	uint32_t parent; /* 0: the record describes others */
};

/* How the records that refer to one are written. */
struct shape {
	bool has_data;   /* augmentation data, after their length */
	bool has_tables; /* ... which are the address of a table of exceptions */
};

static uint32_t
word_at(const unsigned char *bytes)
{
	uint32_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

static bool
read_record(const struct digest_section *section, uint64_t at, struct record *record)
{
	if (section->size - at < 8)
		return false;
	record->len = word_at(section->bytes + at);
	/* Long ones are of no compiler. */
	if (record->len < 4 || record->len == UINT32_MAX || section->size - at - 4 < record->len)
		return false;
	record->bytes = section->bytes + at + 4;
	record->address = section->address + at + 4;
	record->parent = word_at(record->bytes);
	return true;
}

static bool
skip_leb(const struct record *record, uint32_t *at)
{
	while (*at < record->len && (record->bytes[*at] & 0x80))
		++*at;
	return ++*at <= record->len;
}

/* The description at `bytes`: "zR", "zPLR" and the like with distances of 4 bytes. */
static bool
read_shape(const struct record *record, struct shape *shape, uint32_t *personality_at)
{
	const char *letters = (const char *)record->bytes + 5;
	uint32_t at = 5;

	*shape = (struct shape){0};
	*personality_at = 0;
	while (at < record->len && record->bytes[at])
		at++;
	if (++at > record->len || letters[0] != 'z')
		return false;
	for (int i = 0; i < 4; i++) /* alignment of code and data, register, length */
		if (!skip_leb(record, &at))
			return false;
	shape->has_data = true;
	for (letters++; *letters; letters++) {
		if (*letters == 'S' || *letters == 'B')
			continue;
		if (at >= record->len)
			return false;
		uint8_t encoding = record->bytes[at++];

		if (*letters == 'R' && encoding == PC_RELATIVE_4)
			continue;
		if (*letters == 'L' && encoding == PC_RELATIVE_4) {
			shape->has_tables = true;
			continue;
		}
		if (*letters != 'P' || (encoding & ~DW_EH_PE_indirect) != PC_RELATIVE_4 ||
			record->len - at < 4)
			return false;
		*personality_at = at;
		at += 4;
	}
	return true;
}

static void
put_distance(struct digest *digest, const struct record *record, uint32_t at)
{
	const uint64_t target =
		record->address + at + (uint64_t)(int64_t)(int32_t)word_at(record->bytes + at);

	if (!digest_address(digest, 'd', target))
		digest_raw(digest, record->bytes + at, 4);
}

static bool
put_description(struct digest *digest, const struct record *record)
{
	uint32_t personality;
	struct shape shape;

	if (!read_shape(record, &shape, &personality))
		return false;
	if (personality == 0) {
		digest_raw(digest, record->bytes, record->len);
		return true;
	}
	digest_raw(digest, record->bytes, personality);
	put_distance(digest, record, personality);
	digest_raw(digest, record->bytes + personality + 4, record->len - personality - 4);
	return true;
}

static bool
put_function(struct digest *digest, const struct digest_section *section, uint64_t at,
	const struct record *record)
{
	struct record parent;
	struct shape shape;
	uint32_t ignored;
	uint32_t data = 12;

	if (record->parent > at + 4 || record->len < 13 ||
		!read_record(section, at + 4 - record->parent, &parent) || parent.parent != 0 ||
		!read_shape(&parent, &shape, &ignored))
		return false;
	digest_raw(digest, record->bytes, 4);
	put_distance(digest, record, 4);
	digest_raw(digest, record->bytes + 8, 4);
	if (!shape.has_tables || record->bytes[data] != 4 || record->len < data + 5 ||
		word_at(record->bytes + data + 1) == 0) {
		digest_raw(digest, record->bytes + data, record->len - data);
		return true;
	}
	digest_raw(digest, record->bytes + data, 1);
	put_distance(digest, record, data + 1);
	digest_raw(digest, record->bytes + data + 5, record->len - data - 5);
	return true;
}

bool
digest_unwind(struct digest *digest, const struct digest_section *section)
{
	if (digest->machine != EM_X86_64 || !section->bytes ||
		strcmp(section->name, ".eh_frame") != 0)
		return false;
	for (uint64_t at = 0; at < section->size;) {
		struct record record;

		if (!read_record(section, at, &record)) {
			digest_raw(digest, section->bytes + at, section->size - at);
			break;
		}
		digest_mark(digest, 'u', record.len);
		if (!(record.parent == 0 ? put_description(digest, &record)
					 : put_function(digest, section, at, &record)))
			digest_raw(digest, record.bytes, record.len);
		at += 4 + (uint64_t)record.len;
	}
	return true;
}

bool
digest_unwind_index(struct digest *digest, const struct digest_section *section)
{
	static const unsigned char usual[] = {
		1, PC_RELATIVE_4, DW_EH_PE_udata4, DW_EH_PE_datarel | DW_EH_PE_sdata4};

	if (digest->machine != EM_X86_64 || !section->bytes || section->size < 12 ||
		strcmp(section->name, ".eh_frame_hdr") != 0 ||
		memcmp(section->bytes, usual, sizeof(usual)) != 0)
		return false;
	for (uint64_t at = 4; at < section->size; at += 4) {
		const uint64_t base = at == 4 ? section->address + 4 : section->address;
		const unsigned char *field = section->bytes + at;

		if (at == 8 || section->size - at < 4 ||
			!digest_address(
				digest, 'd', base + (uint64_t)(int64_t)(int32_t)word_at(field)))
			digest_raw(digest, field, section->size - at < 4 ? section->size - at : 4);
	}
	return true;
}
