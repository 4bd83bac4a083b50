#include "cli/confine.h"

#include "base/draft.h"
#include "base/file.h"
#include "base/file_links.h"
#include "base/log.h"
#include "base/mem.h"
#include "cli/options.h"
#include "cli/picture.h"
#include "process/memory_kills.h"
#include "process/sandbox.h"
#include "replay/publish.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * In builds for tests that find leaks, races and uncovered lines, nothing is confined: their
 * runtime looks into the process, or writes files at its end.
 */
#ifdef PROFILE_RUN_UNCONFINED
#define IS_POSSIBLE false
#else
#define IS_POSSIBLE true
#endif

/* The output, which we open and the child writes. */
struct output {
	/* One of these, or none. */
	struct file_draft draft; /* a file */
	int special_fd;          /* a device or a pipe; -1: none */
	char *folder_draft;      /* a folder; NULL: none */

	const char *store; /* a folder that we have made; NULL: none */
	struct file_lent lent;
	bool *committed; /* the child has succeeded; in memory that both processes share */
};

static void
abandon(struct output *output)
{
	file_abandon(&output->draft);
	if (output->special_fd >= 0)
		close(output->special_fd);
	output->special_fd = -1;
	if (output->folder_draft)
		file_dir_abandon(output->folder_draft);
	output->folder_draft = NULL;
	/* This removes it only if it is empty. */
	if (output->store)
		rmdir(output->store);
	output->store = NULL;
	if (output->committed)
		munmap(output->committed, sizeof(*output->committed));
	output->committed = NULL;
}

static int
open_file(struct output *output, const char *path, struct err *err)
{
	if (file_is_special(path)) {
		output->special_fd = open(path, O_WRONLY | O_CLOEXEC);
		if (output->special_fd < 0)
			return err_set_errno(err, ERR_SYSTEM, errno, "cannot write '%s'", path);
	} else if (file_draft_open(&output->draft, path, err) < 0) {
		return -1;
	}
	output->lent.path = path;
	output->lent.fd = output->special_fd >= 0 ? output->special_fd : output->draft.fd;
	return 0;
}

static int
open_output(struct output *output, const struct confinement *confinement, struct err *err)
{
	const char *file = confinement->file;

	*output = (struct output){.special_fd = -1, .draft.fd = -1};
	output->committed = mmap(NULL, sizeof(*output->committed), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (output->committed == MAP_FAILED) {
		output->committed = NULL;
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot isolate reading");
	}
	output->lent.committed = output->committed;
	if (file && strcmp(file, "-") != 0)
		return open_file(output, file, err);
	if (confinement->folder) {
		if (file_dir_draft(confinement->folder, &output->folder_draft, err) < 0)
			return -1;
		output->lent.path = confinement->folder;
		output->lent.temp_path = output->folder_draft;
	}
	if (confinement->store && !file_exists(confinement->store)) {
		output->store = confinement->store;
		return file_make_output_folder(confinement->store, err);
	}
	return 0;
}

/* Moves the output into its place. */
static int
commit(struct output *output, const struct confinement *confinement, struct err *err)
{
	int result = 0;

	if (output->draft.path)
		result = file_commit(&output->draft, err);
	if (output->folder_draft) {
		result = file_dir_commit(output->folder_draft, confinement->folder, err);
		output->folder_draft = NULL;
	}
	return result;
}

/* The folder where libdebuginfod keeps files: debuginfod_find_debuginfo(3), "CACHE". */
static char *
debuginfod_cache(void)
{
	const char *given = getenv("DEBUGINFOD_CACHE_PATH");
	const char *xdg = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");

	if (given && *given)
		return mem_strdup(given);
	if (xdg && *xdg)
		return file_join(xdg, "debuginfod_client");
	return home && *home ? mem_printf("%s/.cache/debuginfod_client", home) : NULL;
}

/*
 * Gives up all rights but those that the call needs. `draft`: of an output that is a folder, or
 * NULL.
 */
static int
enter_confinement(const char *draft, const struct confinement *confinement, const char *cache,
	struct err *err)
{
	const char *folders[4];
	struct sandbox_rules rules = {
		.folders = folders,
		.programs = confinement->programs,
		.network = confinement->debuginfod,
	};

	if (draft)
		folders[rules.nfolders++] = draft;
	if (confinement->store)
		folders[rules.nfolders++] = confinement->store;
	if (confinement->reports)
		folders[rules.nfolders++] = confinement->reports;
	if (cache)
		folders[rules.nfolders++] = cache;
	return sandbox_enter(&rules, err);
}

/*
 * Ends as the child did: with its exit code, or by the signal that a user or a closed pipe sent it.
 */
static int
take_end(int status, long memory_kills_before, const struct cli_call *call, struct err *err)
{
	static const int ordinary[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

	if (WIFEXITED(status)) {
		*call->exit_code = WEXITSTATUS(status);
		return 0;
	}
	for (size_t i = 0; i < sizeof(ordinary) / sizeof(ordinary[0]); i++) {
		if (WTERMSIG(status) == ordinary[i]) {
			draft_remove_all();
			signal(ordinary[i], SIG_DFL);
			raise(ordinary[i]);
		}
	}
	err_set(err, ERR_SYSTEM, "the isolated process that reads input was ended by %s",
		strsignal(WTERMSIG(status)));
	if (WTERMSIG(status) == SIGKILL)
		err_note(err, "%s", memory_kills_explain(memory_kills_before));
	return -1;
}

static int
wait_for(pid_t pid, struct output *output, const struct confinement *confinement,
	const struct cli_call *call, struct err *err)
{
	const long memory_kills_before = memory_kills();
	int status;
	pid_t ended;

	draft_set_writer(pid);
	do
		ended = waitpid(pid, &status, 0);
	while (ended < 0 && errno == EINTR);
	draft_set_writer(0);
	if (ended < 0)
		return err_set_errno(
			err, ERR_SYSTEM, errno, "cannot wait for the isolated process");
	if (take_end(status, memory_kills_before, call, err) < 0)
		return -1;
	assert(output->committed);
	return *output->committed ? commit(output, confinement, err) : 0;
}

static char *
prepare_cache(const struct confinement *confinement)
{
	struct err ignored = {0};
	char *cache = confinement->debuginfod ? debuginfod_cache() : NULL;

	if (cache && file_make_dirs(cache, &ignored) < 0) {
		free(cache);
		cache = NULL;
	}
	return cache;
}

/* Confines a child, not this process: the output has to be moved into its place with our rights. */
static enum confined
run_child(const struct cli_call *call, const struct confinement *confinement, const char *cache,
	struct err *err)
{
	struct output output;
	enum confined result = CONFINED_FAILED;
	const pid_t self = getpid();

	if (open_output(&output, confinement, err) < 0)
		goto out;
	fflush(NULL);
	pid_t pid = fork();

	if (pid < 0) {
		err_set_errno(err, ERR_SYSTEM, errno, "cannot isolate reading");
		err_note(err, "'--no-sandbox' reads without isolation");
	} else if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != self)
			raise(SIGKILL);
		file_lend(&output.lent);
		return enter_confinement(output.folder_draft, confinement, cache, err) < 0
			       ? CONFINED_FAILED
			       : CONFINED_INSIDE;
	} else if (wait_for(pid, &output, confinement, call, err) == 0) {
		result = CONFINED_OVER;
	}
out:
	abandon(&output);
	return result;
}

static enum confined
run_confined(const struct cli_call *call, const struct confinement *confinement, struct err *err)
{
	bool has_file = confinement->file && strcmp(confinement->file, "-") != 0;
	bool makes_store = confinement->store && !file_exists(confinement->store);
	char *cache = prepare_cache(confinement);
	enum confined result = CONFINED_FAILED;

	if (has_file || confinement->folder || makes_store)
		result = run_child(call, confinement, cache, err);
	else if (!confinement->reports || publish_prepare(confinement->reports, err) == 0)
		result = enter_confinement(NULL, confinement, cache, err) < 0 ? CONFINED_FAILED
									      : CONFINED_INSIDE;
	free(cache);
	return result;
}

enum confined
confine(const struct cli_call *call, const struct confinement *confinement, struct err *err)
{
	if (!IS_POSSIBLE || !cli_sandbox_wanted())
		return CONFINED_INSIDE;
	if (!sandbox_support().filter) {
		log_debug("this kernel has no seccomp filters: input is read without isolation");
		return CONFINED_INSIDE;
	}
	return run_confined(call, confinement, err);
}

enum confined
confine_picture(const struct cli_call *call, const char *path, bool debuginfod, struct err *err)
{
	const struct confinement confinement = {
		.file = path,
		.programs = picture_is_png(path),
		.debuginfod = debuginfod,
	};

	return confine(call, &confinement, err);
}

enum confined
confine_report(
	const struct cli_call *call, const char *folder, const char *reports, struct err *err)
{
	const struct confinement confinement = {
		.folder = folder,
		.reports = folder ? NULL : reports,
	};

	return confine(call, &confinement, err);
}
