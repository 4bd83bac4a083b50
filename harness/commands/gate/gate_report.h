/*
 * The output of a gate: its report or, with --plan, its plans.
 */
#ifndef GATE_GATE_REPORT_H
#define GATE_GATE_REPORT_H

#include "base/buf.h"
#include "base/err.h"
#include "gate/gate_steps.h"

/*
 * Writes all files of the report into `draft`, which will be moved to `folder`; removes captures
 * that are evidence for no finding. Appends the text of the verdict to `text`, and verdict.json to
 * `json`, unless these are NULL; and the commands of the options to their place.
 */
int gate_write_report(struct gate *gate, const char *draft, const char *folder, int *exit_code,
	struct buf *text, struct buf *json, struct err *err);

/*
 * Appends the plans of the workloads to `text`. By the option --json, `text` gets them as JSON, or
 * a file does.
 */
int gate_put_plans(const struct gate *gate, struct buf *text, struct err *err);

#endif
