/*
 * An opened ELF file: the file that was mapped, the file of its debug information, or the vDSO in
 * our own memory. Its sections, segments and build-id; its symbols are read by elf_symbols.h.
 */
#ifndef ELF_ELF_IMAGE_H
#define ELF_ELF_IMAGE_H

#include "base/allowance.h"
#include "base/buf.h"
#include "base/sha256.h"
#include "elf/symtab.h"

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define BUILD_ID_MAX 32
#define BUILD_ID_TEXT_SIZE (2 * BUILD_ID_MAX + 1)

/* The identifier that a linker wrote into a file or a kernel. */
struct build_id {
	unsigned char bytes[BUILD_ID_MAX];
	size_t len; /* 0: not known */
};

/* A section of terminated texts, the names of a table's entries, in the file. */
struct elf_names {
	const char *bytes; /* NULL: there is none */
	size_t len;
	/* Bytes that may still be looked at: names can be the ends of one another. */
	struct allowance left;
};

/* Program headers that are read. The kernel refuses a program with more (load_elf_phdrs()). */
#define ELF_HEADERS_MAX 1170

struct elf_image {
	Elf *elf;          /* NULL: not open */
	int fd;            /* -1 for memory */
	struct stat seen;  /* the file, when it was opened */
	void *owned;       /* the memory that `elf` reads, if it is the image's to free */
	size_t nheaders;   /* program headers; ELF_HEADERS_MAX at most */
	GElf_Phdr *loaded; /* those of loaded segments */
	size_t nloaded;
	struct elf_names section_names;
	struct build_id build_id;
	/*
	 * Bytes that may be made of the file's packed ones, in all: what it has of debug
	 * information becomes some times its size.
	 */
	struct allowance unpacking;
	/*
	 * Where the file that was mapped had its code, for a debug file whose own program headers
	 * do not say: `text_bytes` is 0 where they do.
	 */
	uint64_t text_address;
	uint64_t text_bytes;
	uint64_t text_offset;
};

/* Not known where `bytes` is NULL or there are too many. */
struct build_id build_id_of(const unsigned char *bytes, size_t len);
/* In hexadecimal digits; "" where it is not known. */
void build_id_text(const struct build_id *id, char text[BUILD_ID_TEXT_SIZE]);
/* Whether they are equal; two that are not known are. */
bool build_id_equal(const struct build_id *a, const struct build_id *b);

/* The allowance for unpacking a file of so many bytes. */
struct allowance elf_image_unpacking(uint64_t file_bytes);
/* False where the file cannot be read or is no ELF file; then nothing needs closing. */
bool elf_image_open(struct elf_image *image, const char *path);
/* Whether it can be opened. */
bool elf_is_image(const char *path);
bool elf_image_open_memory(struct elf_image *image, void *bytes, size_t len);
/*
 * The vDSO, code that the kernel maps into every process, where it lies in our own memory: there is
 * no file of it, and ours is the same as everyone's on this kernel.
 */
bool elf_image_open_vdso(struct elf_image *image);
/* Takes over `elf` (NULL fails) and the memory that it reads, if any: freed where this fails. */
bool elf_image_adopt(struct elf_image *image, Elf *elf, void *owned);
void elf_image_close(struct elf_image *image);
/* Whether the file was written to since it was opened: then it could end before what is mapped. */
bool elf_image_has_changed(const struct elf_image *image);
/* Whether the file is the same and unchanged, as far as the two states of it show. */
bool elf_image_is_same_file(const struct stat *a, const struct stat *b);

/* Section number `section` as names. */
struct elf_names elf_names_of(const struct elf_image *image, size_t section);
/*
 * The name at `offset`, as long as the file is open; NULL where there is none, or the names so far
 * are many times as long as the section.
 */
const char *elf_names_at(struct elf_names *names, uint64_t offset);

/* The name of a section; "" where it cannot be read, or is longer than any. */
const char *elf_image_section_name(const struct elf_image *image, const GElf_Shdr *header);

/* The section of this name or, where `type` is not SHT_NULL, this type; NULL if none. */
Elf_Scn *elf_image_section(
	const struct elf_image *image, const char *name, uint32_t type, GElf_Shdr *header);

/*
 * Gives `debug`, a debug file whose program is missing, the offsets in the program's file, which
 * was mapped from `map_offset` on in a length of `map_bytes`. False where they cannot be found:
 * objcopy's debug files keep only the program's addresses, which give the offsets if its only code
 * segment was mapped whole.
 */
bool elf_image_place(struct elf_image *debug, uint64_t map_offset, uint64_t map_bytes);

/* The offset in the file of virtual address `address`, and back; false where it is in no segment.
 */
bool elf_image_offset(const struct elf_image *image, uint64_t address, uint64_t *offset);
bool elf_image_address(const struct elf_image *image, uint64_t offset, uint64_t *address);

/*
 * Reads up to `len` bytes of code that end before offset `end` of the file, all in the executable
 * segment that holds the last of them. Returns how many; 0 where there is no code.
 */
size_t elf_image_code(const struct elf_image *image, uint64_t end, unsigned char *code, size_t len);

/*
 * The loaded parts of a program file, which decide what it does. Debug information,
 * symbols and the build-id, which change with every comment, are not.
 */

/* A SHA-256 over the sections that are loaded. False where the file has none. */
bool elf_loaded_hash(const struct elf_image *image, char text[SHA256_TEXT_SIZE]);

/* The dynamic linker that the file names; NULL if none. free() it. */
char *elf_interpreter(const struct elf_image *image);

/*
 * Appends the texts that the file has for the dynamic linker under this tag: DT_NEEDED, DT_RPATH or
 * DT_RUNPATH; a line each.
 */
void elf_put_dynamic(const struct elf_image *image, int64_t tag, struct buf *out);

#endif
