/*
 * An ELF file opened for its symbols: the file that was mapped, the file of its debug information,
 * or the vDSO in our own memory.
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
/* Whether they are equal; two that are not known are. */
/* In hexadecimal digits; "" where it is not known. */
void build_id_text(const struct build_id *id, char text[BUILD_ID_TEXT_SIZE]);
bool build_id_equal(const struct build_id *a, const struct build_id *b);

/* The allowance for unpacking a file of so many bytes. */
struct allowance elf_image_unpacking(uint64_t file_bytes);
/* False where the file cannot be read or is no ELF file; then nothing needs closing. */
bool elf_image_open(struct elf_image *image, const char *path);
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
 * Adds the symbols of .symtab (SHT_SYMTAB) or .dynsym (SHT_DYNSYM) to `tab`, at their offsets in
 * the file that is mapped, `runtime`. Returns how many.
 */
size_t elf_image_symbols(const struct elf_image *image, const struct elf_image *runtime,
	uint32_t type, struct symtab *tab);

/*
 * Adds to `tab`, which is finished, the hidden labels of assembler code in `image` that have no
 * size and that no symbol of `tab` covers, at their offsets in `runtime`. Each reaches to the next
 * symbol of `tab`, or to the end of its section. symtab_index() must follow. perf leaves them out;
 * but hand-written loops, such as zstd's, often have no other name.
 */
void elf_image_labels(
	const struct elf_image *image, const struct elf_image *runtime, struct symtab *tab);

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

/*
 * The symbols of an ELF file's table, one by one, as the file has them.
 */

struct elf_symbols {
	const struct elf_image *image; /* borrowed */
	Elf_Data *data;                /* NULL: there is no table */
	size_t count;
	size_t next;
	struct elf_names names;
	bool wide; /* as GElf_Sym is: a file of 64 bits */
};

/*
 * Begins with .symtab (SHT_SYMTAB) or .dynsym (SHT_DYNSYM). Where there is none, or a debug file
 * left its bytes out, there are no symbols.
 */
void elf_symbols_begin(struct elf_symbols *symbols, const struct elf_image *image, uint32_t type);
/* The next one; false behind the last. */
bool elf_symbols_next(struct elf_symbols *symbols, GElf_Sym *sym);

/*
 * Its name in the file, as long as that is open; NULL if there is none. Names can be the ends of
 * one another: where they are many times as long as their table, the rest of the symbols has none.
 */
const char *elf_symbols_name(struct elf_symbols *symbols, const GElf_Sym *sym);
enum symbol_binding elf_symbol_binding(const GElf_Sym *sym);

/*
 * ELF files that are stored compressed: as a whole (.ko.xz, .debug.gz), within another one
 * (.gnu_debugdata), or section by section.
 *
 * The size of the result is limited to a multiple of the file's size, whatever it claims:
 * elf_image's `unpacking`, for all that is unpacked of it.
 */

/* As elf_image_open(), for files that may be compressed by gzip, xz or zstd too. */
bool elf_packed_open(struct elf_image *image, const char *path);

/*
 * Opens the small symbol table that distributions leave in stripped programs: an ELF file,
 * compressed by xz, in the section .gnu_debugdata. Source: GDB manual, "MiniDebugInfo".
 */
bool elf_packed_open_mini(struct elf_image *mini, struct elf_image *image);

/*
 * Makes sections that are compressed by zstd plain ones, in memory, since libdw reads those by zlib
 * only (which it does by itself). Nothing happens where there are none. False where one cannot be
 * unpacked: then all stay as they are.
 */
bool elf_packed_expand(struct elf_image *image);

/*
 * How much a stream of xz becomes, by the heads of its pieces: without unpacking it, and without
 * believing the index at its end, which the library compares only once all is unpacked.
 */

/* Whether these bytes begin with a stream of xz, which becomes *size bytes. */
bool xz_size(const unsigned char *bytes, size_t len, uint64_t *size);

#endif
