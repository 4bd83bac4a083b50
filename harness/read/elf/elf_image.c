#include "elf/elf_image.h"

#include "base/file.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

struct build_id
build_id_of(const unsigned char *bytes, size_t len)
{
	struct build_id id = {.len = bytes && len <= BUILD_ID_MAX ? len : 0};

	if (id.len > 0)
		memcpy(id.bytes, bytes, id.len);
	return id;
}

void
build_id_text(const struct build_id *id, char text[BUILD_ID_TEXT_SIZE])
{
	text[0] = '\0';
	for (size_t i = 0; i < id->len; i++)
		snprintf(text + 2 * i, 3, "%02x", id->bytes[i]);
}

bool
build_id_equal(const struct build_id *a, const struct build_id *b)
{
	return a->len == b->len && memcmp(a->bytes, b->bytes, a->len) == 0;
}

/* Bytes of a file's notes that are read: its build-id is one of the first. */
#define NOTES_BYTES_MAX ((uint64_t)4 << 20)
#define SECTION_NAME_MAX 1024
/* No compiler writes longer ones. */
#define NAME_BYTES_MAX 65536
/* Linkers let names share their ends, and several symbols may have one name. */
#define NAMES_BYTES_MIN ((uint64_t)4 << 20)
#define NAMES_RATIO 4
/* Unpacked debug information has up to ten times the bytes of the file that it is in. */
#define UNPACKED_BYTES_MIN ((uint64_t)64 << 10)
#define UNPACKED_RATIO 20

struct allowance
elf_image_unpacking(uint64_t file_bytes)
{
	return allowance_of(UNPACKED_BYTES_MIN, file_bytes, UNPACKED_RATIO);
}

struct elf_names
elf_names_of(const struct elf_image *image, size_t section)
{
	Elf_Scn *scn = elf_getscn(image->elf, section);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;

	if (!data || !data->d_buf)
		return (struct elf_names){0};
	return (struct elf_names){.bytes = data->d_buf,
		.len = data->d_size,
		.left = allowance_of(NAMES_BYTES_MIN, data->d_size, NAMES_RATIO)};
}

/* The name at `offset` if it is shorter than `most`, and how much was looked at. */
static const char *
name_at(const struct elf_names *names, uint64_t offset, size_t most, size_t *len)
{
	*len = 0;
	if (offset >= names->len)
		return NULL;
	const size_t left = names->len - (size_t)offset;
	const size_t room = left < most ? left : most;

	*len = strnlen(names->bytes + offset, room);
	return *len < room ? names->bytes + offset : NULL;
}

const char *
elf_names_at(struct elf_names *names, uint64_t offset)
{
	size_t len;

	if (allowance_is_used(&names->left))
		return NULL;
	const char *name = name_at(names, offset, NAME_BYTES_MAX, &len);

	return allowance_take(&names->left, len) ? name : NULL;
}

/* Reads the build-id note out of one note segment or section. */
static void
read_build_id(struct elf_image *image, Elf_Data *data)
{
	GElf_Nhdr note;
	size_t name_at;
	size_t desc_at;
	size_t at = 0;

	while (data && (at = gelf_getnote(data, at, &note, &name_at, &desc_at)) > 0) {
		const unsigned char *bytes = data->d_buf;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
			memcmp(bytes + name_at, "GNU", 4) != 0 || note.n_descsz > BUILD_ID_MAX)
			continue;
		image->build_id = build_id_of(bytes + desc_at, note.n_descsz);
		return;
	}
}

static void
read_loaded(struct elf_image *image)
{
	GElf_Phdr header;
	size_t capacity = 0;

	for (size_t i = 0; i < image->nheaders; i++) {
		if (!gelf_getphdr(image->elf, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		image->loaded = mem_grow(
			image->loaded, &capacity, image->nloaded + 1, sizeof(*image->loaded));
		image->loaded[image->nloaded++] = header;
	}
}

static bool
inspect(struct elf_image *image)
{
	struct allowance notes = {NOTES_BYTES_MAX};
	GElf_Phdr header;
	GElf_Shdr note;
	size_t names;
	size_t bytes;

	if (!image->elf || elf_kind(image->elf) != ELF_K_ELF ||
		elf_getphdrnum(image->elf, &image->nheaders) < 0) {
		elf_image_close(image);
		return false;
	}
	if (image->nheaders > ELF_HEADERS_MAX)
		image->nheaders = ELF_HEADERS_MAX;
	read_loaded(image);
	if (elf_getshdrstrndx(image->elf, &names) == 0)
		image->section_names = elf_names_of(image, names);
	if (elf_rawfile(image->elf, &bytes))
		image->unpacking = elf_image_unpacking(bytes);
	for (size_t i = 0; i < image->nheaders && image->build_id.len == 0; i++) {
		if (!gelf_getphdr(image->elf, (int)i, &header) || header.p_type != PT_NOTE ||
			!allowance_take(&notes, header.p_filesz))
			continue;
		read_build_id(image,
			elf_getdata_rawchunk(image->elf, (int64_t)header.p_offset, header.p_filesz,
				header.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR));
	}
	/* Kernel modules, what dwz makes and what perf inject makes of a JIT's code have sections
	 * only.
	 */
	for (Elf_Scn *section = NULL;
		image->build_id.len == 0 && (section = elf_nextscn(image->elf, section));)
		if (gelf_getshdr(section, &note) && note.sh_type == SHT_NOTE &&
			allowance_take(&notes, note.sh_size))
			read_build_id(image, elf_getdata(section, NULL));
	return true;
}

bool
elf_image_open(struct elf_image *image, const char *path)
{
	*image = (struct elf_image){.fd = -1};
	elf_version(EV_CURRENT);
	/* The path of a mapped program may be a pipe or a device by now. */
	image->fd = file_open_ordinary(path);
	if (image->fd < 0)
		return false;
	if (fstat(image->fd, &image->seen) == 0)
		image->elf = elf_begin(image->fd, ELF_C_READ_MMAP, NULL);
	return inspect(image);
}

bool
elf_is_image(const char *path)
{
	struct elf_image image;

	if (!elf_image_open(&image, path))
		return false;
	elf_image_close(&image);
	return true;
}

bool
elf_image_open_memory(struct elf_image *image, void *bytes, size_t len)
{
	elf_version(EV_CURRENT);
	return elf_image_adopt(image, elf_memory(bytes, len), NULL);
}

/* Bytes of the image: the kernel puts the section headers at its very end. */
static size_t
vdso_bytes(const char *image)
{
	Elf64_Ehdr header;

	memcpy(&header, image, sizeof(header));
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
		return 0;
	return (size_t)header.e_shoff + (size_t)header.e_shnum * header.e_shentsize;
}

bool
elf_image_open_vdso(struct elf_image *image)
{
	/* The auxiliary vector holds the address as a number. */
	uintptr_t address = getauxval(AT_SYSINFO_EHDR);
	char *bytes;

	memcpy(&bytes, &address, sizeof(bytes));
	size_t len = bytes ? vdso_bytes(bytes) : 0;

	return len > 0 && elf_image_open_memory(image, bytes, len);
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
	free(image->loaded);
	*image = (struct elf_image){.fd = -1};
}

bool
elf_image_is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

bool
elf_image_has_changed(const struct elf_image *image)
{
	struct stat now;

	return image->fd >= 0 &&
	       (fstat(image->fd, &now) < 0 || !elf_image_is_same_file(&image->seen, &now));
}

const char *
elf_image_section_name(const struct elf_image *image, const GElf_Shdr *header)
{
	size_t len;
	const char *name = name_at(&image->section_names, header->sh_name, SECTION_NAME_MAX, &len);

	return name ? name : "";
}

Elf_Scn *
elf_image_section(const struct elf_image *image, const char *name, uint32_t type, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(image->elf, section)))
		if (gelf_getshdr(section, header) &&
			(type != SHT_NULL
					? header->sh_type == type
					: strcmp(elf_image_section_name(image, header), name) == 0))
			return section;
	return NULL;
}

/* The loaded segment that holds `at`, an offset in the file or an address in memory; or NULL. */
static const GElf_Phdr *
find_segment(const struct elf_image *image, uint64_t at, bool by_offset)
{
	for (size_t i = 0; i < image->nloaded; i++) {
		const GElf_Phdr *header = &image->loaded[i];
		uint64_t start = by_offset ? header->p_offset : header->p_vaddr;
		uint64_t size = header->p_filesz;

		if (!by_offset && header->p_memsz > size)
			size = header->p_memsz;
		if (at >= start && at - start < size)
			return header;
	}
	return NULL;
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
	if (image->text_bytes > 0) {
		*offset = address - image->text_address + image->text_offset;
		return address - image->text_address < image->text_bytes;
	}
	const GElf_Phdr *header = find_segment(image, address, false);

	if (!header)
		return false;
	*offset = address - header->p_vaddr + header->p_offset;
	return true;
}

bool
elf_image_address(const struct elf_image *image, uint64_t offset, uint64_t *address)
{
	const GElf_Phdr *header = find_segment(image, offset, true);

	if (!header)
		return false;
	*address = offset - header->p_offset + header->p_vaddr;
	return true;
}

size_t
elf_image_code(const struct elf_image *image, uint64_t end, unsigned char *code, size_t len)
{
	const GElf_Phdr *header = end > 0 ? find_segment(image, end - 1, true) : NULL;

	if (!header || !(header->p_flags & PF_X))
		return 0;
	if (end - header->p_offset < len)
		len = (size_t)(end - header->p_offset);
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

/* Appends a loaded section: name, address, size, flags, type and a hash of its bytes. */
static bool
put_section(const struct elf_image *image, Elf_Scn *section, struct buf *out)
{
	char bytes_hash[SHA256_TEXT_SIZE] = "";
	GElf_Shdr header;

	/* Notes are left out though they are loaded: the build-id is one. */
	if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC) ||
		header.sh_type == SHT_NOTE)
		return false;
	const Elf_Data *data = header.sh_type == SHT_NOBITS ? NULL : elf_rawdata(section, NULL);

	if (data && data->d_buf)
		sha256_text(data->d_buf, data->d_size, bytes_hash);
	buf_printf(out, "%s %llx %llx %llx %x %s\n", elf_image_section_name(image, &header),
		(unsigned long long)header.sh_addr, (unsigned long long)header.sh_size,
		(unsigned long long)header.sh_flags, header.sh_type, bytes_hash);
	return true;
}

bool
elf_loaded_hash(const struct elf_image *image, char text[SHA256_TEXT_SIZE])
{
	Elf_Scn *section = NULL;
	struct buf sections = {0};
	bool any = false;

	while ((section = elf_nextscn(image->elf, section)))
		any = put_section(image, section, &sections) || any;
	if (any)
		sha256_text(buf_text(&sections), sections.len, text);
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
