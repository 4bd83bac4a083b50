#include "builds/program.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "process/process.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Build, setup and teardown may take long, but not for ever. */
#define SHELL_TIMEOUT_S 3600.0

static int
run_named(const struct workload *workload, const char *step, const char *command, struct err *err)
{
	char *what = mem_printf("%s of %s", step, workload->name);
	/* A build is done where profile_run was started, as the workload's paths are written. */
	bool is_build = command == workload->build;
	int result = process_run_shell(what, command, is_build ? NULL : workload->env,
		is_build ? NULL : workload->cwd, SHELL_TIMEOUT_S, err);

	free(what);
	return result;
}

int
program_build(const struct workload *workload, struct err *err)
{
	if (!workload->build)
		return 0;
	log_progress("%s: building", workload->name);
	return run_named(workload, "build", workload->build, err);
}

int
program_set_up(const struct workload *workload, struct err *err)
{
	return workload->setup ? run_named(workload, "setup", workload->setup, err) : 0;
}

void
program_tear_down(const struct workload *workload)
{
	struct err failure = {0};

	if (workload->teardown && run_named(workload, "teardown", workload->teardown, &failure) < 0)
		log_warn("%s: %s", workload->name, failure.text);
}

/* `path`, which is freed, as the program finds it; NULL if that is no plain file. */
static char *
plain_file(const struct workload *workload, char *path)
{
	struct stat file;

	if (workload->cwd && path[0] != '/') {
		char *joined = file_join(workload->cwd, path);

		free(path);
		path = joined;
	}
	/* Reading a FIFO or a device might never end. */
	if (stat(path, &file) == 0 && S_ISREG(file.st_mode))
		return path;
	free(path);
	return NULL;
}

/* Where programs are looked for: as the workload has it. */
static const char *
search_path(const struct workload *workload)
{
	for (const char *const *env = workload->env; env && *env; env++)
		if (strncmp(*env, "PATH=", strlen("PATH=")) == 0)
			return *env + strlen("PATH=");
	return getenv("PATH");
}

/* The file an argument names: as it stands, or (the program itself) along PATH. NULL if none. */
static char *
find_file(const struct workload *workload, const char *argument, bool is_program)
{
	if (strchr(argument, '/') || !is_program)
		return plain_file(workload, mem_strdup(argument));
	const char *dirs = search_path(workload);

	while (dirs && *dirs) {
		size_t len = strcspn(dirs, ":");
		/* An empty one is the current folder (execvp(3)). */
		char *path = plain_file(
			workload, len > 0 ? mem_printf("%.*s/%s", (int)len, dirs, argument)
					  : mem_strdup(argument));

		if (path && access(path, X_OK) == 0)
			return path;
		free(path);
		dirs += len + (dirs[len] == ':');
	}
	return NULL;
}

int
program_hash(const struct workload *workload, char text[HASH_TEXT_SIZE], struct err *err)
{
	struct buf hashes = {0};
	int result = 0;

	for (size_t i = 0; workload->run[i] && result == 0; i++) {
		char one[HASH_TEXT_SIZE];
		char *path = find_file(workload, workload->run[i], i == 0);

		if (path) {
			result = hash_file(path, one, err);
			if (result == 0)
				buf_printf(&hashes, "%s\n", one);
		}
		free(path);
	}
	hash_text(buf_text(&hashes), hashes.len, text);
	buf_release(&hashes);
	return result;
}
