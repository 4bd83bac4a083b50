/*
 * Building, preparing and finding the program of a workload, and whether a build has used all
 * changed files.
 */
#include "builds/program.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "builds/git.h"
#include "elf/elf_image.h"
#include "elf/elf_symbols.h"
#include "process/process.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More than a repository has; a walk of a whole disk ends here. */
#define WALK_ENTRIES_MAX 200000

static bool
is_left_out(const struct file_walk *walk, const char *name)
{
	if (name[0] != '.')
		return false;
	return !walk->hidden || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
	       strcmp(name, ".git") == 0;
}

/*
 * The names in a folder, sorted; free() each and the array. NULL and a broken walk if unreadable.
 * Not by fts_open(): that of glibc crashes where it has no memory.
 */
static char **
read_names(struct file_walk *walk, const char *path, size_t *count)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char **names = NULL;
	size_t capacity = 0;

	*count = 0;
	walk->broken = walk->broken || !dir;
	while (!walk->broken && (entry = readdir(dir))) {
		if (++walk->entries > WALK_ENTRIES_MAX)
			walk->broken = true;
		if (is_left_out(walk, entry->d_name))
			continue;
		names = mem_grow(names, &capacity, *count + 1, sizeof(*names));
		names[(*count)++] = mem_strdup(entry->d_name);
	}
	if (dir)
		closedir(dir);
	if (names)
		qsort(names, *count, sizeof(*names), text_order);
	return names;
}

static void
walk_folder(struct file_walk *walk, const char *path)
{
	size_t count;
	char **names = read_names(walk, path, &count);

	for (size_t i = 0; i < count; i++) {
		char *child = mem_printf("%s/%s", path, names[i]);
		struct stat seen;

		if (!walk->broken && lstat(child, &seen) == 0) {
			if (S_ISDIR(seen.st_mode))
				walk_folder(walk, child);
			else if (S_ISREG(seen.st_mode) || (walk->links && S_ISLNK(seen.st_mode)))
				walk->visit(walk, child, walk->context);
		}
		free(child);
		free(names[i]);
	}
	free(names);
}

bool
file_walk(const char *root, bool hidden,
	void (*visit)(struct file_walk *walk, const char *path, void *context), void *context)
{
	struct file_walk walk = {
		.root_len = strlen(root), .hidden = hidden, .visit = visit, .context = context};

	walk_folder(&walk, root);
	return !walk.broken;
}

bool
file_walk_all(const char *root,
	void (*visit)(struct file_walk *walk, const char *path, void *context), void *context)
{
	struct file_walk walk = {.root_len = strlen(root),
		.hidden = true,
		.links = true,
		.visit = visit,
		.context = context};

	walk_folder(&walk, root);
	return !walk.broken;
}

#define SHEBANG_MAX 256

char *
program_path(const struct workload *workload, const char *path)
{
	return workload->cwd && path[0] != '/' ? file_join(workload->cwd, path) : mem_strdup(path);
}

/* `path` as the program finds it; NULL if that is no plain file. */
static char *
plain_file(const struct workload *workload, const char *path)
{
	struct stat file;
	char *found = program_path(workload, path);

	/* Reading a FIFO or a device might never end. */
	if (stat(found, &file) == 0 && S_ISREG(file.st_mode))
		return found;
	free(found);
	return NULL;
}

char *
program_file(const struct workload *workload, size_t word)
{
	const char *argument = workload->run[word];

	return strchr(argument, '/') || word > 0
		       ? plain_file(workload, argument)
		       : find_program(argument, workload->env, workload->cwd);
}

/* Endings that an interpreter, named by the beginning of its name, loads by itself. */
static const struct {
	const char *name;
	const char *endings[4];
} interpreters[] = {
	{"python", {".py"}},
	{"pypy", {".py"}},
	{"node", {".js", ".mjs", ".cjs"}},
	{"perl", {".pl", ".pm"}},
	{"ruby", {".rb"}},
	{"php", {".php"}},
	{"lua", {".lua"}},
	{"tclsh", {".tcl"}},
	{"Rscript", {".R"}},
	{"julia", {".jl"}},
	{"bash", {".sh"}},
	{"dash", {".sh"}},
	{"ash", {".sh"}},
	{"zsh", {".zsh", ".sh"}},
	{"sh", {".sh"}},
};

/* For "#!/usr/bin/env python3" it is "python3"; for a file that is no script, `path` itself. */
static void
interpreter_name(const char *path, char name[SHEBANG_MAX])
{
	char line[SHEBANG_MAX] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t got = fd >= 0 ? read(fd, line, sizeof(line) - 1) : 0;
	const char *at = path;

	if (fd >= 0)
		close(fd);
	line[got > 0 ? got : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (strncmp(line, "#!", 2) == 0) {
		at = line + 2 + strspn(line + 2, " ");
		size_t len = strcspn(at, " ");

		if (len >= 4 && strncmp(at + len - 4, "/env", 4) == 0)
			at += len + strspn(at + len, " ");
		line[at - line + (ptrdiff_t)strcspn(at, " ")] = '\0';
	}
	snprintf(name, SHEBANG_MAX, "%s", file_basename(at));
}

static const char *const *
endings_of(const char *name)
{
	for (size_t i = 0; i < sizeof(interpreters) / sizeof(interpreters[0]); i++) {
		size_t len = strlen(interpreters[i].name);

		/* "python3.11" */
		if (strncmp(name, interpreters[i].name, len) == 0 &&
			strspn(name + len, "0123456789.-") == strlen(name + len))
			return interpreters[i].endings;
	}
	return NULL;
}

const char *const *
program_script_endings(const char *word, const char *path)
{
	char name[SHEBANG_MAX];
	const char *const *endings = endings_of(file_basename(word));

	if (endings)
		return endings;
	interpreter_name(path, name);
	return endings_of(name);
}

/* Without a budget setup and teardown may take long, but not for ever; and so may a build. */
#define SHELL_TIMEOUT_S 3600.0

/*
 * The time that setup or teardown may take from now on: up to `deadline_s`, of clock_seconds(), but
 * the workload's `timeout` in any case; an hour where there is no deadline (0).
 */
static double
program_limit_s(const struct workload *workload, double deadline_s)
{
	if (!(deadline_s > 0))
		return SHELL_TIMEOUT_S;
	return fmax(deadline_s - clock_seconds(), workload->capture.timeout_s);
}

/* Adds a note if a command that was begun at `start_s` ran for as long as it may. */
static int
program_note_limit(
	const struct workload *workload, double deadline_s, double start_s, struct err *err)
{
	const double now = clock_seconds();

	if (err->kind != ERR_MEASURE || !(deadline_s > 0) || now < deadline_s ||
		now - start_s < workload->capture.timeout_s)
		return -1;
	return err_note(err, "the budget is used up: increase it (`--budget`), or the workload's "
			     "`timeout`, which each command may take in any case");
}

double
program_build_limit_s(const struct workload *workload)
{
	return workload->build_timeout_s > 0 ? workload->build_timeout_s : SHELL_TIMEOUT_S;
}

int
program_note_build_limit(const struct workload *workload, double start_s, struct err *err)
{
	if (err->kind != ERR_MEASURE || clock_seconds() - start_s < program_build_limit_s(workload))
		return -1;
	return err_note(err, "increase 'build_timeout' in the configuration");
}

static int
run_named(const struct workload *workload, const char *step, const char *command, double deadline_s,
	struct err *err)
{
	char *what = mem_printf("%s of %s", step, workload->name);
	double start_s = clock_seconds();
	int result = process_run_shell(what, command, workload->env, workload->cwd,
		program_limit_s(workload, deadline_s), err);

	free(what);
	return result < 0 ? program_note_limit(workload, deadline_s, start_s, err) : 0;
}

/* Whether an executable file has this path, which may have wildcards. */
static bool
is_matched(const struct workload *workload, const char *path)
{
	char *pattern = program_path(workload, path);
	glob_t found;
	bool any = false;

	if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc && !any; i++)
			any = access(found.gl_pathv[i], X_OK) == 0;
		globfree(&found);
	}
	free(pattern);
	return any;
}

static bool
is_installed(const struct workload *workload, const char *program)
{
	if (strchr(program, '/'))
		return is_matched(workload, program);
	char *file = find_program(program, workload->env, workload->cwd);
	const bool found = file != NULL;

	free(file);
	return found;
}

/* Whether an earlier requirement that is missing, too, has the same package. */
static bool
is_told(const struct requirement *requires, const bool *missing, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (missing[k] && requires[k].package &&
			strcmp(requires[k].package, requires[i].package) == 0)
			return true;
	}
	return false;
}

static void
put_missing(
	const struct requirement *requires, const bool *missing, size_t nmissing, struct buf *out)
{
	size_t told = 0;
	bool any = false;

	for (size_t i = 0; requires[i].program; i++) {
		if (!missing[i])
			continue;
		buf_puts(out, told == 0 ? "" : told + 1 == nmissing ? " and " : ", ");
		buf_puts(out, requires[i].program);
		told++;
	}
	buf_puts(out, nmissing > 1 ? " are not installed" : " is not installed");
	for (size_t i = 0; requires[i].program; i++) {
		if (!missing[i] || !requires[i].package || is_told(requires, missing, i))
			continue;
		buf_printf(out, "%s %s", any ? "" : ": apt-get install", requires[i].package);
		any = true;
	}
}

bool
program_lacks(const struct workload *workload, struct buf *reason)
{
	const struct requirement *requires = workload->requires;
	size_t count = 0;
	size_t nmissing = 0;

	while (requires && requires[count].program)
		count++;
	bool *missing = mem_zalloc(count + 1, sizeof(*missing));

	for (size_t i = 0; i < count; i++) {
		missing[i] = !is_installed(workload, requires[i].program);
		nmissing += missing[i];
	}
	if (nmissing > 0)
		put_missing(requires, missing, nmissing, reason);
	free(missing);
	return nmissing > 0;
}

static int
check_required(const struct workload *workload, struct err *err)
{
	struct buf reason = {0};
	int result = 0;

	if (program_lacks(workload, &reason))
		result = err_set(err, ERR_MEASURE, "%s", buf_text(&reason));
	buf_release(&reason);
	return result;
}

int
program_build(const struct workload *workload, const char *output_path, struct err *err)
{
	if (check_required(workload, err) < 0)
		return -1;
	if (!workload->build)
		return 0;
	log_step("%s: building", workload->name);
	char *what = mem_printf("build of %s", workload->name);
	double start_s = clock_seconds();
	/* It runs where profile_run was started: the workload's paths start from there. */
	const struct shell_command command = {.what = what,
		.text = workload->build,
		.timeout_s = program_build_limit_s(workload),
		.output_path = output_path};
	int result = process_run_command(&command, err);

	free(what);
	return result < 0 ? program_note_build_limit(workload, start_s, err) : 0;
}

int
program_set_up(const struct workload *workload, double deadline_s, struct err *err)
{
	return workload->setup ? run_named(workload, "setup", workload->setup, deadline_s, err) : 0;
}

void
program_tear_down(const struct workload *workload, double deadline_s)
{
	struct err failure = {0};

	if (workload->teardown &&
		run_named(workload, "teardown", workload->teardown, deadline_s, &failure) < 0)
		log_warn("%s: %s", workload->name, failure.text);
}

/*
 * A build that left its program as it was although sources or flags changed.
 */

/* Whether the symbol table of the program at `path` names this source file. */
static bool
product_names_source(const char *path, const char *source)
{
	struct elf_image image;
	struct elf_symbols symbols;
	GElf_Sym sym;
	bool found = false;

	if (!elf_image_open(&image, path))
		return false;
	elf_symbols_begin(&symbols, &image, SHT_SYMTAB);
	while (!found && elf_symbols_next(&symbols, &sym)) {
		const char *name = ELF64_ST_TYPE(sym.st_info) == STT_FILE
					   ? elf_symbols_name(&symbols, &sym)
					   : NULL;

		found = name && strcmp(file_basename(name), file_basename(source)) == 0;
	}
	elf_image_close(&image);
	return found;
}

/* More files are only counted. */
#define FILES_NAMED_MAX 3

static bool
is_newer(const struct stat *one, const struct stat *other)
{
	return one->st_mtim.tv_sec != other->st_mtim.tv_sec
		       ? one->st_mtim.tv_sec > other->st_mtim.tv_sec
		       : one->st_mtim.tv_nsec > other->st_mtim.tv_nsec;
}

/* False for documents and profile_run's settings and baselines, which are no part of a program. */
static bool
may_be_built(const char *path)
{
	static const char *const endings[] = {
		".md", ".rst", ".txt", ".yaml", ".yml", ".json", ".stacks", ".folded"};
	const char *name = file_basename(path);
	const char *ending = strrchr(name, '.');
	bool may = name[0] != '.';

	/* CMakeLists.txt, meson_options.txt */
	if (strcmp(name, "CMakeLists.txt") == 0 || strcmp(name, "meson_options.txt") == 0)
		return true;
	for (size_t i = 0; ending && i < sizeof(endings) / sizeof(endings[0]); i++)
		may = may && strcmp(ending, endings[i]) != 0;
	return may;
}

/* Whether a changed line of the file is more than a comment. */
static bool
changes_code(const char *commit, const char *path)
{
	const char *const args[] = {"diff", "--ignore-all-space", "--unified=0", "--no-color",
		"--no-ext-diff", commit, "--", path, NULL};
	struct err ignored = {0};
	char *diff = git_line(NULL, args, &ignored);
	char *rest = NULL;
	bool changes = false;
	bool in_hunk = false;

	for (char *line = diff ? strtok_r(diff, "\n", &rest) : NULL; line && !changes;
		line = strtok_r(NULL, "\n", &rest)) {
		const char *text = line + 1 + strspn(line + 1, " \t");

		in_hunk = in_hunk || strncmp(line, "@@", 2) == 0;
		changes = in_hunk && strchr("+-", line[0]) && *text && *text != '*' &&
			  strncmp(text, "//", 2) != 0 && strncmp(text, "/*", 2) != 0;
	}
	free(diff);
	return changes;
}

/*
 * Whether no other file of the repository has this name: symbols name sources without their
 * folders.
 */
static bool
has_name_alone(const char *path)
{
	char *pattern = mem_printf(":(top,glob)**/%s", file_basename(path));
	const char *const args[] = {"ls-files", "--", pattern, NULL};
	struct err ignored = {0};
	char *list = git_line(NULL, args, &ignored);
	const bool alone = list && !strchr(list, '\n');

	free(list);
	free(pattern);
	return alone;
}

/*
 * Whether the build has not used the changed file at `path`: the program is older than the file, or
 * its symbols name this source though it was linked without the change.
 */
static bool
was_not_seen(const char *program, const struct stat *built, const char *path, const char *commit)
{
	struct stat source;

	if (!may_be_built(path) || stat(path, &source) < 0)
		return false;
	return is_newer(&source, built) ||
	       (product_names_source(program, path) && has_name_alone(path) &&
		       changes_code(commit, path));
}

char *
stale_build_files(const struct workload *workload, const char *commit)
{
	const char *const args[] = {"diff", "--name-only", "--relative", commit, NULL};
	char *program = program_path(workload, workload->run[0]);
	struct stat built;
	struct err ignored = {0};
	struct buf text = {0};
	size_t count = 0;
	const bool known = workload->build && commit[0] && strchr(workload->run[0], '/') &&
			   stat(program, &built) == 0;
	char *list = known ? git_line(NULL, args, &ignored) : NULL;
	char *rest = NULL;

	for (char *path = list ? strtok_r(list, "\n", &rest) : NULL; path;
		path = strtok_r(NULL, "\n", &rest)) {
		if (!was_not_seen(program, &built, path, commit))
			continue;
		if (count++ < FILES_NAMED_MAX)
			buf_printf(&text, "%s%s", count > 1 ? ", " : "", path);
	}
	if (count > FILES_NAMED_MAX)
		buf_printf(&text, " and %zu more", count - FILES_NAMED_MAX);
	char *files = count > 0 ? mem_strdup(buf_text(&text)) : NULL;

	buf_release(&text);
	free(list);
	free(program);
	return files;
}
