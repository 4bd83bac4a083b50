/*
 * The two builds of a comparison: making them of a commit, a folder or a map, and building and
 * running a workload in each.
 */
#include "builds/build_side.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "builds/path_map.h"
#include "builds/program.h"
#include "builds/repository.h"
#include "builds/worktree.h"
#include "process/process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
build_side_here(struct build_side *side)
{
	*side = (struct build_side){
		.name = mem_strdup("working tree"), .builds = true, .same = true};
}

void
build_side_release(struct build_side *side)
{
	if (side->worktree)
		worktree_close(side->worktree);
	free(side->worktree);
	path_map_free(side->map);
	path_map_free(side->back);
	tree_text_free(side->texts);
	free(side->name);
	free(side->notes);
	free(side->root);
	*side = (struct build_side){0};
}

/* The commit of a folder that a commit has files in; other folders are only inside a repository. */
static void
read_commit(struct build_side *side)
{
	static const char *const args[] = {"ls-tree", "--name-only", "HEAD", NULL};
	struct err ignored = {0};
	char *files = git_line(side->root, args, &ignored);

	if (files && *files)
		git_head(side->root, side->commit);
	free(files);
}

static int
against_folder(struct build_side *side, const char *folder, struct err *err)
{
	char *here = realpath(".", NULL);

	side->name = mem_strdup(folder);
	side->root = realpath(folder, NULL);
	if (!here || !side->root) {
		err_set_errno(err, ERR_INPUT, errno, "cannot compare with the folder '%s'", folder);
		free(here);
		return -1;
	}
	if (strcmp(here, side->root) == 0) {
		log_warn("'%s' is this very folder: the build is compared with itself", folder);
	} else {
		side->map = path_map_of_folders(here, side->root);
		side->back = path_map_of_folders(side->root, here);
		side->texts = tree_text_new(here, side->root);
	}
	free(here);
	read_commit(side);
	return 0;
}

/* Compilers and the kernel name files without links. */
static void
map_worktree(struct build_side *side, const char *here)
{
	const char *there = side->worktree->path;
	char *path = realpath(there, NULL);

	side->map = path_map_of_folders(here, there);
	side->back = path_map_of_folders(path ? path : there, here);
	side->texts = tree_text_new(here, path ? path : there);
	free(path);
}

static int
check_out(struct build_side *side, const struct repository *repository, bool anew, struct err *err)
{
	side->worktree = mem_zalloc(1, sizeof(*side->worktree));
	if (worktree_open(side->worktree, repository, side->commit, anew, err) < 0)
		return -1;
	side->root = repository->prefix[0] ? file_join(side->worktree->path, repository->prefix)
					   : mem_strdup(side->worktree->path);
	side->lacks_folder = !file_is_dir(side->root);
	map_worktree(side, repository->top);
	side->builds = true;
	return 0;
}

static int
against_commit(struct build_side *side, const char *ref, bool anew, struct err *err)
{
	struct repository repository;
	struct buf notes = {0};

	if (repository_open(&repository, err) < 0)
		return -1;
	int result = repository_resolve(&repository, "--against", ref, side->commit, err);

	if (result == 0) {
		side->name = repository_commit_name(ref, side->commit);
		repository_note_differences(&repository, ref, side->commit, &notes);
		result = check_out(side, &repository, anew, err);
	}
	if (result == 0 && side->worktree->changed)
		buf_printf(&notes, "%s%s", notes.len > 0 ? " " : "", side->worktree->changed);
	if (result == 0 && notes.len > 0)
		side->notes = mem_strdup(buf_text(&notes));
	buf_release(&notes);
	repository_release(&repository);
	return result;
}

static bool
is_yaml(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

int
build_side_of_commit(struct build_side *side, const struct repository *repository,
	const char *commit, bool anew, struct err *err)
{
	*side = (struct build_side){.name = mem_printf("%.12s", commit)};
	snprintf(side->commit, sizeof(side->commit), "%s", commit);
	if (check_out(side, repository, anew, err) == 0 && !side->lacks_folder)
		return 0;
	if (side->lacks_folder)
		err_set(err, ERR_INPUT, "there is no folder '%s' in '%s'", repository->prefix,
			side->name);
	build_side_release(side);
	return -1;
}

int
build_side_against(struct build_side *side, const char *against, bool anew, struct err *err)
{
	int result = -1;

	*side = (struct build_side){0};
	if (file_is_dir(against)) {
		result = against_folder(side, against, err);
	} else if (is_yaml(against) && file_exists(against)) {
		side->name = mem_strdup(against);
		side->map = path_map_read(against, err);
		result = side->map ? 0 : -1;
	} else {
		result = against_commit(side, against, anew, err);
		if (result < 0 && err->kind == ERR_INPUT && side->commit[0] == '\0' &&
			(is_yaml(against) || file_exists(against)))
			err_note(err,
				is_yaml(against) ? "'%s' is not there, either"
						 : "'%s' is a file, but only .yaml or .yml is "
						   "read as a map of paths",
				against);
	}
	if (result < 0) {
		err_note(err, "while looking for the base: '%s'", against);
		build_side_release(side);
	}
	return result;
}

/* The replacing of a workload's texts by those of its run in another build. */
struct mover {
	const struct build_side *side;
	struct moved_paths *moved; /* may be NULL */
	struct arena *arena;
	bool replaced; /* some text was replaced */
};

/* A text of the workload as it is in this build; the arena's, or `text` itself. */
static const char *
text_there(struct mover *mover, const char *in, const char *text)
{
	const struct build_side *side = mover->side;
	const char *other = NULL;

	if (text && side->texts)
		other = tree_text_move(side->texts, text, in, mover->moved, mover->arena);
	else if (text && side->map)
		other = path_map_find(side->map, text, mover->arena);
	mover->replaced = mover->replaced || other;
	return other ? other : text;
}

static const char *
folder_there(struct mover *mover, const char *cwd)
{
	const char *root = mover->side->root;

	if (!root)
		return cwd;
	if (!cwd)
		return arena_strdup(mover->arena, root);
	if (cwd[0] == '/')
		return text_there(mover, "cwd", cwd);
	return arena_printf(mover->arena, "%s/%s", root, cwd);
}

static const char *const *
words_there(struct mover *mover, const char *in, const char *const *words)
{
	size_t count = 0;

	while (words[count])
		count++;
	const char **there = arena_alloc(mover->arena, (count + 1) * sizeof(*there));

	for (size_t i = 0; i < count; i++)
		there[i] = text_there(mover, in, words[i]);
	return there;
}

static struct service_ready
ready_there(struct mover *mover, const struct service_ready *ready)
{
	struct service_ready there = *ready;

	if (ready->kind == READY_UNIX)
		there.text = text_there(mover, "ready", ready->text);
	if (ready->kind == READY_COMMAND)
		there.argv = words_there(mover, "ready", ready->argv);
	return there;
}

/* All that belongs to a service runs where its server does. */
static struct service *
service_there(struct mover *mover, const struct service *service, const struct workload *to)
{
	struct service *there = arena_alloc(mover->arena, sizeof(*there));
	struct service_server *needs =
		arena_alloc(mover->arena, (service->nneeds + 1) * sizeof(*needs));

	*there = *service;
	there->cwd = to->cwd;
	if (!mover->side->texts)
		return there;
	there->env = to->env;
	there->own.argv = to->run;
	there->own.ready = ready_there(mover, &service->own.ready);
	there->driver = words_there(mover, "run", service->driver);
	for (size_t i = 0; i < service->nneeds; i++) {
		needs[i] = service->needs[i];
		needs[i].argv = words_there(mover, "needs", service->needs[i].argv);
		needs[i].ready = ready_there(mover, &service->needs[i].ready);
	}
	there->needs = needs;
	return there;
}

/* Whether `list` sets or removes the variable that `entry`, "NAME=value", sets. */
static bool
has_variable(const char *const *list, const char *entry)
{
	const size_t len = strcspn(entry, "=");

	for (; list && *list; list++) {
		if (strncmp(*list, entry, len) == 0 && ((*list)[len] == '=' || !(*list)[len]))
			return true;
	}
	return false;
}

static const char *
variable_there(struct mover *mover, const char *entry)
{
	char *name = mem_dup(entry, strcspn(entry, "="));
	const char *there = text_there(mover, name, entry);

	free(name);
	return there;
}

/* The additions to the environment, and the variables of our own that hold a path to replace. */
static const char *const *
environment_there(struct mover *mover, const char *const *env)
{
	size_t count = 0;
	size_t capacity = 0;

	while (env && env[capacity])
		capacity++;
	for (char **own = environ; *own; own++)
		capacity++;
	const char **there = arena_alloc(mover->arena, (capacity + 1) * sizeof(*there));

	for (char **own = environ; *own; own++) {
		if (has_variable(env, *own))
			continue;
		const char *other = variable_there(mover, *own);

		/* OLDPWD differs from call to call, and no program needs it: it is removed. */
		if (other != *own)
			there[count++] = strncmp(*own, "OLDPWD=", 7) == 0 ? "OLDPWD" : other;
	}
	for (; env && *env; env++)
		there[count++] = variable_there(mover, *env);
	return count > 0 ? there : NULL;
}

int
build_side_workload(const struct build_side *side, const struct workload *from, struct workload *to,
	struct moved_paths *moved, struct arena *arena, struct err *err)
{
	const char *map = side->map ? path_map_source(side->map) : NULL;
	struct mover mover = {.side = side, .moved = moved, .arena = arena};

	*to = *from;
	to->arena = (struct arena){0};
	to->run = words_there(&mover, from->service ? "start" : "run", from->run);
	const bool replaced = mover.replaced;

	to->cwd = folder_there(&mover, from->cwd);
	if (side->texts) {
		to->env = environment_there(&mover, from->env);
		to->setup = text_there(&mover, "setup", from->setup);
		to->teardown = text_there(&mover, "teardown", from->teardown);
	}
	if (from->service)
		to->service = service_there(&mover, from->service, to);
	/* A relative one is resolved where the program runs. */
	if (from->stdin_path && side->root)
		to->stdin_path = text_there(&mover, "stdin", from->stdin_path);
	if (from->stdout_path && side->root)
		to->stdout_path = text_there(&mover, "stdout", from->stdout_path);
	if (!map || replaced)
		return 0;
	err_set(err, ERR_INPUT,
		"'%s' names no word of %s's command, which would be compared with itself", map,
		from->name);
	return err_note(err, "its program is '%s'", from->run[0]);
}

void
build_side_name_sources(const struct build_side *side, struct profile *profile)
{
	struct arena arena = {0};

	if (!side->back)
		return;
	for (frame_id id = 1; id < profile->frames.nframes; id++) {
		struct frame *frame = &profile->frames.frames[id];
		const char *file = strtab_str(&profile->strings, frame->file);
		const char *here = path_map_find(side->back, file, &arena);

		if (here)
			frame->file = strtab_intern_str(&profile->strings, here);
	}
	arena_release(&arena);
}

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
	struct mover mover = {.side = side, .arena = &arena};
	/* The variables that git would take for another repository's are removed. */
	const char *const *env = environment_there(&mover, git_local_variables);

	log_step("%s: building %s", there->name, side->name);
	const struct shell_command command = {.what = what,
		.text = text_there(&mover, "build", there->build),
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

const char *
build_side_subject(const struct build_side *side, struct arena *arena)
{
	const char *hash = strstr(side->name, " (");

	return arena_printf(arena, "the base %.*s",
		hash ? (int)(hash - side->name) : (int)strlen(side->name), side->name);
}
