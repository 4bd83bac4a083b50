/*
 * Symbolizes: finds the names of the functions at an address in a process at a moment.
 *
 * A symbol_cache holds what is the same for all captures: ELF modules with their symbol tables, and
 * the kernel's names. A symbolizer holds one capture's address spaces, fed with its mmap, fork, and
 * exec records in order of time; the last samples of a process can come after its exit. While one
 * thread symbolizes in copies of these spaces, another may feed it records of user space, and look
 * up mappings; all else is for one thread at a time.
 */
#ifndef SYMBOLS_SYMBOLIZER_H
#define SYMBOLS_SYMBOLIZER_H

#include "base/err.h"
#include "symbols/module.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct build_id;
struct symbol_cache;
struct symbolizer;

struct symbol_cache *symbol_cache_new(void);
void symbol_cache_free(struct symbol_cache *cache);

struct symbolizer *symbolizer_new(struct symbol_cache *cache);
void symbolizer_free(struct symbolizer *symbolizer);

void symbolizer_map(struct symbolizer *symbolizer, const struct symbol_map *map);
/* The child starts with its parent's maps. Threads (pid == parent) change nothing. */
void symbolizer_fork(struct symbolizer *symbolizer, uint32_t pid, uint32_t parent_pid);
void symbolizer_exec(struct symbolizer *symbolizer, uint32_t pid);

/*
 * Says which kernel the capture ran under (uname -r). Kernel and vDSO names are today's kernel's.
 * For another kernel, names are those of its vmlinux and modules, found by build-id; a note says so
 * where there are none.
 */
void symbolizer_set_os_release(struct symbolizer *symbolizer, const char *release);

/*
 * Says that the capture is the file at `path` (NULL: a pipe): copies of what it ran may be beside
 * it (elf/program_copies.h).
 */
void symbolizer_set_capture(struct symbolizer *symbolizer, const char *path);

struct space;
struct mapping;

/*
 * A range of memory, and the owner of its code. Equal owners and offsets have equal names in all
 * processes: results kept by them are looked up once for all processes of a program.
 */
struct symbol_range {
	uint64_t start;
	uint64_t end;    /* behind the last byte */
	uint64_t offset; /* of the first byte in what owns it */
	uint32_t owner;  /* a file, or the address space as of now; 0: nothing is mapped */
};

/* In an owner: it is a file, and offsets are in that. */
#define SYMBOL_OWNER_FILE 1U

/* The range around `address`; `space` as for symbolizer_resolve(). */
struct symbol_range symbolizer_range(
	struct symbolizer *symbolizer, const struct space *space, uint64_t address);
struct mapped_file;

/*
 * Whether a file has its own names, wherever it is mapped; its module is loaded. Other memory
 * has the names that a process reports for its addresses (a JIT's).
 */
bool symbolizer_has_own_names(struct symbolizer *symbolizer, struct mapped_file *file);
/* The range of a mapping, whose file has `own_names` or has not. */
struct symbol_range symbolizer_range_of(
	const struct space *space, const struct mapping *mapping, bool own_names);

enum symbol_source {
	SYMBOL_NONE, /* no name: module only, or nothing at all */
	SYMBOL_ELF,
	SYMBOL_DWARF,
	SYMBOL_KERNEL,
	SYMBOL_JIT,
};

struct symbol {
	const char *name;   /* NULL if not known; the cache's */
	const char *module; /* path as mapped, "[kernel.kallsyms]", "[vdso]"; NULL if not mapped */
	const struct build_id *build_id; /* the module's; NULL if it is no file */
	uint64_t offset;                 /* of the address in the function */
	enum symbol_source source;
	bool label;       /* an assembler's label inside of a function rather than a function */
	bool same_before; /* so has the byte before the address, in a file with its own names */
};

/*
 * The name at `address` of `space`: of symbolizer_maps(), or a copy of one of these, for an earlier
 * state (NULL: nothing is known of it). `kernel` says that the address is the kernel's, as of the
 * records fed so far. Two binary searches; callers with many samples keep the results by
 * symbolizer_range().
 */
void symbolizer_resolve(struct symbolizer *symbolizer, const struct space *space, uint64_t address,
	bool kernel, struct symbol *symbol);

/* Inlined functions; initially off. */
void symbolizer_set_inlining(struct symbolizer *symbolizer, bool on);

/* One function at an address: the one that has the code, or one that was inlined into it. */
struct symbol_frame {
	const char *name; /* as struct symbol has it; NULL if not known */
	const char *file; /* source file that declares it; NULL if not known; the cache's */
	uint32_t line;    /* of the declaration; 0 if not known */
	uint32_t at_line; /* in it: of this address, or of the call that was inlined; 0 if not known
			   */
	bool inlined;
};

/* More levels than this are cut off, the innermost first. */
#define SYMBOL_FRAMES_MAX 32

/*
 * The functions at `address`, innermost first: what was inlined there and, last, the function whose
 * code it is. At least 1. `symbol` is filled in as by symbolizer_resolve(), and
 * frames[count - 1].name is its name.
 *
 * An address that is not `exact` is read as a return address: it belongs to the function that holds
 * the call. After a call that never returns another function can start there. Where the two differ,
 * the code before the address decides: the call's function is chosen only if a call really ends
 * there, since a word from a damaged chain of frame pointers is no return address. The kernel's
 * unwinder yields no such words, so the code is not checked for its addresses.
 */
size_t symbolizer_frames(struct symbolizer *symbolizer, const struct space *space, uint64_t address,
	bool kernel, bool exact, struct symbol *symbol,
	struct symbol_frame frames[SYMBOL_FRAMES_MAX]);

/* A kernel function that came or went while it was captured (PERF_RECORD_KSYMBOL), as BPF's do. */
void symbolizer_kernel_symbol(struct symbolizer *symbolizer, uint64_t address, uint64_t size,
	const char *name, bool gone);

struct module;
struct elf_image;

/* The mappings of `pid` now, NULL if it is not known; valid until the next record is fed. */
const struct space *symbolizer_maps(const struct symbolizer *symbolizer, uint32_t pid);
/* Keeps the present mappings of a known `pid` as long as the symbolizer lives: spaces_keep(). */
struct space symbolizer_keep_maps(struct symbolizer *symbolizer, uint32_t pid);
/* The module of a file that was mapped, loaded at the first call; NULL for what is no file. */
const struct module *symbolizer_module(struct symbolizer *symbolizer, struct mapped_file *file);
/*
 * Opens the program file that was mapped, or the vDSO, for its code and unwind rows, and its debug
 * file (debug->elf is NULL where there is none). False where it is not there any more or is another
 * one: then neither is open.
 */
bool symbolizer_open_image(struct symbolizer *symbolizer, struct mapped_file *file,
	struct elf_image *image, struct elf_image *debug);

/* Fetches missing debug files from debuginfod servers ($DEBUGINFOD_URLS); initially off. */
void symbol_cache_set_debuginfod(struct symbol_cache *cache, bool on);

/*
 * Looks for all files, the kernel's too, below the folder `root`, as those of another system. Call
 * it before the first look-up.
 */
void symbol_cache_set_root(struct symbol_cache *cache, const char *root);

struct buf;

/* Appends the files of the capture read last that could not be read: module_table_put_missing(). */
void symbol_cache_put_missing(const struct symbol_cache *cache, struct buf *out);

/* The files that could not be used and why, one line each ("libfoo.so: changed since the capture").
 */
size_t symbol_cache_nnotes(struct symbol_cache *cache);
const char *symbol_cache_note(const struct symbol_cache *cache, size_t note);

#endif
