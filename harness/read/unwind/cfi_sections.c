/*
 * Loads the sections of an ELF file that have call frame information. The bytes are copied.
 */
#include "base/mem.h"
#include "dwarf/cursor.h"
#include "elf/elf_image.h"
#include "unwind/unwind_internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static bool
is_of_machine(const struct unwind_machine *machine, const struct elf_image *image)
{
	GElf_Ehdr header;
	unsigned char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

	return gelf_getehdr(image->elf, &header) && header.e_machine == machine->elf_machine &&
	       header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == order;
}

bool
cfi_load(const struct unwind_machine *machine, struct elf_image *image, struct elf_image *debug,
	struct cfi_section *eh, struct cfi_section *own)
{
	if (!is_of_machine(machine, image))
		return false;
	bool found = cfi_load_eh_frame(image, eh);

	stubs_add(machine, image, eh);
	found |= eh->len > 0;
	found |= cfi_load_debug_frame(image, own) ||
		 (debug && debug->elf && is_of_machine(machine, debug) &&
			 cfi_load_debug_frame(debug, own)) ||
		 go_functions_add(machine, image, eh);
	return found;
}
