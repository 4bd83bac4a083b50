/*
 * Whether a file outside of both builds was made by one of them, not installed as a tool is.
 */
#ifndef BUILDS_BUILD_PRODUCT_H
#define BUILDS_BUILD_PRODUCT_H

#include "base/arena.h"
#include "builds/path_map.h"
#include "process/file_watch.h"
#include "spec/workload.h"

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/* The steps of a gate that make files. */
enum build_step {
	BUILD_STEP_BUILD,
	BUILD_STEP_SETUP,
	BUILD_STEP_RUN, /* a run whose files are watched */
};

/* When a step ran, by the clock of files' times. */
struct build_time {
	struct timespec from;
	struct timespec to;
	enum build_step step;
};

/* All steps so far. All zeros: none. */
struct build_times {
	struct build_time *times; /* to be freed */
	size_t count;
	size_t capacity;
};

/* Adds a step that ran before, by the clock of files. */
void build_times_add(struct build_times *times, const struct timespec *from,
	const struct timespec *to, enum build_step step);
void build_times_begin(struct build_times *times, enum build_step step);
/* Ends the step that was begun last. */
void build_times_end(struct build_times *times);

/* The source files below the folders of both builds. All zeros: not looked for yet. */
struct product_sources {
	const char **paths; /* the arena's */
	size_t count;
	size_t capacity;
	bool known;
	struct arena arena;
};

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

/*
 * A sentence that says by which evidence the file is one of the builds'; NULL where there is none.
 * The sentence is constant. `file` is taken for a script if it was only read. `texts` has the
 * folders of both builds.
 */
const char *installed_files_evidence(
	struct installed_files *files, const struct tree_text *texts, const struct run_file *file);
void installed_files_release(struct installed_files *files);

/* The files of both builds, looked for if need be. All zeros: not yet. */
struct build_contents {
	struct product_sources sources;
	struct installed_files files;
};

void build_contents_release(struct build_contents *contents);

/*
 * A sentence that says by which evidence a build made the file, which both sides used; NULL where
 * there is none: a compiler, an interpreter and its libraries are shared by intent. Of files that
 * are only read, only scripts can be a build's. The sentence is constant. `texts` has the folders
 * of both builds; `workload` is the candidate's.
 */
const char *build_product_evidence(const struct tree_text *texts, const struct workload *workload,
	const struct build_times *times, struct build_contents *contents,
	const struct run_file *file);

/* Whether the file is in a folder that programs are installed in: "/usr", "/opt", "~/.cargo". */
bool build_product_is_system(const char *path);
/* Whether the file is in such a folder in which only package managers install. */
bool build_product_is_packaged(const char *path);

/*
 * Whether the file at `path`, of some MB at most, contains the path `text`: one that ends there or
 * goes on below it.
 */
bool file_origin_mentions(const char *path, const char *text);

#endif
