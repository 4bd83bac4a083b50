/*
 * The files that a run of one build used, compared with those of another build of the program: the
 * same, with other contents, or missing there.
 */
#ifndef BUILDS_USED_FILES_H
#define BUILDS_USED_FILES_H

#include "builds/build_side.h"
#include "process/file_watch.h"
#include "spec/workload.h"

#include <stdbool.h>

/*
 * Whether each file that a run of either build executed, mapped or read below its folder has in the
 * other build the same contents, or is a program of the same digest (code/program_digest.h). Files
 * that were only written are output; what `inputs` lists is shared, and so is what is outside both
 * folders. False where one of the runs was not watched, or a file cannot be read.
 */
bool used_files_agree(const struct build_side *base, const struct workload *here,
	const struct run_files *candidate, const struct run_files *other);

/*
 * Data that the two builds of a workload read and that differ: a run that costs more may do more.
 */

/*
 * The first file among those that the candidate's run `used` that was read, and neither executed,
 * mapped nor written, and that has other contents in the build `side`, or does not exist there:
 * "data/a.bin (1,000 B before, 2,000 B now)"; free() it. NULL: none is known to differ. Scripts of
 * the workload's interpreter are code, not data; files that `inputs` lists are shared.
 */
char *changed_input_find(
	const struct build_side *side, const struct workload *here, const struct run_files *used);

/*
 * Files that the working tree's build of a workload reads, and that another build lacks: its runs
 * would be of other work.
 */

struct run_files;

enum missing_state {
	MISSING_IGNORED,   /* git ignores it: it is in no commit */
	MISSING_UNTRACKED, /* it has not been added to git */
	MISSING_NEW,       /* it is under version control here, and not in the commit */
	MISSING_POINTER,   /* the other build has only the pointer of git-lfs */
};

struct missing_input {
	char *path; /* from the folder that profile_run was started in; NULL: nothing is missing */
	enum missing_state state;
};

/*
 * Finds the first file or folder that `here` names in its command, or as its standard input, and
 * that the build `side`, in which it is run as `there`, lacks. Both are built and set up. A word
 * after an option for output is not taken for an input.
 */
void missing_input_find(struct missing_input *missing, const struct build_side *side,
	const struct workload *here, const struct workload *there);
/*
 * Finds the first file among those that a run of the working tree's build `used` that was only
 * read, and that `side` lacks also after a run: one that is in no commit, or one that git-lfs
 * keeps.
 */
void missing_input_find_used(struct missing_input *missing, const struct build_side *side,
	const struct workload *here, const struct run_files *used);
void missing_input_release(struct missing_input *missing);

/* Appends what is missing, and what to do: "it lacks 'data/a.bin', which git ignores: ...". */
void missing_input_describe(
	const struct missing_input *missing, const struct workload *here, struct buf *out);

#endif
