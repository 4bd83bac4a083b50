/*
 * Parses the entries of .eh_frame and .debug_frame: the entries of functions (FDE), and those that
 * functions share (CIE).
 */
#include "base/mem.h"
#include "dwarf/cursor.h"
#include "unwind/unwind_internal.h"

#include <dwarf.h>
#include <string.h>

/* Addresses have as many bytes; files of 32 bits are refused. */
#define ADDRESS_BYTES 8

/* Bounds per CIE. Each function may name another one, which is then parsed again. */
#define LETTERS_MAX 16
#define INITIAL_BYTES_MAX 1024

/* The value itself, without what it is relative to. */
static bool
read_value(struct cursor *cursor, uint8_t encoding, uint64_t *value)
{
	size_t size = eh_encoded_bytes(encoding);

	if (size > 0 && (encoding & DW_EH_PE_signed))
		*value = (uint64_t)cursor_signed(cursor, size);
	else if (size > 0)
		*value = cursor_fixed(cursor, size);
	else if ((encoding & 0x0f) == DW_EH_PE_uleb128)
		*value = cursor_uleb(cursor);
	else if ((encoding & 0x0f) == DW_EH_PE_sleb128)
		*value = (uint64_t)cursor_sleb(cursor);
	else
		return false;
	return !cursor->failed;
}

bool
cfi_address(const struct cfi_section *section, struct cursor *cursor, uint8_t encoding,
	uint64_t *address)
{
	uint64_t here = section->address + (uint64_t)(cursor->at - section->bytes);

	if (encoding == DW_EH_PE_aligned) {
		uint64_t pad = -here & (ADDRESS_BYTES - 1);

		return cursor_take(cursor, pad) && read_value(cursor, DW_EH_PE_absptr, address);
	}
	if (!read_value(cursor, encoding, address) || (encoding & DW_EH_PE_indirect))
		return false;
	if ((encoding & 0x70) == DW_EH_PE_pcrel)
		*address += here;
	else if ((encoding & 0x70) != DW_EH_PE_absptr)
		return false;
	return true;
}

/* An entry's own part: behind its length and the field that distinguishes the two kinds. */
struct entry {
	struct cursor body;
	bool is_cie;
	uint64_t cie_at; /* of a function */
	size_t next;     /* the entry behind it */
};

/* False where the section ends or its lengths make no sense. */
static bool
read_entry(const struct cfi_section *section, size_t at, struct entry *entry)
{
	struct cursor cursor = {section->bytes + at, section->bytes + section->len, false};
	bool wide = false;
	uint64_t len = cursor_fixed(&cursor, 4);

	if (len == UINT32_MAX) {
		wide = true;
		len = cursor_fixed(&cursor, 8);
	}
	if (cursor.failed || len > cursor_left(&cursor))
		return false;
	cursor.end = cursor.at + len;
	entry->next = (size_t)(cursor.end - section->bytes);
	entry->body = cursor;
	entry->is_cie = false;
	entry->cie_at = UINT64_MAX;
	/* An end marker; linkers leave some in the middle, and .debug_frame is padded so. */
	if (len == 0)
		return true;
	uint64_t id_at = (uint64_t)(cursor.at - section->bytes);

	if (section->eh) {
		uint64_t id = cursor_fixed(&cursor, 4);

		entry->is_cie = id == 0;
		entry->cie_at = id_at - id;
	} else {
		uint64_t id = cursor_fixed(&cursor, wide ? 8 : 4);

		entry->is_cie = id == (wide ? UINT64_MAX : UINT32_MAX);
		entry->cie_at = id;
	}
	entry->body = cursor;
	return true;
}

/* The letters of an augmentation and their data; false where one is not known. */
static bool
read_augmentation(const struct cfi_section *section, struct cursor *cursor, const char *letters,
	struct cfi_cie *cie)
{
	uint64_t ignored;
	struct cursor data;

	if (letters[0] == '\0')
		return true;
	if (letters[0] != 'z')
		return false;
	uint64_t len = cursor_uleb(cursor);
	const unsigned char *bytes = cursor_take(cursor, len);

	if (!bytes)
		return false;
	cie->sized = true;
	data = (struct cursor){bytes, bytes + len, false};
	for (const char *letter = letters + 1; *letter; letter++) {
		if (*letter == 'R') {
			cie->encoding = (uint8_t)cursor_fixed(&data, 1);
		} else if (*letter == 'L') {
			(void)cursor_fixed(&data, 1);
		} else if (*letter == 'P') {
			uint8_t encoding = (uint8_t)cursor_fixed(&data, 1);

			/* Where the personality is does not matter, its size does. */
			if (encoding == DW_EH_PE_aligned
					? !cfi_address(section, &data, encoding, &ignored)
					: !read_value(&data, encoding, &ignored))
				return false;
		} else if (*letter == 'S') {
			cie->signal = true;
		} else if (*letter != 'B' && *letter != 'G') {
			/* Its data cannot be separated from that of the letters behind it. */
			return false;
		}
	}
	return !data.failed;
}

static void
read_cie(const struct cfi_section *section, const struct entry *entry, struct cfi_cie *cie)
{
	struct cursor cursor = entry->body;
	uint64_t version = cursor_fixed(&cursor, 1);
	const char *letters = (const char *)cursor.at;

	const unsigned char *end = memchr(letters, '\0',
		cursor_left(&cursor) < LETTERS_MAX ? cursor_left(&cursor) : LETTERS_MAX);

	if (!end)
		return;
	cursor.at = end + 1;
	if (cursor.failed || (version != 1 && version != 3 && version != 4))
		return;
	if (version == 4) {
		uint64_t address_bytes = cursor_fixed(&cursor, 1);
		uint64_t segment_bytes = cursor_fixed(&cursor, 1);

		if (address_bytes != ADDRESS_BYTES || segment_bytes != 0)
			return;
	}
	/* Written by GCC 2: a pointer, and no data elsewhere. */
	if (strcmp(letters, "eh") == 0) {
		(void)cursor_take(&cursor, ADDRESS_BYTES);
		letters = "";
	}
	cie->code_factor = cursor_uleb(&cursor);
	cie->data_factor = cursor_sleb(&cursor);
	uint64_t column = version == 1 ? cursor_fixed(&cursor, 1) : cursor_uleb(&cursor);

	cie->return_column = column < UINT8_MAX ? (uint8_t)column : UINT8_MAX;
	cie->usable = read_augmentation(section, &cursor, letters, cie) && !cursor.failed &&
		      cursor_left(&cursor) <= INITIAL_BYTES_MAX;
	cie->instructions = cursor;
}

/* The entry at `at`, read once while it stays among the last ones. */
static const struct cfi_cie *
find_cie(struct cfi_reader *reader, uint64_t at)
{
	struct entry entry;
	size_t slot = (size_t)(at / 4) % CFI_CIES;
	struct cfi_cie *cie = &reader->cies[slot];

	if (reader->have[slot] && cie->at == at)
		return cie;
	if (at >= reader->section->len || !read_entry(reader->section, (size_t)at, &entry) ||
		!entry.is_cie)
		return NULL;
	*cie = (struct cfi_cie){.at = (uint32_t)at, .encoding = DW_EH_PE_absptr};
	reader->have[slot] = true;
	read_cie(reader->section, &entry, cie);
	return cie;
}

static bool
read_fde(struct cfi_reader *reader, struct entry *entry, struct cfi_fde *fde,
	const struct cfi_cie **cie)
{
	*cie = find_cie(reader, entry->cie_at);
	if (!*cie || !(*cie)->usable)
		return false;
	if (!cfi_address(reader->section, &entry->body, (*cie)->encoding, &fde->start) ||
		!read_value(&entry->body, (*cie)->encoding & 0x0f, &fde->size))
		return false;
	fde->instructions = entry->body;
	return true;
}

bool
cfi_next(struct cfi_reader *reader, struct cfi_fde *fde, const struct cfi_cie **cie)
{
	struct entry entry;

	while (reader->next < reader->section->len) {
		size_t at = reader->next;

		if (!read_entry(reader->section, at, &entry))
			break;
		reader->next = entry.next;
		if (entry.is_cie || entry.body.at == entry.body.end)
			continue;
		if (read_fde(reader, &entry, fde, cie)) {
			fde->at = (uint32_t)at;
			return true;
		}
	}
	reader->next = reader->section->len;
	return false;
}

bool
cfi_read(struct cfi_reader *reader, uint32_t at, struct cfi_fde *fde, const struct cfi_cie **cie)
{
	struct entry entry;

	if (at >= reader->section->len || !read_entry(reader->section, at, &entry) ||
		entry.is_cie || !read_fde(reader, &entry, fde, cie))
		return false;
	fde->at = at;
	if ((*cie)->sized)
		(void)cursor_take(&fde->instructions, cursor_uleb(&fde->instructions));
	return !fde->instructions.failed;
}
