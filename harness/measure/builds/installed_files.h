/*
 * Whether a program or script outside of both builds is one that they make, installed there by hand
 * or by an earlier gate: one of this name or with this build-id is among their files, a Cargo.toml
 * names it, or a script is a copy of theirs. A program that was stripped, or is written in Rust or
 * for an interpreter, shows nothing else of where it is from.
 */
#ifndef BUILDS_INSTALLED_FILES_H
#define BUILDS_INSTALLED_FILES_H

#include "base/arena.h"
#include "builds/tree_text.h"
#include "process/run_files.h"

#include <stdbool.h>
#include <stddef.h>

struct installed_paths {
	const char **paths; /* the arena's */
	size_t count;
	size_t capacity;
};

/* Files below the folders of both builds. All zeros: not looked for yet. */
struct installed_files {
	struct installed_paths programs; /* ELF files that may be executed */
	struct installed_paths scripts;  /* other files, except those of third-party packages */
	struct installed_paths cargo;    /* Cargo.toml */
	bool known;
	struct arena arena;
};

void installed_files_release(struct installed_files *files);

/*
 * A sentence that says by which evidence the file is one of the builds'; NULL where there is none.
 * The sentence is constant. `file` is taken for a script if it was only read. `texts` has the
 * folders of both builds.
 */
const char *installed_evidence(
	struct installed_files *files, const struct tree_text *texts, const struct run_file *file);

#endif
