#include "gate/gate.h"

#include "base/file.h"
#include "base/mem.h"
#include "gate/gate_report.h"
#include "gate/judge.h"
#include "output/plan_report.h"
#include "replay/publish.h"

#include <stdlib.h>
#include <string.h>

/* Prints the result and writes the copy of verdict.json, which may be the printed one. */
static int
put_results(const struct gate_options *options, const struct buf *verdict, const struct buf *json,
	struct buf *text, struct err *err)
{
	bool prints_json = options->json && strcmp(options->json, "-") == 0;
	const struct buf *printed = prints_json ? json : verdict;

	buf_put(text, buf_text(printed), printed->len);
	return options->json && !prints_json
		       ? file_write(options->json, buf_text(json), json->len, err)
		       : 0;
}

/* Writes the plans of the workloads. */
static int
put_plans(const struct gate_rounds *rounds, struct buf *text, struct err *err)
{
	const char *json_path = rounds->options->json;
	const bool prints_json = json_path && strcmp(json_path, "-") == 0;
	struct plan_entry *entries = mem_zalloc(rounds->n, sizeof(*entries));
	struct buf json = {0};
	int result = 0;

	for (size_t i = 0; i < rounds->n; i++)
		entries[i] = (struct plan_entry){
			.workload = rounds->measurements[i].workload->name,
			.plan = &rounds->workloads[i].plan,
			.error = rounds->measurements[i].error,
		};
	plan_put_json(entries, rounds->n, &json);
	if (prints_json)
		buf_put(text, buf_text(&json), json.len);
	else
		plan_put_text(entries, rounds->n, text);
	if (json_path && !prints_json)
		result = file_write(json_path, buf_text(&json), json.len, err);
	buf_release(&json);
	free(entries);
	return result;
}

static int
plan_only(struct gate_rounds *rounds, struct buf *text, struct err *err)
{
	char *scratch = NULL;
	int result = file_dir_scratch(&scratch, err);

	if (result == 0) {
		result = gate_rounds_plan(rounds, scratch, err);
		file_dir_abandon(scratch);
	}
	return result == 0 ? put_plans(rounds, text, err) : -1;
}

int
gate_run(const struct gate_options *options, int *exit_code, struct buf *text, struct err *err)
{
	struct gate_rounds rounds;
	struct buf verdict = {0};
	struct buf json = {0};
	char *draft = NULL;
	int result = -1;

	if (gate_rounds_init(&rounds, options, err) < 0)
		return -1;
	if (options->plan) {
		*exit_code = 0;
		result = plan_only(&rounds, text, err);
		gate_rounds_release(&rounds);
		return result;
	}
	char *folder =
		publish_begin(options->config->reports_dir, rounds.session.started, &draft, err);

	if (!folder)
		goto out;
	if (gate_rounds_run(&rounds, draft, err) < 0 ||
		gate_write_report(&rounds, draft, folder, exit_code, &verdict,
			options->json ? &json : NULL, err) < 0) {
		file_dir_abandon(draft);
		goto out;
	}
	result = publish_finish(draft, folder, err);
	if (result == 0)
		result = put_results(options, &verdict, &json, text, err);
	if (options->bisect)
		*exit_code = judge_bisect_code(rounds.judgements, rounds.n);
out:
	buf_release(&verdict);
	buf_release(&json);
	free(folder);
	gate_rounds_release(&rounds);
	return result;
}
