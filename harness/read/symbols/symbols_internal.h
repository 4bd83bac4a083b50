/*
 * The parts of the symbolizer, for symbolizer.c. This header declares, in this order:
 *
 *     names of the running kernel  kernel_names.c
 *     names of a kernel's files    kernel_files.c
 *     kernel of a capture          kernel_space.c
 *     code made at run time        jit_names.c
 *     jitdump                      jit_dump.c
 *     perf map                     jit_map.c
 */
#ifndef SYMBOLS_SYMBOLS_INTERNAL_H
#define SYMBOLS_SYMBOLS_INTERNAL_H

#include "base/buf.h"
#include "base/map.h"
#include "base/range_map.h"
#include "elf/elf_image.h"
#include "elf/symtab.h"
#include "symbols/module.h"
#include "symbols/module_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Names of the running kernel, from /proc/kallsyms.
 */

/* All zeros: nothing is known. */
struct kernel_names {
	struct symtab tab; /* of /proc/kallsyms, once it has been read */
	struct buf lines;  /* where `tab` has its names */
	bool loaded;       /* kernel_names_load() was called */
	bool readable;     /* names with addresses were there */
	uint64_t text;     /* the address of _text, which moves at each boot */
	char release[128]; /* as uname -r */
	struct build_id build_id;
};

void kernel_names_release(struct kernel_names *kernel);

/* Reads a table in the format of /proc/kallsyms. */
void kernel_names_parse(struct kernel_names *kernel, const char *text, size_t len);
/*
 * Reads /proc/kallsyms, which takes the kernel some 35 ms to write; `readable` says whether it has
 * addresses. Later calls do nothing.
 */
void kernel_names_load(struct kernel_names *kernel);
/* Reads the running kernel's release and build-id, which is fast. */
void kernel_names_identify(struct kernel_names *kernel);

/*
 * Names of a kernel's files, vmlinux and its modules, for captures of a kernel that is not running.
 * Only files of exactly that build are used.
 */

struct kernel_build {
	const char *root;  /* where /lib/modules and the like lie: "" but in tests */
	char release[128]; /* as uname -r; "" if not known */
	struct build_id build_id;
};

/*
 * Fills `tab` with the symbols of the build's vmlinux, by the addresses it was linked for; *text is
 * that of _text. False where no vmlinux of this build-id is found.
 */
bool kernel_file_vmlinux(const struct kernel_build *build, struct symtab *tab, uint64_t *text);

/*
 * Fills `tab` with the functions of a module, by their offsets from where it was loaded. `name` is
 * as the capture has it, "[ext4]" or the path of ext4.ko; the build-id is the module's. False where
 * no such file is found.
 */
bool kernel_file_module(const struct kernel_build *build, const char *name,
	const struct build_id *build_id, struct symtab *tab);

/*
 * Writes "[ext4]" for "[ext4]" and for ".../ext4.ko.xz"; modules are known by '_' where their files
 * may have '-'. False where it is no module's name, or too long.
 */
bool kernel_file_module_name(const char *path, char *name, size_t size);

/*
 * Kernel of a capture: the addresses of its code, and its names.
 *
 * The names are those of today's (the running) kernel where it is the same build, shifted where the
 * capture is of another boot (KASLR); else those of the files of the capture's build.
 */

enum kernel_state {
	KERNEL_UNDECIDED,
	KERNEL_TODAYS,  /* its addresses are today's */
	KERNEL_SHIFTED, /* today's build, of another boot */
	KERNEL_OTHERS,  /* another build, whose vmlinux is there */
	KERNEL_UNKNOWN, /* there are no names for it */
};

/* A module of the kernel's, as the capture found it. */
struct kernel_module {
	char name[64]; /* "[ext4]" */
	const char *path;
	uint64_t start;
	uint64_t end;
	struct build_id build_id; /* its own; not known: it may be the kernel's */
	bool loaded;              /* `today` and `tab` are made */
	uint64_t today;           /* where it is now; 0 if it is not there */
	struct symtab tab;        /* from its file, by offset from its start */
};

struct kernel_space {
	struct kernel_names *today; /* borrowed, as is `notes` */
	struct module_table *notes;
	enum kernel_state state;
	struct kernel_build build;
	uint64_t text; /* the address of _text; 0 if not known */
	struct kernel_module *modules;
	size_t nmodules;
	size_t modules_capacity;
	struct range_pool pool;
	struct range_map modules_at; /* numbers: indexes of modules */
	/* Code that was loaded while the kernel ran, such as BPF programs'; items: its names. */
	struct range_map passing;
	bool todays_read; /* the next two are made: modules as they are loaded now */
	struct strtab todays_modules;
	uint64_t *todays_addresses; /* by str_id */
	size_t todays_capacity;
	struct symtab vmlinux;
	uint64_t vmlinux_text;
	struct arena arena;
	struct symtab_entry found; /* the last result */
};

void kernel_space_init(
	struct kernel_space *space, struct kernel_names *today, struct module_table *notes);
void kernel_space_release(struct kernel_space *space);

/* The kernel of the capture. */
void kernel_space_set_release(struct kernel_space *space, const char *release);
void kernel_space_map(struct kernel_space *space, const struct symbol_map *map);
void kernel_space_symbol(
	struct kernel_space *space, uint64_t address, uint64_t size, const char *name, bool gone);

/* Whether it is today's kernel's build, as far as was recorded: then its vDSO is today's. */
bool kernel_space_is_todays_build(const struct kernel_space *space);

/*
 * The symbol that covers `address`, as of the records fed so far; NULL if none. The entry is valid
 * until the next call, its name as long as `space` and the kernel's names.
 */
struct symtab_entry *kernel_space_find(struct kernel_space *space, uint64_t address);

/*
 * Code made at run time: the names that just-in-time compilers gave it in a process, by its
 * /tmp/perf-PID.map and the jitdump that it mapped.
 */

/*
 * Reads the map of `pid`: its copy beside the capture in the folder `beside` (NULL: none), where
 * there is one (elf/program_copies.h); while the process lives, the file that it sees, under the
 * pid of its own namespace (both differ in a container); else /tmp/perf-PID.map. A file that
 * neither root nor we nor the user of the living process owns is not trusted, and left out. Below a
 * `root` other than
 * "" there are no living processes.
 */
void jit_names_load_map(struct symtab *tab, const char *root, const char *beside, uint32_t pid);

/* The names of processes, each read on first use. All zeros: none. */
struct jit_names {
	struct key_map pids;
	struct jit_process *processes; /* by number of the pid */
	size_t capacity;
	struct module_table *modules; /* has the root, and takes notes; borrowed */
};

/*
 * The table of `pid`, empty where it has no names; valid until the next call, the names in it as
 * long as `names`. `dump` is the path of the jitdump that the process mapped (borrowed; NULL:
 * none).
 */
struct symtab *jit_names_of(struct jit_names *names, uint32_t pid, const char *dump);
void jit_names_release(struct jit_names *names);

/*
 * Jitdump: a file jit-PID.dump has the code that a just-in-time compiler made, with names and
 * times. The compiler maps the file as if it were to be executed, so that a capture tells where it
 * is.
 *
 * Source: tools/perf/Documentation/jitdump-specification.txt.
 */

/*
 * Adds the functions of the dump, where they were put and where they were moved to, up to the end
 * or the first record that is not whole: the compiler may still write. As in a map, the last one
 * about an address holds. False if it is no dump, or one of another byte order.
 */
bool jit_dump_parse(struct symtab *tab, const char *bytes, size_t len);

/*
 * Perf map: the text /tmp/perf-PID.map has the names that a just-in-time compiler gives its code.
 *
 * Source: tools/perf/Documentation/jit-interface.txt.
 */

/*
 * Adds the lines "START SIZE NAME" (hexadecimal) of `text`; other lines are ignored. Compilers
 * write a line when they put code somewhere and none when they drop it, so that the last line about
 * an address holds, also over what the table had before.
 */
void jit_map_parse(struct symtab *tab, const char *text, size_t len);

/* For a name: each address in the code has it, and names of programs are cut at some length, too.
 */
#define JIT_NAME_BYTES_MAX ((size_t)8192)

/* Cuts the entries into disjoint pieces: each address goes to the one that was added last. */
void jit_pieces_cut(struct symtab *tab);

#endif
