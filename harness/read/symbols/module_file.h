/*
 * Finding the file that was mapped: at its path or, where that file is gone or replaced, through a
 * process that still has it, among the copies beside the capture, or in perf's cache of files by
 * build-id. Below a root of another system there are no processes, and no cache of ours.
 */
#ifndef SYMBOLS_MODULE_FILE_H
#define SYMBOLS_MODULE_FILE_H

#include "base/arena.h"
#include "elf/debug_file.h"
#include "elf/elf_image.h"
#include "symbols/module.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

enum module_file {
	MODULE_FILE_SAME,     /* by its build-id or inode, or as nothing contradicts it */
	MODULE_FILE_UNSURE,   /* no build-id was recorded, and the inode is another one */
	MODULE_FILE_GONE,     /* there is none, or it is no program */
	MODULE_FILE_CHANGED,  /* it has another build-id */
	MODULE_FILE_REPLACED, /* it was deleted while it was mapped, and no build-id was recorded */
};

/* Whether the path of a mapping says that its file has been deleted: "... (deleted)". */
bool module_file_is_deleted(const char *path);
/* The length of the path without " (deleted)". */
size_t module_file_path_len(const char *path);

/* Whether a file of this path is a just-in-time compiler's dump (jitdump), by its name. */
bool jit_dump_is_path(const char *path);
/* Whether it is a program that perf inject made of a function in one: jitted-PID-NUMBER.so. */
bool jit_dump_is_program(const char *path);

/*
 * Opens the file of `module`, described by `key`; it may be fetched from `servers`. `image` is open
 * where the result is MODULE_FILE_SAME or MODULE_FILE_UNSURE; module->code and code_seen then say
 * where it was found. An older state of the file's path is in module->seen.
 */
enum module_file module_file_open(struct arena *arena, struct debuginfod *servers,
	struct module *module, const struct module_key *key, struct elf_image *image);
/* The state of the file at `path` below `root`; zeros where there is none. */
struct stat module_file_stat(const char *root, const char *path);

#endif
