#include "builds/repository.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * A commit is what its hash names: objects that `git replace` or a graft puts in its place are
 * ignored. No file is beneath /dev/null; git warns of an empty file of grafts. Paths have git's
 * ordinary syntax. The rest is `git rev-parse --local-env-vars`, without those that only carry
 * configuration.
 */
static const char *const env[] = {
	"GIT_TERMINAL_PROMPT=0",
	"GIT_NO_REPLACE_OBJECTS=1",
	"GIT_GRAFT_FILE=/dev/null/none",
	"GIT_GLOB_PATHSPECS",
	"GIT_ICASE_PATHSPECS",
	"GIT_LITERAL_PATHSPECS",
	"GIT_NOGLOB_PATHSPECS",
	"GIT_ALTERNATE_OBJECT_DIRECTORIES",
	"GIT_COMMON_DIR",
	"GIT_DIR",
	"GIT_IMPLICIT_WORK_TREE",
	"GIT_INDEX_FILE",
	"GIT_INTERNAL_SUPER_PREFIX",
	"GIT_NAMESPACE",
	"GIT_OBJECT_DIRECTORY",
	"GIT_PREFIX",
	"GIT_QUARANTINE_PATH",
	"GIT_SHALLOW_FILE",
	"GIT_WORK_TREE",
	NULL,
};

/* Behind the assignments. */
#define FIRST_LOCAL 3

const char *const *const git_local_variables = env + FIRST_LOCAL;

/*
 * Ahead of every command. The user's hooks are for his own checkouts; a process that git left
 * running would be our child and keep files open in the worktree. A commit can contain a folder
 * that looks like a bare repository: git is not to take it for ours.
 */
static const char *const always[] = {
	"git",
	"-c",
	"core.hooksPath=/dev/null",
	"-c",
	"core.fsmonitor=false",
	"-c",
	"gc.auto=0",
	"-c",
	"maintenance.auto=false",
	"-c",
	"safe.bareRepository=explicit",
};

#define NALWAYS (sizeof(always) / sizeof(always[0]))

static int
run_up_to(struct tool_output *output, size_t most_bytes, const char *folder,
	const char *const *args, struct err *err)
{
	size_t nargs = 0;

	while (args[nargs])
		nargs++;
	const char **argv = mem_zalloc(NALWAYS + nargs + 1, sizeof(*argv));

	memcpy(argv, always, sizeof(always));
	memcpy(argv + NALWAYS, args, nargs * sizeof(*argv));
	int result = tool_run_up_to(output, most_bytes, argv, env, folder, err);

	free(argv);
	return result;
}

int
git_run(struct tool_output *output, const char *folder, const char *const *args, struct err *err)
{
	return run_up_to(output, TOOL_OUTPUT_MAX, folder, args, err);
}

int
git_run_up_to(struct tool_output *output, size_t most_bytes, const char *folder,
	const char *const *args, struct err *err)
{
	if (run_up_to(output, most_bytes, folder, args, err) < 0)
		return -1;
	if (output->status == 0)
		return 0;
	err_set(err, ERR_INPUT, "'git %s' failed with status %d", args[0], output->status);
	tool_note_complaint(output, err);
	return -1;
}

char *
git_line(const char *folder, const char *const *args, struct err *err)
{
	struct tool_output output;
	char *line = git_run_up_to(&output, TOOL_OUTPUT_MAX, folder, args, err) == 0
			     ? tool_line(&output)
			     : NULL;

	tool_output_release(&output);
	return line;
}

int
git_run_checked(const char *folder, const char *const *args, struct err *err)
{
	struct tool_output output;
	int result = git_run_up_to(&output, TOOL_OUTPUT_MAX, folder, args, err);

	tool_output_release(&output);
	return result;
}

const char *
git_next_text(const char **at, const char *end)
{
	const char *text = *at;
	const char *stop = text < end ? memchr(text, '\0', (size_t)(end - text)) : NULL;

	if (stop)
		*at = stop + 1;
	return stop ? text : NULL;
}

char *
git_top(void)
{
	static const char *const args[] = {"rev-parse", "--show-toplevel", NULL};
	struct err ignored = {0};

	return git_line(NULL, args, &ignored);
}

bool
git_is_tracked(const char *path)
{
	const char *const args[] = {"ls-files", "--error-unmatch", "--", path, NULL};
	struct err ignored = {0};

	return git_run_checked(NULL, args, &ignored) == 0;
}

bool
git_is_commit(const char *text)
{
	size_t len = strspn(text, "0123456789abcdef");

	return (len == 40 || len == 64) && text[len] == '\0';
}

int
git_is_ancestor(const char *folder, const char *commit, const char *of, struct err *err)
{
	const char *const args[] = {"merge-base", "--is-ancestor", commit, of, NULL};
	struct tool_output output;
	int result = git_run(&output, folder, args, err);

	if (result == 0 && output.status > 1) {
		result = err_set(err, ERR_INPUT, "git cannot compare %.12s with %.12s", commit, of);
		tool_note_complaint(&output, err);
	} else if (result == 0) {
		result = output.status == 0;
	}
	tool_output_release(&output);
	return result;
}

void
git_head(const char *folder, char commit[GIT_COMMIT_SIZE])
{
	static const char *const args[] = {"rev-parse", "--verify", "--quiet", "HEAD", NULL};
	struct err ignored = {0};
	char *line = git_line(folder, args, &ignored);

	commit[0] = '\0';
	if (line && git_is_commit(line))
		memcpy(commit, line, strlen(line) + 1);
	free(line);
}

/* "." or a relative path made absolute, without links; `path` is freed. */
static char *
real_path(char *path, struct err *err)
{
	char *real = path ? realpath(path, NULL) : NULL;

	if (path && !real)
		err_set_errno(err, ERR_SYSTEM, errno, "cannot find '%s'", path);
	free(path);
	return real;
}

static char *
rev_parse(const char *what, struct err *err)
{
	const char *const args[] = {"rev-parse", what, NULL};

	return git_line(NULL, args, err);
}

int
repository_open(struct repository *repository, struct err *err)
{
	char *shallow = NULL;

	*repository = (struct repository){0};
	repository->top = real_path(rev_parse("--show-toplevel", err), err);
	if (repository->top)
		repository->prefix = rev_parse("--show-prefix", err);
	if (repository->prefix)
		repository->common = real_path(rev_parse("--git-common-dir", err), err);
	if (repository->common)
		shallow = rev_parse("--is-shallow-repository", err);
	if (!shallow) {
		if (err->kind == ERR_INPUT)
			err_note(err, "start profile_run in the git repository of the commit");
		if (err->kind == ERR_INPUT && getenv("GIT_DIR"))
			err_note(err, "GIT_DIR is set; it is ignored");
		repository_release(repository);
		return -1;
	}
	repository->shallow = strcmp(shallow, "true") == 0;
	free(shallow);
	return 0;
}

void
repository_release(struct repository *repository)
{
	free(repository->top);
	free(repository->prefix);
	free(repository->common);
	*repository = (struct repository){0};
}

/* Text that the user may paste: only characters without a meaning to a shell. */
static bool
is_plain(const char *ref)
{
	return ref[strspn(ref, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
			       "_./-+")] == '\0';
}

/* Git does not fetch by such a one. A branch may have such a name, but rarely has. */
static bool
is_hash_in_part(const char *ref)
{
	const size_t len = strlen(ref);

	return len >= 4 && len < 40 && strspn(ref, "0123456789abcdef") == len &&
	       strpbrk(ref, "0123456789");
}

static void
note_fetch(const struct repository *repository, const char *ref, struct err *err)
{
	const char *depth = repository->shallow ? "--depth=1 " : "";
	const char *branch = repository_local_name(ref);

	if (repository->shallow)
		err_note(err,
			"this is a shallow clone, which lacks most commits: fetch all ('fetch-depth: 0' of actions/checkout, 'git fetch --unshallow')");
	if (!is_plain(ref))
		return;
	if (branch != ref)
		err_note(err, "to fetch it: git fetch %sorigin %s:refs/remotes/origin/%s", depth,
			branch, branch);
	else if (git_is_commit(ref))
		err_note(err, "to fetch it: git fetch %sorigin %s", depth, ref);
	else if (is_hash_in_part(ref))
		err_note(err,
			"git fetches a commit by its whole hash only: to fetch it: git fetch %sorigin HASH, with all 40 digits",
			depth);
	else
		err_note(err, "to fetch it: git fetch %sorigin %s, and name it FETCH_HEAD", depth,
			ref);
}

int
repository_resolve(const struct repository *repository, const char *option, const char *ref,
	char commit[GIT_COMMIT_SIZE], struct err *err)
{
	/* It may name a folder or a file as well. */
	bool against = strcmp(option, "--against") == 0;

	/* No commit is named so, and git would read an option. */
	if (ref[0] == '-' || ref[0] == '\0')
		return err_set(err, ERR_USAGE, "'%s %s': expected a commit%s", option, ref,
			against ? ", a folder or a YAML file" : "");
	char *wanted = mem_printf("%s^{commit}", ref);
	const char *const args[] = {"rev-parse", "--verify", "--quiet", wanted, NULL};
	struct tool_output output;
	int result = git_run(&output, NULL, args, err);

	if (result == 0) {
		char *line = tool_line(&output);

		/* "^main" is a revision, too, but not a commit. */
		if (output.status == 0 && git_is_commit(line)) {
			memcpy(commit, line, strlen(line) + 1);
		} else {
			result = err_set(err, ERR_INPUT,
				"there is no commit '%s' in this repository%s", ref,
				against ? ", and no such folder" : "");
			tool_note_complaint(&output, err);
			note_fetch(repository, ref, err);
		}
		free(line);
	}
	tool_output_release(&output);
	free(wanted);
	return result;
}

char *
repository_commit_name(const char *ref, const char *commit)
{
	/* A hash, whole or in part, is shown by its beginning alone. */
	if (strncmp(ref, commit, strlen(ref)) == 0)
		return mem_printf("%.12s", commit);
	return mem_printf("%s (%.12s)", ref, commit);
}

/* Logs a sentence without its full stop, and adds it to the notes as one. */
static void
note(struct buf *notes, const char *sentence)
{
	log_info("%s", sentence);
	buf_printf(notes, "%s%c%s.", notes->len > 0 ? " " : "", toupper((unsigned char)*sentence),
		sentence + 1);
}

static void
note_ancestor(
	const struct repository *repository, const char *ref, const char *commit, struct buf *notes)
{
	struct err ignored = {0};
	char *sentence = NULL;

	if (git_is_ancestor(NULL, commit, "HEAD", &ignored) != 0)
		return;
	/* In a shallow clone also where the history ends too early to tell. */
	if (repository->shallow)
		sentence = mem_printf(
			"this is a shallow clone: commits of %s that are not in HEAD cannot be listed; they are part of the difference",
			ref);
	else
		sentence = mem_printf(
			"commits that are in %s but not in HEAD are part of the difference; to leave them out compare with $(git merge-base HEAD %s)",
			ref, ref);
	note(notes, sentence);
	free(sentence);
}

static void
note_changes(struct buf *notes)
{
	char *changed = NULL;

	if (own_output_find_change("HEAD", NULL, &changed) > 0)
		note(notes, "the working tree has uncommitted changes: it is judged, not HEAD");
	free(changed);
}

void
repository_note_differences(
	const struct repository *repository, const char *ref, const char *commit, struct buf *notes)
{
	note_ancestor(repository, ref, commit, notes);
	note_changes(notes);
}

const char *
repository_local_name(const char *branch)
{
	static const char remote[] = "origin/";
	const size_t len = sizeof(remote) - 1;

	return strncmp(branch, remote, len) == 0 ? branch + len : branch;
}

char *
repository_default_branch(void)
{
	static const char *const usual[] = {
		"origin/HEAD", "origin/main", "origin/master", "main", "master", NULL};
	char *name = NULL;

	for (size_t i = 0; usual[i] && !name; i++) {
		char *commit = mem_printf("%s^{commit}", usual[i]);
		const char *const find[] = {"rev-parse", "--verify", "--quiet", commit, NULL};
		/* The branch that origin/HEAD stands for. */
		const char *const shorten[] = {"rev-parse", "--abbrev-ref", usual[i], NULL};
		struct err ignored = {0};
		char *found = git_line(NULL, find, &ignored);

		name = found ? git_line(NULL, shorten, &ignored) : NULL;
		free(found);
		free(commit);
	}
	return name;
}

/* Largest listing by git: some 100,000 commits. */
#define LIST_BYTES_MAX ((size_t)16 * 1024 * 1024)
/* Each ends with a NUL, which no part of a commit can have. */
#define FORMAT "--format=%H%x00%P%x00%at%x00%an%x00%s"
#define NFIELDS 5

static int
check_ancestor(
	const struct repository *repository, const char *good, const char *bad, struct err *err)
{
	if (strcmp(good, bad) == 0)
		return err_set(err, ERR_INPUT, "both are the commit %.12s", good);
	int forwards = git_is_ancestor(NULL, good, bad, err);

	if (forwards != 0)
		return forwards > 0 ? 0 : -1;
	int reverse = git_is_ancestor(NULL, bad, good, err);

	if (reverse < 0)
		return -1;
	err_set(err, ERR_INPUT, "%.12s is no ancestor of %.12s", good, bad);
	if (reverse)
		return err_note(
			err, "the commits are in the wrong order: the fast commit comes first");
	if (repository->shallow)
		return err_note(err,
			"this is a shallow clone, which lacks most commits: 'git fetch --unshallow'");
	return err_note(err, "their common ancestor: git merge-base %.12s %.12s", good, bad);
}

static size_t
count_words(const char *text)
{
	size_t count = *text ? 1 : 0;

	for (; *text; text++)
		count += *text == ' ';
	return count;
}

/* One commit as git lists it; *parents is borrowed from the listing. */
static int
read_commit(struct commit_line *line, const char **at, const char *end, const char **parents,
	struct err *err)
{
	const char *fields[NFIELDS];

	for (size_t i = 0; i < NFIELDS; i++) {
		fields[i] = git_next_text(at, end);
		if (!fields[i])
			return err_set(
				err, ERR_INPUT, "the list of commits from git is incomplete");
	}
	if (!git_is_commit(fields[0]))
		return err_set(err, ERR_INPUT, "git lists '%s' as a commit", fields[0]);
	line->commits = mem_grow(
		line->commits, &line->capacity, line->ncommits + 1, sizeof(*line->commits));
	line->commits[line->ncommits++] = (struct commit_of_line){
		.commit = arena_strdup(&line->arena, fields[0]),
		.nparents = count_words(fields[1]),
		.authored = strtoll(fields[2], NULL, 10),
		.author = arena_strdup(&line->arena, fields[3]),
		.subject = arena_strdup(&line->arena, fields[4]),
	};
	*parents = fields[1];
	return 0;
}

/*
 * Adds the commits that git lists with `option` for `range`, the oldest first. `parents` gets those
 * of the first.
 */
static int
add_commits(struct commit_line *line, const char *option, const char *range, struct buf *parents,
	struct err *err)
{
	const char *const args[] = {"log", "-z", "-s", "--reverse", "--no-show-signature",
		"--encoding=UTF-8", FORMAT, option, range, "--", NULL};
	struct tool_output output;
	int result = git_run_up_to(&output, LIST_BYTES_MAX, NULL, args, err);
	const char *at = buf_text(&output.out);
	const char *end = at + output.out.len;

	if (result == 0 && output.out.len >= LIST_BYTES_MAX)
		result = err_set(err, ERR_INPUT, "there are too many commits between them");
	while (result == 0 && at < end) {
		const char *of_commit = "";

		result = read_commit(line, &at, end, &of_commit, err);
		if (result == 0 && parents->len == 0)
			buf_puts(parents, of_commit);
	}
	tool_output_release(&output);
	return result;
}

static int
read_line(struct commit_line *line, const char *good, const char *bad, struct err *err)
{
	char *range = mem_printf("%s..%s", good, bad);
	struct buf ignored = {0};
	struct buf parents = {0};
	int result = add_commits(line, "--max-count=1", good, &ignored, err);

	if (result == 0)
		result = add_commits(line, "--first-parent", range, &parents, err);
	if (result == 0 && strncmp(buf_text(&parents), good, strlen(good)) != 0)
		log_info(
			"%.12s was merged into the line of %.12s: of that line, all that %.12s does not have is searched",
			good, bad, good);
	buf_release(&ignored);
	buf_release(&parents);
	free(range);
	return result;
}

int
commit_line_read(struct commit_line *line, const struct repository *repository, const char *good,
	const char *bad, struct err *err)
{
	*line = (struct commit_line){0};
	if (check_ancestor(repository, good, bad, err) == 0 && read_line(line, good, bad, err) == 0)
		return 0;
	commit_line_release(line);
	return -1;
}

void
commit_line_release(struct commit_line *line)
{
	free(line->commits);
	arena_release(&line->arena);
	*line = (struct commit_line){0};
}

/*
 * Files that profile_run itself wrote into the working tree.
 */

/* The beginning of a file, without white space, which JSON may have anywhere; "": none. */
static void
read_beginning(const char *path, char text[64])
{
	char read_text[64];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t len = fd >= 0 ? read(fd, read_text, sizeof(read_text) - 1) : 0;
	size_t kept = 0;

	for (ssize_t i = 0; i < len && read_text[i] != '\0'; i++)
		if (!strchr(" \t\r\n", read_text[i]))
			text[kept++] = read_text[i];
	text[kept] = '\0';
	if (fd >= 0)
		close(fd);
}

static bool
file_begins_with(const char *path, const char *beginning)
{
	char text[64];

	read_beginning(path, text);
	return strncmp(text, beginning, strlen(beginning)) == 0;
}

static bool
is_verdict(const char *path)
{
	return file_begins_with(path, "{\"$schema\":\"urn:profile-run:");
}

static bool
is_by_itself(const char *path)
{
	static const char *const names[] = {/* A baseline is committed after its runs. */
		"baseline.json", "runs.stacks", "runs.folded", "counts.json", "counts.stacks",
		"counts.folded"};
	const char *name = file_basename(path);
	bool is = false;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		is = is || strcmp(name, names[i]) == 0;
	return is || is_verdict(path) || file_begins_with(path, "#profile_runhistory") ||
	       file_begins_with(path, "#profile_runcode1");
}

/* Whether this process prints to it: "profile_run gate >gate.log". */
static bool
is_printed_to(const char *path)
{
	struct stat file;
	struct stat own;
	bool is = false;

	if (stat(path, &file) < 0)
		return false;
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		is = is || (fstat(fd, &own) == 0 && own.st_dev == file.st_dev &&
				   own.st_ino == file.st_ino);
	return is;
}

/* Whether a folder above it is that of a report. */
static bool
is_in_report(const char *path)
{
	char *folder = mem_strdup(path);
	bool is = false;

	for (char *slash = strrchr(folder, '/'); slash && slash != folder && !is;
		slash = strrchr(folder, '/')) {
		*slash = '\0';
		char *verdict = file_join(folder, "verdict.json");

		is = is_verdict(verdict);
		free(verdict);
	}
	free(folder);
	return is;
}

static bool
is_in_cache(const char *path)
{
	const char *xdg = getenv("XDG_CACHE_HOME");
	char *cache = xdg && *xdg ? realpath(xdg, NULL) : NULL;
	char *real = cache ? realpath(path, NULL) : NULL;
	char *own = cache ? file_join(cache, "profile_run/") : NULL;
	bool is = strstr(path, ".cache/profile_run/") ||
		  (real && strncmp(real, own, strlen(own)) == 0);

	free(own);
	free(real);
	free(cache);
	return is;
}

/* perf.data, of a capture folder or not: no program but ours and perf reads one. */
static bool
is_recording(const char *path)
{
	return file_begins_with(path, "PERFILE2");
}

/* A new folder of reports and of a history has one. */
static bool
is_for_git(const char *path)
{
	const char *name = file_basename(path);

	return strcmp(name, ".gitattributes") == 0 || strcmp(name, ".gitignore") == 0;
}

/*
 * Whether the file at `path` is one. A tracked file is one by its name or its contents; others also
 * by the folder of a report or of the cache that they are in, and where this process prints to
 * them.
 */
static bool
own_output_is(const char *path, bool tracked)
{
	if (is_by_itself(path))
		return true;
	return !tracked && (is_printed_to(path) || is_recording(path) || is_for_git(path) ||
				   is_in_report(path) || is_in_cache(path));
}

/* The folder that the paths of `git diff` are relative to, from here: "" or "../"; free() it. */
static char *
path_to_top(void)
{
	static const char *const args[] = {"rev-parse", "--show-cdup", NULL};
	struct err ignored = {0};
	char *up = git_line(NULL, args, &ignored);

	return up ? up : mem_strdup("");
}

int
own_output_find_other(const char *const *args, bool tracked,
	bool (*counts)(const char *path, bool tracked), char **found)
{
	struct err ignored = {0};
	char *list = git_line(NULL, args, &ignored);
	char *up = tracked ? path_to_top() : mem_strdup("");
	char *rest = NULL;
	/* A longer list is truncated. */
	int result = list && strlen(list) + 1 < TOOL_OUTPUT_MAX ? 0 : -1;

	*found = NULL;
	for (char *path = list ? strtok_r(list, "\n", &rest) : NULL; path && !*found;
		path = strtok_r(NULL, "\n", &rest)) {
		char *here = mem_printf("%s%s", up, path);

		if (!own_output_is(here, tracked) && (!counts || counts(path, tracked)))
			*found = mem_strdup(path);
		free(here);
	}
	free(up);
	free(list);
	return *found ? 1 : result;
}

int
own_output_find_change(
	const char *commit, bool (*counts)(const char *path, bool tracked), char **found)
{
	const char *const args[] = {
		"diff", "--name-only", "--ignore-submodules=none", commit, NULL};

	return own_output_find_other(args, true, counts, found);
}
