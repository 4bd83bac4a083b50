#include "machine/prepare.h"

#include "base/mem.h"
#include "machine/prepare_change.h"
#include "machine/prepare_state.h"
#include "machine/prepare_steps.h"
#include "process/keeper.h"
#include "process/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct prepare {
	char *root;
	char *text;
	struct prepare_holder holder;
	bool holds; /* we stand in the file */
	struct keeper keeper;
};

/* Removes `holder` from the file, and restores everything if no other is left. */
static int
leave(const char *root, struct prepare_holder holder, struct buf *notes, struct err *err)
{
	struct prepare_store store;
	int opened = prepare_store_open(&store, root, false, err);

	if (opened <= 0)
		return opened;
	prepare_state_leave(&store.state, holder);
	if (store.state.nholders == 0)
		prepare_state_undo(&store.state, root, notes);
	int result = prepare_store_write(&store, err);

	prepare_store_close(&store);
	return result;
}

/* Waits until the process at the other end of the line has ended. */
static void
restore_at_end(int line, void *context)
{
	const struct prepare *prepare = context;
	struct err err = {0};
	struct buf notes = {0};
	char byte;

	while (read(line, &byte, 1) > 0 || errno == EINTR)
		errno = 0;
	leave(prepare->root, prepare->holder, &notes, &err);
}

/* Adds what the plan wants and the state does not have; returns where the new ones begin. */
static size_t
take_over(struct prepare_state *state, const struct prepare_plan *plan)
{
	size_t first = state->nchanges;

	for (size_t i = 0; i < plan->wanted.nchanges; i++)
		prepare_state_add(state, &plan->wanted.changes[i]);
	return first;
}

/* Those that fail are taken out again. */
static bool
make_changes(struct prepare_state *state, size_t first, const char *root, struct buf *notes)
{
	bool all = true;

	for (size_t i = first; i < state->nchanges;) {
		if (prepare_apply(&state->changes[i], root, notes) == 0) {
			i++;
			continue;
		}
		prepare_state_drop(state, i);
		all = false;
	}
	return all;
}

static int
begin(struct prepare *prepare, const struct prepare_options *options, struct prepare_plan *plan,
	struct prepare_store *store, struct err *err)
{
	struct prepare_state *state = &store->state;

	prepare_state_leave(state, prepare->holder);
	if (state->nholders == 0 && state->nchanges > 0) {
		buf_puts(plan->notes, "restored settings left behind by a killed profile_run\n");
		prepare_state_undo(state, plan->root, plan->notes);
	}
	prepare_steps_plan(plan);
	size_t first = take_over(state, plan);

	prepare_state_join(state, prepare->holder);
	/* Written before anything is changed, with a process ready to restore it. */
	if (prepare_store_write(store, err) < 0)
		return -1;
	if (state->nchanges == 0)
		return 0;
	prepare->holds = true;
	if (!options->unkept)
		keeper_start(&prepare->keeper, "restorer", restore_at_end, prepare);
	if (make_changes(state, first, plan->root, plan->notes))
		return 0;
	buf_clear(&plan->text);
	buf_puts(&plan->text, "in part only");
	return prepare_store_write(store, err);
}

struct prepare *
prepare_begin(const struct prepare_options *options, struct buf *notes)
{
	struct prepare *prepare = mem_zalloc(1, sizeof(*prepare));
	struct prepare_plan plan = {
		.root = options->root, .program = options->program, .notes = notes};
	struct prepare_store store = {.lock = -1};
	struct err err = {0};

	prepare->root = mem_strdup(options->root);
	prepare->keeper.line = -1;
	prepare->holder = (struct prepare_holder){
		.pid = getpid(),
		.start = tree_start_of(getpid()),
	};
	if (prepare->holder.start == 0) {
		buf_puts(notes, "nothing is prepared: /proc does not show this process\n");
	} else if (prepare_store_open(&store, options->root, true, &err) < 0 ||
		   begin(prepare, options, &plan, &store, &err) < 0) {
		buf_printf(notes, "nothing is prepared: %s\n", err.text);
		buf_clear(&plan.text);
	}
	prepare_store_close(&store);
	prepare->text =
		mem_strdup(plan.text.len > 0 ? buf_text(&plan.text) : "nothing could be changed");
	buf_release(&plan.text);
	prepare_state_release(&plan.wanted);
	return prepare;
}

const char *
prepare_text(const struct prepare *prepare)
{
	return prepare->text;
}

void
prepare_end(struct prepare *prepare, struct buf *notes)
{
	struct err err = {0};

	if (!prepare)
		return;
	if (prepare->holds && leave(prepare->root, prepare->holder, notes, &err) < 0)
		buf_printf(notes, "%s\n", err.text);
	keeper_stop(&prepare->keeper);
	free(prepare->root);
	free(prepare->text);
	free(prepare);
}

int
prepare_restore(const char *root, struct buf *notes, struct err *err)
{
	struct prepare_store store;
	int opened = prepare_store_open(&store, root, false, err);

	if (opened <= 0)
		return opened;
	struct prepare_state *state = &store.state;
	size_t nchanges = state->nchanges;

	prepare_state_leave(state, (struct prepare_holder){.pid = -1});
	if (nchanges > 0 && state->nholders > 0) {
		buf_printf(notes,
			"settings are changed by process %d, which is measuring and will restore them\n",
			(int)state->holders[0].pid);
	} else if (nchanges > 0) {
		buf_printf(notes,
			"restored settings left behind by a killed profile_run: %zu setting%s\n",
			nchanges, nchanges == 1 ? "" : "s");
		prepare_state_undo(state, root, notes);
	}
	int result = prepare_store_write(&store, err);

	prepare_store_close(&store);
	return result;
}
