#include "elf/elf_loaded.h"

#include "base/mem.h"

#include <string.h>

/* Appends a loaded section: name, address, size, flags, type and a hash of its bytes. */
static bool
put_section(const struct elf_image *image, Elf_Scn *section, struct buf *out)
{
	char bytes_hash[HASH_TEXT_SIZE] = "";
	GElf_Shdr header;

	/* Notes are left out though they are loaded: the build-id is one. */
	if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC) ||
		header.sh_type == SHT_NOTE)
		return false;
	const Elf_Data *data = header.sh_type == SHT_NOBITS ? NULL : elf_rawdata(section, NULL);

	if (data && data->d_buf)
		hash_text(data->d_buf, data->d_size, bytes_hash);
	buf_printf(out, "%s %llx %llx %llx %x %s\n", elf_image_section_name(image, &header),
		(unsigned long long)header.sh_addr, (unsigned long long)header.sh_size,
		(unsigned long long)header.sh_flags, header.sh_type, bytes_hash);
	return true;
}

bool
elf_loaded_hash(const struct elf_image *image, char text[HASH_TEXT_SIZE])
{
	Elf_Scn *section = NULL;
	struct buf sections = {0};
	bool any = false;

	while ((section = elf_nextscn(image->elf, section)))
		any = put_section(image, section, &sections) || any;
	if (any)
		hash_text(buf_text(&sections), sections.len, text);
	buf_release(&sections);
	return any;
}

char *
elf_interpreter(const struct elf_image *image)
{
	GElf_Phdr header;

	for (size_t i = 0; i < image->nheaders; i++) {
		if (!gelf_getphdr(image->elf, (int)i, &header) || header.p_type != PT_INTERP)
			continue;
		const Elf_Data *data = elf_getdata_rawchunk(
			image->elf, (int64_t)header.p_offset, header.p_filesz, ELF_T_BYTE);

		return data && data->d_buf
			       ? mem_dup(data->d_buf, strnlen(data->d_buf, data->d_size))
			       : NULL;
	}
	return NULL;
}

/* More entries than a dynamic section has: each names a library or a table. */
#define DYNAMIC_MAX 10000

void
elf_put_dynamic(const struct elf_image *image, int64_t tag, struct buf *out)
{
	GElf_Shdr header;
	GElf_Dyn entry;
	Elf_Scn *section = elf_image_section(image, NULL, SHT_DYNAMIC, &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;

	if (!data)
		return;
	struct elf_names names = elf_names_of(image, header.sh_link);

	for (int i = 0; i < DYNAMIC_MAX && gelf_getdyn(data, i, &entry); i++) {
		const char *text =
			entry.d_tag == tag ? elf_names_at(&names, entry.d_un.d_val) : NULL;

		if (entry.d_tag == DT_NULL)
			break;
		if (text)
			buf_printf(out, "%s\n", text);
	}
}
