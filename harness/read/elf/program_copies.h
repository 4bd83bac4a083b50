/*
 * Copies of the programs that a capture ran, beside its perf.data file: for those whose file is
 * gone or another one when the capture ends. A temporary build, `go run` and a container leave
 * nothing else to unwind and name their samples by.
 *
 * They are in the folder "programs" beside the perf.data file, each under its build-id or, where it
 * has none, under its inode and path as the capture recorded them. A copy has the file's offsets,
 * and of its sections those that unwinding and names need: the others are holes. A file of the
 * names of a JIT's code is there too, as "perf-PID.map", where the process had another pid or
 * another root for itself.
 */
#ifndef ELF_PROGRAM_COPIES_H
#define ELF_PROGRAM_COPIES_H

#include "base/allowance.h"
#include "base/err.h"
#include "elf/elf_image.h"

#include <stdbool.h>
#include <stdint.h>

#define PROGRAM_COPIES "programs"

/*
 * Where the copy of the program that was mapped from `path` (without " (deleted)") is, beside the
 * capture in `dir`; free() it. NULL where nothing identifies it.
 */
char *program_copies_path(
	const char *dir, const struct build_id *build_id, const char *path, uint64_t inode);

/* The path of the names of JIT code of process `pid`, as the capture numbers it; free() it. */
char *program_copies_jit_map(const char *dir, uint32_t pid);

/* The file that says why others could not be copied: a line "PATH TAB REASON" each; free() it. */
char *program_copies_problems(const char *dir);
/* The reason for `path` in there; free() it. NULL where there is none. */
char *program_copies_problem(const char *dir, const char *path);

/* The bytes on disk of all copies beside the capture in `dir`. */
uint64_t program_copies_bytes(const char *dir);
/* Removes them, and their folder if nothing else is in it. */
void program_copies_remove(const char *dir);

/*
 * Copies `image`, which was opened from a file, to `path`. Its size is taken from `allowance`;
 * debug information is left out where it is not allowed, and a file that is too large without it is
 * an error.
 */
int program_copies_write(const struct elf_image *image, const char *path,
	struct allowance *allowance, struct err *err);
/* Copies an ordinary file of any kind, whole. */
int program_copies_write_whole(
	int fd, const char *path, struct allowance *allowance, struct err *err);

/*
 * Opens a file of this build that is kept by build-id: beside the capture in `dir` (NULL: none), as
 * `perf archive` unpacks it there, or in perf's own cache below `home` (NULL: none). *path is
 * where it was found; free() it.
 */
bool program_copies_open(struct elf_image *image, const char *dir, const char *home,
	const struct build_id *build_id, char **path);

#endif
