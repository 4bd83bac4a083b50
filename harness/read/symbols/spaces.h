/*
 * Address spaces: what each process has mapped, by its records.
 */
#ifndef SYMBOLS_SPACES_H
#define SYMBOLS_SPACES_H

#include "base/map.h"
#include "base/range_map.h"
#include "symbols/module.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mapping_kind {
	MAPPING_FILE,
	MAPPING_VDSO,
	MAPPING_ANONYMOUS, /* memory without a file, perhaps a JIT's */
	MAPPING_JIT_DUMP,  /* a JIT's report, mapped to say where it is */
	MAPPING_OTHER,     /* "[stack]", "[vsyscall]": no names */
};

/* By the path of a record; "" is memory without a file. */
enum mapping_kind mapping_kind_of(const char *path);

/* A mapped file; shared by every copy of the mapping. The symbolizer's. */
struct mapped_file {
	uint32_t number;       /* from 1 */
	struct module_key key; /* by the process that mapped it first */
	enum mapping_kind kind;
	bool data;             /* not to be executed */
	struct module *module; /* loaded on first use */
	bool own_names_known;  /* the next one is */
	bool own_names;        /* symbolizer_has_own_names() */
};

/* A part of memory as it is mapped. */
struct mapping {
	uint64_t start;
	uint64_t end; /* behind the last byte */
	uint64_t file_offset;
	struct mapped_file *file;
	bool stale; /* of the program before exec */
};

struct space {
	uint32_t pid;
	uint32_t id;          /* equal ids: equal maps and names; a new one with every change */
	const char *jit_dump; /* the path of the last one that was mapped; NULL: none */
	const struct mapped_file *program; /* what was mapped first since exec; NULL: nothing */
	struct range_map maps;             /* of mapped_file */
	struct range_map
		before; /* likewise: of the program before exec, where there is nothing else */
};

/* All zeros: no spaces. */
struct spaces {
	struct space *spaces;
	size_t capacity;
	struct key_map by_pid; /* index of spaces */
	struct range_pool pool;
	uint32_t last_id;
};

void spaces_release(struct spaces *spaces);

/* The space of `pid`; NULL if nothing is known of it. Valid until the next change. */
struct space *spaces_find(const struct spaces *spaces, uint32_t pid);
/*
 * Maps over whatever was there, but for memory without a file over a file's code: programs copy
 * their own code to large pages in its place, and it stays that file's. Nothing is recorded when a
 * library is unmapped, so that a JIT's code may come to lie where one was: a library keeps only
 * what is replaced as a whole, or in large pages.
 */
void spaces_map(struct spaces *spaces, uint32_t pid, const struct mapping *mapping);
void spaces_fork(struct spaces *spaces, uint32_t pid, uint32_t parent_pid);
/*
 * The process becomes another program. Its maps give way to those that follow, but stay until then:
 * while it is still inside of exec, its user stack is that of the program before.
 */
void spaces_exec(struct spaces *spaces, uint32_t pid);

/*
 * A copy of the space of `pid`, which must be known, that later changes do not change. It takes no
 * time, and is valid as long as `spaces`.
 */
struct space spaces_keep(struct spaces *spaces, uint32_t pid);

/* Finds the mapping that holds `address`; false if there is none. */
bool space_mapping(const struct space *space, uint64_t address, struct mapping *mapping);
/* The first mapping behind `address` that is not stale. */
bool space_next(const struct space *space, uint64_t address, struct mapping *mapping);
/* A range of a space's maps as a mapping that is not stale. */
struct mapping mapping_of_range(const struct range *range);

#endif
