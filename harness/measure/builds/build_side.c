#include "builds/build_side.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "builds/path_map.h"
#include "builds/repository.h"
#include "builds/tree_text.h"
#include "builds/worktree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

const char *
build_side_subject(const struct build_side *side, struct arena *arena)
{
	const char *hash = strstr(side->name, " (");

	return arena_printf(arena, "the base %.*s",
		hash ? (int)(hash - side->name) : (int)strlen(side->name), side->name);
}
