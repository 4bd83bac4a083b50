/*
 * Whether a counted run uses the files of a timed one. A counted run lacks variables by which
 * programs find code (LD_LIBRARY_PATH, LD_PRELOAD, the folders of plugins): the command is run
 * without valgrind in both environments, and then with single variables.
 */
#include "base/log.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "capture/backend.h"
#include "capture/capture_internal.h"
#include "capture/surroundings.h"
#include "process/file_watch.h"
#include "process/process.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* So many variables are named in the error. */
#define NAMED_MAX 8
/* A watched call that opens a file takes several times as long. */
#define TIMEOUT_FACTOR 4

/*
 * capture_watch_files() with another environment of the command; NULL: the request's, added to our
 * own.
 */
static int
watch_files_with(const struct capture_request *request, const char *const *whole_env,
	struct run_files *files, struct err *err)
{
	struct capture_request watched = *request;
	struct companions companions = {.service = NULL};
	struct capture_result result = {.kept = false};

	*files = (struct run_files){0};
	if (signals_check(err) < 0)
		return -1;
	watched.file_watch = file_watch_begin(err);
	if (!watched.file_watch)
		return -1;
	const struct command command = {
		.request = &watched,
		.timeout_factor = TIMEOUT_FACTOR,
		.slowness = "while its files are watched, a program is slower",
		.companions = &companions,
	};
	struct child_spec spec = command_spec(&command);

	if (whole_env) {
		spec.env = whole_env;
		spec.only_env = true;
	}
	int status = command_run(&command, &spec, &result, err);

	file_watch_end(watched.file_watch, files);
	return status;
}

int
capture_watch_files(const struct capture_request *request, struct run_files *files, struct err *err)
{
	return watch_files_with(request, NULL, files, err);
}

static bool
is_code(const struct run_file *file)
{
	return (file->uses & (RUN_FILE_EXECUTED | RUN_FILE_MAPPED)) != 0;
}

static bool
has_same_contents(const char *a, const char *b)
{
	struct err ignored = {0};
	char one[SHA256_TEXT_SIZE];
	char other[SHA256_TEXT_SIZE];
	struct stat of_a;
	struct stat of_b;

	if (stat(a, &of_a) < 0 || stat(b, &of_b) < 0 || of_a.st_size != of_b.st_size)
		return false;
	if (of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino)
		return true;
	return sha256_file(a, one, &ignored) == 0 && sha256_file(b, other, &ignored) == 0 &&
	       strcmp(one, other) == 0;
}

/* Whether the run used this code: the file, a link to it or a copy of it. */
static bool
uses_code(const struct run_files *files, const char *path)
{
	const struct run_file *file = run_files_find(files, path);

	if (file && is_code(file))
		return true;
	for (size_t i = 0; i < files->count; i++)
		if (is_code(&files->files[i]) && has_same_contents(files->files[i].path, path))
			return true;
	return false;
}

/* The first file of code in `files` that the run with the files `than` did not use. */
static const struct run_file *
find_other(const struct run_files *files, const struct run_files *than)
{
	struct stat there;

	for (size_t i = 0; i < files->count; i++) {
		const struct run_file *file = &files->files[i];

		if (is_code(file) && stat(file->path, &there) == 0 && !uses_code(than, file->path))
			return file;
	}
	return NULL;
}

/* The comparison of both runs, and the runs with single variables. */
struct check {
	const struct capture_request *request;
	struct surroundings surroundings;
	const struct run_file *file; /* used by one run only */
	bool is_missing;             /* ... that with the whole environment */
};

/*
 * Runs the command with these variables. 1: it uses the file as with the whole environment; 0: it
 * does not; -1: an interruption.
 */
static int
is_cause(struct check *check, const char *const *variables, size_t n, struct err *err)
{
	const char *const *env = surroundings_uncounted_env(&check->surroundings, variables, n);
	struct run_files files;
	struct err failure = {0};
	const int status = watch_files_with(check->request, env, &files, &failure);
	const bool known = status == 0 && files.known;
	const int found = known && uses_code(&files, check->file->path) == check->is_missing;

	run_files_release(&files);
	if (failure.kind != ERR_INTERRUPTED)
		return found;
	*err = failure;
	return -1;
}

/* Whether the variable's value has the file, or its folder. */
static bool
has_path(const char *variable, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash && slash > path ? mem_dup(path, (size_t)(slash - path)) : NULL;
	const bool has = folder && strstr(variable, folder);

	free(folder);
	return has;
}

/* Puts a variable ahead that names the place of the file: it is probably the cause. */
static void
put_likely_ahead(const char **variables, size_t n, const struct run_file *file)
{
	for (size_t i = 0; i < n; i++) {
		if (!has_path(variables[i], file->name) && !has_path(variables[i], file->path))
			continue;
		const char *likely = variables[i];

		memmove(variables + 1, variables, i * sizeof(*variables));
		variables[0] = likely;
		return;
	}
}

/*
 * Reduces the variables to those that are the cause: to one, unless several are needed together.
 * 1; 0 where they are not; -1 on error.
 */
static int
find_cause(struct check *check, const char **variables, size_t *n, struct err *err)
{
	int found = *n > 0 ? is_cause(check, variables, *n, err) : 0;

	if (found <= 0)
		return found;
	put_likely_ahead(variables, *n, check->file);
	found = is_cause(check, variables, 1, err);
	if (found > 0)
		*n = 1;
	while (found >= 0 && *n > 1) {
		const size_t half = *n / 2;

		found = is_cause(check, variables, half, err);
		if (found > 0) {
			*n = half;
			continue;
		}
		found = found < 0 ? -1 : is_cause(check, variables + half, *n - half, err);
		if (found <= 0)
			break;
		memmove(variables, variables + half, (*n - half) * sizeof(*variables));
		*n -= half;
	}
	return found < 0 ? -1 : 1;
}

static int
blame(const struct check *check, const char *const *variables, size_t n, struct err *err)
{
	struct buf names = {0};

	for (size_t i = 0; i < n && i < NAMED_MAX; i++)
		buf_printf(&names, "%s%.*s", i > 0 ? ", " : "", (int)strcspn(variables[i], "="),
			variables[i]);
	if (n > NAMED_MAX)
		buf_printf(&names, " and %zu more", n - NAMED_MAX);
	err_set(err, ERR_MEASURE,
		"a counted run is of other code than a timed one: it %s '%s', since it does not have "
		"%s of this environment",
		check->is_missing ? "does not use" : "uses", check->file->path, buf_text(&names));
	err_note(err, "put %s into the workload's `env`, or unset %s", buf_text(&names),
		n == 1 ? "it" : "them");
	buf_release(&names);
	return -1;
}

/* Compares both runs. */
static int
compare_files(struct check *check, const struct run_files *whole, const struct run_files *counted,
	struct err *err)
{
	size_t n = 0;

	check->file = find_other(whole, counted);
	check->is_missing = check->file != NULL;
	if (!check->file)
		check->file = find_other(counted, whole);
	if (!check->file)
		return 0;
	const char *const *dropped = surroundings_dropped(&check->surroundings, &n);
	const char **variables =
		arena_alloc(&check->surroundings.arena, (n + 1) * sizeof(*variables));

	memcpy(variables, dropped, n * sizeof(*variables));
	const int found = find_cause(check, variables, &n, err);

	if (found > 0)
		return blame(check, variables, n, err);
	if (found == 0)
		log_debug("'%s' is used by some runs only, with the same variables, too",
			check->file->path);
	return found;
}

/* Runs with `env` (NULL: our own, whole). 1: the files are known; 0: they are not; -1: interrupted.
 */
static int
watch(const struct check *check, const char *const *env, struct run_files *files, struct err *err)
{
	struct err failure = {0};
	const int status = watch_files_with(check->request, env, files, &failure);

	if (failure.kind == ERR_INTERRUPTED) {
		*err = failure;
		return -1;
	}
	if (status < 0 || !files->known)
		log_debug("whether a counted run uses the same files is not known: %s",
			status < 0 ? failure.text : files->why);
	return status == 0 && files->known;
}

int
capture_check_counted_files(
	const struct capture_request *request, const struct run_files *whole, struct err *err)
{
	struct check check = {.request = request};
	struct run_files own = {0};
	struct run_files counted = {0};
	int known = 1;

	/* Not in the fixed place: that changes no contents of files. */
	surroundings_make(&check.surroundings, request->argv, request->env, request->cwd, false);
	if (!whole || !whole->known) {
		whole = &own;
		known = watch(&check, NULL, &own, err);
	}
	if (known > 0)
		known = watch(&check, surroundings_uncounted_env(&check.surroundings, NULL, 0),
			&counted, err);
	const int result = known > 0 ? compare_files(&check, whole, &counted, err) : known;

	if (known == 0)
		log_warn(
			"'%s': a run could not be watched, so that counted runs may use other files "
			"than timed ones",
			request->argv[0]);
	run_files_release(&own);
	run_files_release(&counted);
	surroundings_release(&check.surroundings);
	return result;
}

void
capture_warn_of_dropped(const struct capture_request *request)
{
	static const char *const names[] = {"LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT"};
	struct surroundings surroundings;
	size_t n = 0;

	surroundings_make(&surroundings, request->argv, request->env, request->cwd, false);
	const char *const *dropped = surroundings_dropped(&surroundings, &n);

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
			const size_t len = strlen(names[k]);

			if (strncmp(dropped[i], names[k], len) == 0 && dropped[i][len] == '=')
				log_warn("a counted run does not have %s of this environment: it "
					 "may be of other libraries. To count with it: env %s ...",
					names[k], dropped[i]);
		}
	}
	surroundings_release(&surroundings);
}
