/*
 * Whether two builds are the same program with the same data: by the files that a run executes,
 * each with the hash of its contents, and the files that it may read. The files that it executes
 * are the program and whatever else its command names, the libraries that are loaded with it, the
 * scripts that an interpreter may load, and the files that were sampled. They are kept in
 * profile->files, which gate/same_files.h compares, too.
 */
#ifndef BUILDS_IDENTITY_H
#define BUILDS_IDENTITY_H

#include "base/err.h"
#include "base/sha256.h"
#include "builds/build_side.h"
#include "profile/profile.h"
#include "spec/workload.h"

#include <stdbool.h>

/*
 * Sets profile->files to the files known before the program runs, as they are in `side` (NULL:
 * here), and profile->code to what those execute that a build makes. `program_hash` is the hash of
 * the files that the command names. A file that cannot be read is an error.
 */
int identity_of_command(const struct workload *workload, const struct build_side *side,
	struct profile *profile, char program_hash[SHA256_TEXT_SIZE], struct err *err);

/*
 * The same, with the files of `known`, which are those of `other`: a workload of the same file and
 * build. False, with nothing set, where the two commands name other files.
 */
bool identity_take(const struct workload *workload, const struct workload *other,
	const struct profile *known, struct profile *profile);

/* Adds the files with samples in `profile`, which was taken in `side`. */
void identity_add_sampled(const struct build_side *side, struct profile *profile);

/*
 * Finds a file of the working tree that differs from `commit` or is not in it, and that a run may
 * read: one that is no source, document or setting. 1 and its path, free() it; 0: there is none;
 * -1: not known.
 */
int identity_find_changed_data(const char *commit, char **path);

/*
 * Finds a file that makes the working tree another program than `commit`: a change of a tracked
 * file that is no document, or a new source or file that a run may read. Results as above.
 */
int identity_find_uncommitted(const char *commit, char **path);

/* What is known of two builds of a workload before they run. */
enum identity {
	IDENTITY_OTHER,   /* they execute different files, or it is not known */
	IDENTITY_BY_RUNS, /* the program is the same; files differ that its runs may or may not use
			   */
	IDENTITY_SAME,    /* they execute and read the same: measuring is not needed */
};

/*
 * Compares profile->files of both, where a program of the same digest (profile->code) is the same;
 * and then all files below the folders of both that could be loaded or read in other ways. A
 * command that is not compiled, or may start others (make, a script), is only the same where the
 * whole checkout is. `workload` is the candidate's. With IDENTITY_BY_RUNS `changed_data` is the
 * path of a file that a run may read, free() it, where there is one; else NULL.
 */
enum identity identity_of_builds(const struct workload *workload, const struct build_side *base,
	const struct profile *before, const struct profile *after, char **changed_data);

/* Whether the working tree is exactly that commit, but for our own output. */
bool identity_is_checked_out(const char *commit);

/*
 * Whether a run of the workload would be the same as earlier runs of a clean `commit`. `now` has
 * the files that the run is about to execute, from identity_of_command(); `before` those of the
 * earlier runs, maybe on another machine, with libraries and whatever else had samples. True if
 * they are the same, and no file that a run may read differs from `commit` or, where that is not in
 * this clone, from the data of this digest (data_digest_of(); "": not known).
 */
bool identity_is_unchanged(const struct workload *workload, const struct profile *before,
	const char *commit, const char *data_digest, const struct profile *now);

/*
 * The hash of the names and contents of the tracked files of `commit` that a run may read; by it,
 * data can be compared with that of a commit that is not in this clone. Baselines, which are
 * committed after their runs, are left out. False, and "", where git cannot tell.
 */
bool data_digest_of(const char *commit, char digest[SHA256_TEXT_SIZE]);

/*
 * Whether no file that a run may read differs from `commit` or, where that is not in this clone,
 * from data of this digest ("": not known).
 */
bool identity_has_data_of(const char *commit, const char *data_digest);

#endif
