/*
 * Any folded text as a report: its first half judged against its second, and all of it without a
 * baseline. The page's body must be well-formed and, when written again, the same bytes.
 */
#include "folded_input.h"

#include "base/mem.h"
#include "output/html_check.h"
#include "output/output.h"
#include "spec/policy.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(const struct report *report)
{
	struct buf once = {0};
	struct buf again = {0};

	output_write(&output_html, report, &once);
	output_write(&output_html, report, &again);
	if (!html_check_body(&once))
		abort();
	if (once.len != again.len || memcmp(buf_text(&once), buf_text(&again), once.len) != 0)
		abort();
	buf_release(&once);
	buf_release(&again);
}

/* `before` may be NULL; the text, terminated, is a message and a command, too. */
static void
judge(struct baseline *before, const struct profile *after, const char *text)
{
	const struct machine machine = {.cpu_model = "any", .cpus = 1};
	const struct workload workload = {.name = "fuzz",
		.path = "fuzz.yaml",
		.summary = text,
		.hash = "",
		.gate = gate_policy_defaults()};
	struct judgement judgement = {.input = {.workload = &workload,
					      .mode = before ? GATE_FILES : GATE_STORED,
					      .candidate = after,
					      .before = before ? &before->profile : NULL,
					      .before_info = before ? &before->info : NULL,
					      .against = text,
					      .same_session = true,
					      .machine_class = text,
					      .program_hash = text}};
	const struct report_workload entry = {.judgement = &judgement, .folder = "fuzz"};
	struct report report = {
		.tool_version = "0",
		.commit = text,
		.command = text,
		.command_options = text,
		.machine = &machine,
		.machine_class = text,
		.event_reason = text,
		.pinning = text,
		.folder = "",
		.workloads = &entry,
		.nworkloads = 1,
	};

	struct judgement *const all = &judgement;

	judge_gate(&all, 1, &report.status);
	report.exit_code = judge_exit_code(&all, 1);
	check(&report);
	judgement_release(&judgement);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *bytes = (const char *)data;
	char *text = mem_dup(bytes, size);
	size_t half = size / 2;
	struct baseline before = {.info = {.nsessions = 1}};
	struct profile whole;
	struct profile after;

	while (half < size && bytes[half] != '\n')
		half++;
	bool is_whole = read_folded(&whole, bytes, size);
	bool is_before = read_folded(&before.profile, bytes, half);
	bool is_after = read_folded(&after, bytes + half, size - half);

	if (is_whole) {
		profile_sort(&whole);
		judge(NULL, &whole, text);
	}
	if (is_before && is_after) {
		profile_sort(&before.profile);
		profile_sort(&after);
		judge(&before, &after, text);
	}
	profile_release(&whole);
	profile_release(&before.profile);
	profile_release(&after);
	free(text);
	return 0;
}
