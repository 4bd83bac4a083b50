/*
 * The kernel of a capture: the addresses of its code, and its names.
 *
 * The names are those of today's (the running) kernel where it is the same build, shifted where the
 * capture is of another boot (KASLR); else those of the files of the capture's build.
 */
#ifndef SYMBOLS_KERNEL_SPACE_H
#define SYMBOLS_KERNEL_SPACE_H

#include "base/buf.h"
#include "base/range_map.h"
#include "elf/elf_image.h"
#include "symbols/module.h"
#include "symbols/symbol_map.h"

/* The running kernel's names, from /proc/kallsyms (kernel_names.c). All zeros: nothing is known. */
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
/* Reads the running kernel's release and build-id, which is fast. */
void kernel_names_identify(struct kernel_names *kernel);
/*
 * Reads /proc/kallsyms, which takes the kernel some 35 ms to write; `readable` says whether it has
 * addresses. Later calls do nothing.
 */
void kernel_names_load(struct kernel_names *kernel);

/*
 * Names out of a kernel's files, vmlinux and its modules, for captures of a kernel that is not
 * running. Only files of exactly that build are used (kernel_names.c).
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

#endif
