#include "profile/executions.h"

#include "format/figures.h"

#include <math.h>

double
executions_of_run(const struct run *run)
{
	return run->executions > 1 ? (double)run->executions : 1;
}

bool
executions_several(const struct profile *profile)
{
	for (size_t i = 0; i < profile->nruns; i++)
		if (profile->runs[i].executions > 1)
			return true;
	return false;
}

const char *
executions_basis(const struct profile *profile)
{
	return executions_several(profile) ? "execution" : "run";
}

void
executions_put(const struct profile *profile, size_t first, size_t count, struct buf *out)
{
	double least = INFINITY;
	double most = 1;

	for (size_t i = first; i < first + count; i++) {
		double executions = executions_of_run(&profile->runs[i]);

		least = fmin(least, executions);
		most = fmax(most, executions);
	}
	if (!(most > 1))
		return;
	buf_puts(out, " of ");
	format_count(out, least);
	if (most > least) {
		buf_puts(out, " to ");
		format_count(out, most);
	}
	buf_printf(out, " executions%s", count > 1 && !(most > least) ? " each" : "");
}

void
executions_put_runs(const struct profile *profile, size_t first, size_t count, struct buf *out)
{
	format_plural(out, count, "run", "runs");
	executions_put(profile, first, count, out);
}
