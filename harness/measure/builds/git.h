/*
 * Running git, in the repository of a folder.
 */
#ifndef BUILDS_GIT_H
#define BUILDS_GIT_H

#include "base/err.h"
#include "process/process.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * A hook has GIT_DIR, GIT_INDEX_FILE and the like in its environment: they are removed for git,
 * which is to use the repository of the folder that it runs in, and no other.
 */

/* 64 hexadecimal digits (SHA-256) and a terminator. */
#define GIT_COMMIT_SIZE 65

/* Removes those variables from a program: the `env` of a struct child_spec. */
extern const char *const *const git_local_variables;

/*
 * Runs git with `args` (NULL-ended, without "git") in `folder`, NULL: here. No hook is run, the
 * user is not prompted, and no background work is left. As tool_run().
 */
int git_run(
	struct tool_output *output, const char *folder, const char *const *args, struct err *err);

/*
 * The same, but a failure is an error with git's message in `err`. Up to `most_bytes` of its output
 * are kept.
 */
int git_run_up_to(struct tool_output *output, size_t most_bytes, const char *folder,
	const char *const *args, struct err *err);

/* The line it prints, free() it; NULL and git's message in `err` if it fails. */
char *git_line(const char *folder, const char *const *args, struct err *err);
/* Runs git; if it fails, its message is in `err`. */
int git_run_checked(const char *folder, const char *const *args, struct err *err);

/*
 * The next text of a listing with a NUL after each ("-z"), at *at, which goes behind it; NULL at
 * the end.
 */
const char *git_next_text(const char **at, const char *end);

/* The folder of the working tree here, as git names it; free() it. NULL where there is none. */
char *git_top(void);

/* Whether git tracks the file or folder. */
bool git_is_tracked(const char *path);

/* Whether `text` is the full name of a commit: 40 or 64 hexadecimal digits. */
bool git_is_commit(const char *text);

/* Whether `commit` is `of` or one of its ancestors, as far as `folder` has them: 1, 0, -1 on error.
 */
int git_is_ancestor(const char *folder, const char *commit, const char *of, struct err *err);

/* The commit that is checked out in `folder`; "" and no error where there is none. */
void git_head(const char *folder, char commit[GIT_COMMIT_SIZE]);

#endif
