/*
 * The files that both sides ran, compared by the lists in profile->files: whether they are the same
 * program, which functions are in files that are the same, and whether a script differs.
 *
 * A difference between runs of the same program is caused by the machine, whatever its size.
 */
#ifndef GATE_SAME_FILES_H
#define GATE_SAME_FILES_H

#include "compare/causes.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

enum same_program {
	PROGRAM_UNKNOWN,
	PROGRAM_SAME,    /* all files that ran are the same */
	PROGRAM_DIFFERS, /* a file is not */
};

/*
 * A file that was built again is the same where profile->code says so on both sides. A file that
 * only one side has differs, but for one that is known from samples alone and has less
 * than a hundredth of the cost: it may have been there without a sample.
 */
enum same_program same_program(const struct profile *before, const struct profile *after);

/*
 * The code of functions in files that both sides have and that are the same is the same; nothing is
 * known of others. By frame of `profile`, which has the frames of both; by_frame is to be freed.
 */
struct code_states same_files_code(
	const struct profile *before, const struct profile *after, const struct profile *profile);

/*
 * The name of the file that a function of `profile` is in, where both sides have the same; of `len`
 * bytes, in the text of `after`. NULL: they do not, or it is not known.
 */
const char *same_file_of(const struct profile *before, const struct profile *after,
	const struct profile *profile, frame_id frame, size_t *len);

/*
 * Whether a file differs that no function of `profile` is in: a script, say, whose change no
 * machine code shows.
 */
bool other_file_differs(
	const struct profile *before, const struct profile *after, const struct profile *profile);

#endif
