#include "builds/side_workload.h"

#include "base/mem.h"
#include "builds/build_side.h"
#include "builds/path_map.h"
#include "builds/tree_text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

const char *
side_text(const struct build_side *side, const char *text, struct arena *arena)
{
	struct mover mover = {.side = side, .arena = arena};

	return text_there(&mover, "build", text);
}

const char *const *
side_environment(const struct build_side *side, const char *const *env, struct arena *arena)
{
	struct mover mover = {.side = side, .arena = arena};

	return environment_there(&mover, env);
}
