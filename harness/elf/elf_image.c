#include "elf/elf_image.h"

#include "elf/elf_symbols.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads the build-id note out of one note segment or section. */
static void
read_build_id(struct elf_image *image, Elf_Data *data)
{
	GElf_Nhdr note;
	size_t name_at;
	size_t desc_at;
	size_t at = 0;

	while (data && (at = gelf_getnote(data, at, &note, &name_at, &desc_at)) > 0) {
		const char *bytes = data->d_buf;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
			memcmp(bytes + name_at, "GNU", 4) != 0 || note.n_descsz > BUILD_ID_MAX)
			continue;
		memcpy(image->build_id, bytes + desc_at, note.n_descsz);
		image->build_id_len = note.n_descsz;
		return;
	}
}

static bool
inspect(struct elf_image *image)
{
	GElf_Phdr header;
	GElf_Shdr note;

	if (!image->elf || elf_kind(image->elf) != ELF_K_ELF ||
		elf_getphdrnum(image->elf, &image->nheaders) < 0) {
		elf_image_close(image);
		return false;
	}
	for (size_t i = 0; i < image->nheaders && image->build_id_len == 0; i++) {
		if (!gelf_getphdr(image->elf, (int)i, &header) || header.p_type != PT_NOTE)
			continue;
		read_build_id(image,
			elf_getdata_rawchunk(image->elf, (int64_t)header.p_offset, header.p_filesz,
				header.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR));
	}
	/* Kernel modules and what dwz makes are never mapped: they have sections only. */
	for (Elf_Scn *section = NULL; image->nheaders == 0 && image->build_id_len == 0 &&
				      (section = elf_nextscn(image->elf, section));)
		if (gelf_getshdr(section, &note) && note.sh_type == SHT_NOTE)
			read_build_id(image, elf_getdata(section, NULL));
	return true;
}

bool
elf_image_open(struct elf_image *image, const char *path)
{
	*image = (struct elf_image){.fd = -1};
	elf_version(EV_CURRENT);
	/* What was mapped as a program can since have become a pipe: opening must not wait. */
	image->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (image->fd < 0)
		return false;
	image->elf = elf_begin(image->fd, ELF_C_READ_MMAP, NULL);
	return inspect(image);
}

bool
elf_image_open_memory(struct elf_image *image, void *bytes, size_t len)
{
	elf_version(EV_CURRENT);
	return elf_image_adopt(image, elf_memory(bytes, len), NULL);
}

bool
elf_image_adopt(struct elf_image *image, Elf *elf, void *owned)
{
	*image = (struct elf_image){.elf = elf, .fd = -1, .owned = owned};
	return inspect(image);
}

void
elf_image_close(struct elf_image *image)
{
	if (image->elf)
		elf_end(image->elf);
	if (image->fd >= 0)
		close(image->fd);
	free(image->owned);
	*image = (struct elf_image){.fd = -1};
}

Elf_Scn *
elf_image_section(const struct elf_image *image, const char *name, uint32_t type, GElf_Shdr *header)
{
	size_t strings;
	Elf_Scn *section = NULL;

	if (elf_getshdrstrndx(image->elf, &strings) < 0)
		return NULL;
	while ((section = elf_nextscn(image->elf, section))) {
		if (!gelf_getshdr(section, header))
			continue;
		const char *its_name = elf_strptr(image->elf, strings, header->sh_name);

		if (type != SHT_NULL ? header->sh_type == type
				     : its_name && strcmp(its_name, name) == 0)
			return section;
	}
	return NULL;
}

/* The loaded segment that holds `at`, an offset in the file or an address in memory. */
static bool
find_segment(const struct elf_image *image, uint64_t at, bool by_offset, GElf_Phdr *header)
{
	for (size_t i = 0; i < image->nheaders; i++) {
		if (!gelf_getphdr(image->elf, (int)i, header) || header->p_type != PT_LOAD)
			continue;
		uint64_t start = by_offset ? header->p_offset : header->p_vaddr;
		uint64_t size = header->p_filesz;

		if (!by_offset && header->p_memsz > size)
			size = header->p_memsz;
		if (at >= start && at - start < size)
			return true;
	}
	return false;
}

bool
elf_image_place(struct elf_image *debug, uint64_t map_offset, uint64_t map_bytes)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	GElf_Phdr header;
	GElf_Phdr text = {0};
	size_t ntexts = 0;

	for (size_t i = 0; i < debug->nheaders; i++)
		if (gelf_getphdr(debug->elf, (int)i, &header) && header.p_type == PT_LOAD &&
			(header.p_flags & PF_X)) {
			text = header;
			ntexts++;
		}
	/* elfutils' eu-strip leaves the headers as they were. */
	if (ntexts > 0 && text.p_filesz > 0 && text.p_filesz == text.p_memsz)
		return true;

	uint64_t before = text.p_vaddr % page;

	if (ntexts != 1 || text.p_memsz > UINT64_MAX / 2 ||
		(before + text.p_memsz + page - 1) / page * page != map_bytes)
		return false;
	debug->text_address = text.p_vaddr;
	debug->text_bytes = text.p_memsz;
	debug->text_offset = map_offset + before;
	return true;
}

bool
elf_image_offset(const struct elf_image *image, uint64_t address, uint64_t *offset)
{
	GElf_Phdr header;

	if (image->text_bytes > 0) {
		*offset = address - image->text_address + image->text_offset;
		return address - image->text_address < image->text_bytes;
	}
	if (!find_segment(image, address, false, &header))
		return false;
	*offset = address - header.p_vaddr + header.p_offset;
	return true;
}

bool
elf_image_address(const struct elf_image *image, uint64_t offset, uint64_t *address)
{
	GElf_Phdr header;

	if (!find_segment(image, offset, true, &header))
		return false;
	*address = offset - header.p_offset + header.p_vaddr;
	return true;
}

size_t
elf_image_code(const struct elf_image *image, uint64_t end, unsigned char *code, size_t len)
{
	GElf_Phdr header;

	if (end == 0 || !find_segment(image, end - 1, true, &header) || !(header.p_flags & PF_X))
		return 0;
	if (end - header.p_offset < len)
		len = (size_t)(end - header.p_offset);
	if (image->fd < 0) {
		size_t total;
		const char *bytes = elf_rawfile(image->elf, &total);

		if (!bytes || end > total)
			return 0;
		memcpy(code, bytes + (end - len), len);
		return len;
	}
	/* Read rather than mapped: a file that was cut short meanwhile is an error, not a signal.
	 */
	ssize_t got = pread(image->fd, code, len, (off_t)(end - len));

	return got == (ssize_t)len ? len : 0;
}

/* Whether the symbol names code or data: not a file, a section or something from elsewhere. */
static bool
is_wanted(const GElf_Sym *sym, const char *name, bool *is_label)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);
	unsigned visibility = GELF_ST_VISIBILITY(sym->st_other);

	*is_label = type == STT_NOTYPE;
	if (!name || !*name || sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS)
		return false;
	/* Where code and data start, for disassemblers. Source: "ELF for the Arm 64-bit
	 * Architecture", section "Mapping symbols". */
	if (*is_label && name[0] == '$' && name[1] && strchr("adtx", name[1]) &&
		(name[2] == '\0' || name[2] == '.'))
		return false;
	if (*is_label)
		return visibility != STV_HIDDEN && visibility != STV_INTERNAL;
	return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_OBJECT;
}

/* Labels count in sections of code and data only. */
static bool
label_fits(const struct elf_image *image, const GElf_Shdr *header)
{
	size_t strings;

	if (elf_getshdrstrndx(image->elf, &strings) < 0)
		return false;
	const char *name = elf_strptr(image->elf, strings, header->sh_name);

	return name && (strstr(name, "text") || strstr(name, "data"));
}

static bool
add_symbol(const struct elf_image *image, const struct elf_image *runtime, const GElf_Sym *sym,
	const char *name, struct symtab *tab)
{
	GElf_Shdr header;
	bool is_label;
	uint64_t offset;

	if (!is_wanted(sym, name, &is_label))
		return false;
	Elf_Scn *section = elf_getscn(image->elf, sym->st_shndx);

	if (!section || !gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC) ||
		(is_label && !label_fits(image, &header)))
		return false;
	if (!elf_image_offset(runtime, sym->st_value, &offset))
		return false;
	symtab_add(tab, offset, sym->st_size, elf_symbol_binding(sym), name, false)->label =
		is_label;
	return true;
}

size_t
elf_image_symbols(const struct elf_image *image, const struct elf_image *runtime, uint32_t type,
	struct symtab *tab)
{
	struct elf_symbols symbols;
	GElf_Sym sym;
	size_t added = 0;

	elf_symbols_begin(&symbols, image, type);
	Elf_Scn *section = symbols.data ? elf_getscn(image->elf, symbols.names) : NULL;
	Elf_Data *names = section ? elf_getdata(section, NULL) : NULL;

	if (!names || !names->d_buf)
		return 0;
	/* The file may change under us later: names are kept in a copy, whose end is terminated. */
	const char *text = arena_dup(&tab->arena, names->d_buf, names->d_size);

	while (elf_symbols_next(&symbols, &sym)) {
		const char *name = sym.st_name < names->d_size ? text + sym.st_name : NULL;

		added += add_symbol(image, runtime, &sym, name, tab);
	}
	return added;
}
