#include "replay/rejudge.h"

#include "base/mem.h"
#include "gate/evidence.h"
#include "gate/judge.h"
#include "gate/tests.h"
#include "output/replay_file.h"

#include <stdlib.h>

void
rejudge_add(struct rejudge *rejudge, struct replay_file *file)
{
	rejudge->files = mem_grow(rejudge->files, &rejudge->capacity, rejudge->nfiles + 1,
		sizeof(struct replay_file *));
	rejudge->files[rejudge->nfiles++] = file;
}

static int
load_stacks(void *context, size_t workload, struct err *err)
{
	struct rejudge *rejudge = context;

	return replay_file_restore_stacks(rejudge->files[workload], err);
}

/* Where it is compared with nothing, its report is about the candidate's call tree. */
static void
drop_stacks(void *context, size_t workload)
{
	struct rejudge *rejudge = context;

	if (!rejudge->judgements[workload].compared)
		return;
	replay_file_drop_stacks(rejudge->files[workload]);
	comparison_drop_functions(&rejudge->judgements[workload].comparison);
}

static void
judge_each(struct rejudge *rejudge, struct judgement **all)
{
	for (size_t i = 0; i < rejudge->nfiles; i++) {
		tests_make(all[i]);
		if (rejudge->report.stacks)
			drop_stacks(rejudge, i);
	}
}

/* Causes are looked for among the frames of both sides. */
static int
load_where_causes_are_wanted(struct rejudge *rejudge, struct err *err)
{
	for (size_t i = 0; i < rejudge->nfiles; i++) {
		if (judgement_wants_code(&rejudge->judgements[i]) &&
			load_stacks(rejudge, i, err) < 0)
			return -1;
	}
	return 0;
}

/* For a start, nothing is judged. */
static struct judgement **
prepare(struct rejudge *rejudge)
{
	size_t n = rejudge->nfiles;
	struct judgement **all = mem_zalloc(n, sizeof(struct judgement *));

	rejudge->judgements = mem_zalloc(n, sizeof(*rejudge->judgements));
	rejudge->entries = mem_zalloc(n, sizeof(*rejudge->entries));
	for (size_t i = 0; i < n; i++) {
		rejudge->judgements[i].input = rejudge->files[i]->judged.input;
		all[i] = &rejudge->judgements[i];
		rejudge->entries[i] = rejudge->files[i]->entry;
		rejudge->entries[i].judgement = &rejudge->judgements[i];
	}
	rejudge->report = rejudge->files[0]->report;
	rejudge->report.workloads = rejudge->entries;
	rejudge->report.nworkloads = n;
	rejudge->report.full = rejudge->full;
	rejudge->stacks = (struct report_stacks){load_stacks, drop_stacks, rejudge};
	rejudge->report.stacks = report_is_large(&rejudge->report) ? &rejudge->stacks : NULL;
	return all;
}

int
rejudge_make(struct rejudge *rejudge, struct err *err)
{
	struct judgement **all = prepare(rejudge);
	enum status status;

	judge_each(rejudge, all);
	judge_correct_tests(all, rejudge->nfiles);
	int result = load_where_causes_are_wanted(rejudge, err);

	if (result == 0) {
		judge_decide(all, rejudge->nfiles, &status);
		report_conclude(&rejudge->report, status, judge_exit_code(all, rejudge->nfiles));
	}
	free(all);
	return result;
}

void
rejudge_release(struct rejudge *rejudge)
{
	for (size_t i = 0; i < rejudge->nfiles; i++) {
		if (rejudge->judgements)
			judgement_release(&rejudge->judgements[i]);
		replay_file_release(rejudge->files[i]);
		free(rejudge->files[i]);
	}
	free(rejudge->files);
	free(rejudge->judgements);
	free(rejudge->entries);
}
