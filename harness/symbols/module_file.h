/*
 * Finding the file that was mapped: where its path says, or, where that is gone or another one now,
 * through a process that still has it. Below a root of another system only its path counts.
 */
#ifndef SYMBOLS_MODULE_FILE_H
#define SYMBOLS_MODULE_FILE_H

#include "base/arena.h"
#include "elf/debuginfod.h"
#include "elf/elf_image.h"
#include "symbols/module.h"

enum module_file {
	MODULE_FILE_SAME,     /* by its build-id, or its inode, or nothing speaks against it */
	MODULE_FILE_UNSURE,   /* no build-id was recorded, and the inode is another one */
	MODULE_FILE_GONE,     /* there is none, or it is no program */
	MODULE_FILE_CHANGED,  /* it has another build-id */
	MODULE_FILE_REPLACED, /* it was deleted while it was mapped, and no build-id was recorded */
};

/* Whether the path of a mapping says that its file has been deleted: "... (deleted)". */
bool module_file_is_deleted(const char *path);
/* The length of the path without these words. */
size_t module_file_path_len(const char *path);

/* The state of the file at `path` below `root`; zeros where there is none. */
struct stat module_file_stat(const char *root, const char *path);

/*
 * Opens the file of `module`, described by `key`, which `servers` may be asked for. `image` is open
 * where the result is SAME or UNSURE; module->code and code_seen then say where it was found. An
 * older state of the file's path is in module->seen.
 */
enum module_file module_file_open(struct arena *arena, struct debuginfod *servers,
	struct module *module, const struct module_key *key, struct elf_image *image);

#endif
