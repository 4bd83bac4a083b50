#include "profile/run_view.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

void
run_view_init(struct run_view *view, const struct profile *of)
{
	*view = (struct run_view){.profile = *of, .of = of};
	view->profile.runs = mem_zalloc(of->nruns + 1, sizeof(*view->profile.runs));
	view->profile.runs_capacity = of->nruns + 1;
	view->profile.tree.columns = mem_zalloc(of->nruns + 1, sizeof(*view->profile.tree.columns));
	view->profile.tree.columns_capacity = of->nruns + 1;
	run_view_clear(view);
}

void
run_view_release(struct run_view *view)
{
	free(view->profile.runs);
	free(view->profile.tree.columns);
	*view = (struct run_view){0};
}

void
run_view_clear(struct run_view *view)
{
	view->profile.nruns = 0;
	view->profile.tree.ncolumns = 0;
}

struct run *
run_view_add(struct run_view *view, size_t column)
{
	size_t at = view->profile.nruns++;

	assert(at < view->of->nruns && column < view->of->nruns);
	view->profile.tree.columns[at] = view->of->tree.columns[column];
	view->profile.tree.ncolumns++;
	view->profile.runs[at] = view->of->runs[column];
	return &view->profile.runs[at];
}
