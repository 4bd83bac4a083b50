#include "unwind/cfi.h"

#include "base/mem.h"
#include "dwarf/eh_encoding.h"

#include <dwarf.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Addresses have as many bytes; files of 32 bits are refused. */
#define ADDRESS_BYTES 8

/* Each function may refer to another CIE, which is then parsed again: bounds that cost. */
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

/* .eh_frame_hdr up to its table: version, three encodings, an address. */
#define HDR_BYTES_MAX 16

/* Bytes of the whole file. */
static uint64_t
file_size(const struct elf_image *image)
{
	struct stat status;
	size_t size = 0;

	if (image->fd >= 0)
		return fstat(image->fd, &status) == 0 ? (uint64_t)status.st_size : 0;
	return elf_rawfile(image->elf, &size) ? size : 0;
}

/* Copies `len` bytes at `offset`; NULL where the file does not have them. free() the copy. */
static unsigned char *
copy_bytes(const struct elf_image *image, uint64_t offset, uint64_t len)
{
	uint64_t size = file_size(image);
	uint64_t done = 0;

	if (len == 0 || len > CFI_SECTION_MAX || offset > size || len > size - offset)
		return NULL;
	unsigned char *bytes = mem_zalloc((size_t)len, 1);

	if (image->fd < 0) {
		memcpy(bytes, elf_rawfile(image->elf, NULL) + offset, (size_t)len);
		return bytes;
	}
	while (done < len) {
		ssize_t got = pread(
			image->fd, bytes + done, (size_t)(len - done), (off_t)(offset + done));

		if (got <= 0) {
			free(bytes);
			return NULL;
		}
		done += (uint64_t)got;
	}
	return bytes;
}

static bool
take_bytes(struct cfi_section *section, unsigned char *bytes, uint64_t len)
{
	section->bytes = bytes;
	section->owned = bytes;
	section->len = bytes ? (size_t)len : 0;
	return bytes != NULL;
}

/* Where `address` is in the file, and how much of its segment is from there on. */
static bool
find_in_file(const struct elf_image *image, uint64_t address, uint64_t *offset, uint64_t *len)
{
	GElf_Phdr header;

	for (size_t i = 0; i < image->nheaders; i++) {
		if (!gelf_getphdr(image->elf, (int)i, &header) || header.p_type != PT_LOAD ||
			address < header.p_vaddr || address - header.p_vaddr >= header.p_filesz)
			continue;
		*offset = address - header.p_vaddr + header.p_offset;
		*len = header.p_filesz - (address - header.p_vaddr);
		return true;
	}
	return false;
}

/* The address of .eh_frame, as .eh_frame_hdr has it (LSB Core 5.0, section 10.6.2). */
static bool
read_hdr(const struct elf_image *image, const GElf_Phdr *header, uint64_t *address)
{
	uint64_t len = header->p_filesz < HDR_BYTES_MAX ? header->p_filesz : HDR_BYTES_MAX;
	struct cfi_section hdr = {.address = header->p_vaddr};

	if (!take_bytes(&hdr, copy_bytes(image, header->p_offset, len), len))
		return false;
	struct cursor cursor = {hdr.bytes, hdr.bytes + hdr.len, false};
	bool known = cursor_fixed(&cursor, 1) == 1;
	uint8_t encoding = (uint8_t)cursor_fixed(&cursor, 1);

	/* How the table is written does not matter: entries are read one by one. */
	(void)cursor_fixed(&cursor, 2);
	known = known && cfi_address(&hdr, &cursor, encoding, address);
	cfi_unload(&hdr);
	return known;
}

static bool
load_by_program_header(const struct elf_image *image, struct cfi_section *section)
{
	GElf_Phdr header;
	uint64_t offset;
	uint64_t len;
	uint64_t size = file_size(image);

	for (size_t i = 0; i < image->nheaders; i++) {
		if (!gelf_getphdr(image->elf, (int)i, &header) || header.p_type != PT_GNU_EH_FRAME)
			continue;
		if (!read_hdr(image, &header, &section->address) ||
			!find_in_file(image, section->address, &offset, &len) || offset >= size)
			return false;
		if (len > size - offset)
			len = size - offset;
		return take_bytes(section, copy_bytes(image, offset, len), len);
	}
	return false;
}

bool
cfi_load_eh_frame(const struct elf_image *image, struct cfi_section *section)
{
	GElf_Shdr header;

	*section = (struct cfi_section){.eh = true};
	if (elf_image_section(image, ".eh_frame", SHT_NULL, &header) &&
		header.sh_type != SHT_NOBITS && !(header.sh_flags & SHF_COMPRESSED)) {
		section->address = header.sh_addr;
		if (take_bytes(section, copy_bytes(image, header.sh_offset, header.sh_size),
			    header.sh_size))
			return true;
	}
	return load_by_program_header(image, section);
}

bool
cfi_load_debug_frame(struct elf_image *image, struct cfi_section *section)
{
	GElf_Shdr header;
	GElf_Chdr compressed;
	Elf_Scn *scn = elf_image_section(image, ".debug_frame", SHT_NULL, &header);

	*section = (struct cfi_section){.eh = false};
	if (!scn || header.sh_type == SHT_NOBITS)
		return false;
	if (!(header.sh_flags & SHF_COMPRESSED))
		return take_bytes(section, copy_bytes(image, header.sh_offset, header.sh_size),
			header.sh_size);
	if (!gelf_getchdr(scn, &compressed) || compressed.ch_size > CFI_SECTION_MAX ||
		!allowance_take(&image->unpacking, compressed.ch_size) ||
		elf_compress(scn, 0, 0) < 0)
		return false;
	Elf_Data *data = elf_rawdata(scn, NULL);

	if (!data || !data->d_buf || data->d_size == 0 || data->d_size > CFI_SECTION_MAX)
		return false;
	return take_bytes(
		section, (unsigned char *)mem_dup(data->d_buf, data->d_size), data->d_size);
}

void
cfi_unload(struct cfi_section *section)
{
	free(section->owned);
	section->owned = NULL;
	section->bytes = NULL;
	section->len = 0;
}
