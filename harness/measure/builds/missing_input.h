/*
 * Files that the working tree's build of a workload reads, and that another build lacks: its runs
 * would be of other work.
 */
#ifndef BUILDS_MISSING_INPUT_H
#define BUILDS_MISSING_INPUT_H

#include "base/buf.h"
#include "builds/build_side.h"
#include "process/run_files.h"
#include "spec/workload.h"

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
