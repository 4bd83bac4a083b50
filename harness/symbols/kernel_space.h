/*
 * The kernel of a capture: where its code lay, and the names that hold for it.
 *
 * They are today's kernel's where that is the same build, shifted where the capture is of another
 * boot, which puts code elsewhere (KASLR); else those of the files of the kernel's build.
 */
#ifndef SYMBOLS_KERNEL_SPACE_H
#define SYMBOLS_KERNEL_SPACE_H

#include "symbols/kernel_file.h"
#include "symbols/kernel_names.h"
#include "symbols/module_table.h"
#include "symbols/symbol_map.h"

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

/* Code that came while the kernel ran, such as a BPF program's. */
struct kernel_passing {
	uint64_t start;
	uint64_t end;
	const char *name;
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
	struct kernel_passing *passing; /* by start, not overlapping */
	size_t npassing;
	size_t passing_capacity;
	struct symtab vmlinux;
	uint64_t vmlinux_text;
	struct arena arena;
	struct symtab_entry found; /* the last answer */
};

void kernel_space_init(
	struct kernel_space *space, struct kernel_names *today, struct module_table *notes);
void kernel_space_release(struct kernel_space *space);

/* What the capture says of its kernel. */
void kernel_space_set_release(struct kernel_space *space, const char *release);
void kernel_space_map(struct kernel_space *space, const struct symbol_map *map);
void kernel_space_symbol(
	struct kernel_space *space, uint64_t address, uint64_t size, const char *name, bool gone);

/* Whether it was this kernel's build, as far as was recorded: its vDSO is today's then. */
bool kernel_space_is_todays_build(const struct kernel_space *space);

/*
 * The symbol that covers `address`, as of what was fed so far; NULL if none. The entry is valid
 * until the next call, its name as long as `space` and the kernel's names.
 */
const struct symtab_entry *kernel_space_find(struct kernel_space *space, uint64_t address);

#endif
