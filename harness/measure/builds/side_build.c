#include "builds/side_build.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "builds/build_side.h"
#include "builds/git.h"
#include "builds/program.h"
#include "builds/program_files.h"
#include "builds/side_workload.h"
#include "builds/worktree.h"
#include "process/process.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Names a build in a worktree by a hash of its folder, its command and the variables of the
 * workload: several projects of one repository may have workloads of one name.
 */
static void
name_build(const struct build_side *side, const struct workload *there, char name[SHA256_TEXT_SIZE])
{
	struct buf text = {0};
	const char *folder = side->root + strlen(side->worktree->path);

	buf_printf(&text, "%zu %s\n%zu %s\n", strlen(folder), folder, strlen(there->build),
		there->build);
	for (size_t i = 0; there->env && there->env[i]; i++)
		buf_printf(&text, "%zu %s\n", strlen(there->env[i]), there->env[i]);
	sha256_text(buf_text(&text), text.len, name);
	buf_release(&text);
}

static int
build_there(const struct build_side *side, const struct workload *there, const char *output_path,
	struct err *err)
{
	char *what = mem_printf("build of %s in %s", there->name, side->name);
	double start_s = clock_seconds();
	struct arena arena = {0};
	/* The variables that git would take for another repository's are removed. */
	const char *const *env = side_environment(side, git_local_variables, &arena);

	log_step("%s: building %s", there->name, side->name);
	const struct shell_command command = {.what = what,
		.text = side_text(side, there->build, &arena),
		.env = env,
		.cwd = side->root,
		.timeout_s = program_build_limit_s(there),
		.output_path = output_path};
	int result = process_run_command(&command, err);

	arena_release(&arena);
	free(what);
	return result < 0 ? program_note_build_limit(there, start_s, err) : 0;
}

/* Whether the program is a path, and there is no file. */
static bool
lacks_program(const struct workload *there)
{
	char *path = program_path(there, there->run[0]);
	const bool lacks = strchr(there->run[0], '/') && !file_exists(path);

	free(path);
	return lacks;
}

/* Under the lock of builds. A build without its program is not kept, unless setup may make it. */
static int
build_kept(const struct build_side *side, const struct workload *there, const char *output_path,
	struct err *err)
{
	const bool lacks_it = !there->setup && lacks_program(there);
	char name[SHA256_TEXT_SIZE];

	name_build(side, there, name);
	if (!lacks_it && worktree_has_done(side->worktree, name)) {
		log_debug("%s: %s has been built before", there->name, side->name);
		return 0;
	}
	worktree_forget(side->worktree, name);
	if (build_there(side, there, output_path, err) < 0)
		return -1;
	if (!there->setup && lacks_program(there))
		return 0;
	return worktree_note_programs(side->worktree, err) < 0
		       ? -1
		       : worktree_note_done(side->worktree, name, err);
}

int
build_side_build(const struct build_side *side, const struct workload *there,
	const char *output_path, struct err *err)
{
	if (!side->builds || !there->build)
		return 0;
	if (!side->worktree)
		return program_build(there, output_path, err);
	int lock = worktree_lock_builds(side->worktree, err);

	if (lock < 0)
		return -1;
	int result = build_kept(side, there, output_path, err);

	close(lock);
	return result;
}

/* The files that setup made are noted; others will be built again. */
static int
note_setup(const struct build_side *side, const struct workload *there, bool lacks, struct err *err)
{
	char name[SHA256_TEXT_SIZE];
	int lock = worktree_lock_builds(side->worktree, err);
	int result = lock < 0 ? -1 : worktree_note_programs(side->worktree, err);

	if (lacks && there->build) {
		name_build(side, there, name);
		worktree_forget(side->worktree, name);
	}
	if (lock >= 0)
		close(lock);
	return result;
}

int
build_side_check_program(
	const struct build_side *side, const struct workload *there, struct err *err)
{
	const bool lacks = lacks_program(there);

	if (side->worktree && there->setup && note_setup(side, there, lacks, err) < 0)
		return -1;
	if (!lacks)
		return 0;
	char *path = program_path(there, there->run[0]);

	err_set(err, ERR_MEASURE, "there is no program '%s'%s", there->run[0],
		side->builds && there->build ? " after its build" : "");
	err_note(err, "it would be '%s'", path);
	if (side->builds && there->build)
		err_note(err, "the build was: %s", there->build);
	if (side->worktree)
		err_note(err, "'--rebuild' checks the commit out and builds it again");
	free(path);
	return -1;
}
