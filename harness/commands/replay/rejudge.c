#include "replay/rejudge.h"

#include "base/mem.h"
#include "gate/judge.h"
#include "output/replay_file.h"

#include <stdlib.h>

void
rejudge_add(struct rejudge *rejudge, struct replay_file *file)
{
	rejudge->files = mem_grow(rejudge->files, &rejudge->capacity, rejudge->nfiles + 1,
		sizeof(struct replay_file *));
	rejudge->files[rejudge->nfiles++] = file;
}

void
rejudge_make(struct rejudge *rejudge)
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
	enum status status;

	judge_gate(all, n, &status);
	report_conclude(&rejudge->report, status, judge_exit_code(all, n));
	free(all);
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
