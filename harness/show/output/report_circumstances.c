/* The known circumstances of both sides' runs: program, machine and recording. */
#include "output/report_view.h"

#include "format/figures.h"
#include "profile/counters.h"

#include <string.h>

/* Enough digits to distinguish hashes. */
#define HASH_DIGITS 16
#define CIRCUMSTANCES (sizeof(circumstance_names) / sizeof(circumstance_names[0]))

/* The origin of one side's runs; a text is NULL or "" if it is not known. */
struct origin {
	const char *commit;
	const char *program_hash;
	const char *workload_hash;
	const char *machine_class;
	const struct machine *machine; /* NULL: not known */
	const char *tool_version;
	int64_t taken; /* 0: not known */
};

/* The texts of one side, in the order of `circumstance_names`. */
struct column {
	struct arena *arena;
	const char *texts[VIEW_CIRCUMSTANCES_MAX];
	size_t n;
};

static const char *const circumstance_names[] = {"Recorded on", "Metric", "Event", "Frequency",
	"Call graph", "Stack copied", "Runs", "Commit", "Program hash", "Workload hash",
	"Machine class", "Processor", "Architecture", "CPUs", "Memory", "Kernel", "System",
	"Hypervisor", "profile_run", "Taken"};

_Static_assert(CIRCUMSTANCES <= VIEW_CIRCUMSTANCES_MAX, "there is room for all");

static void
add_text(struct column *column, const char *text)
{
	column->texts[column->n++] = text ? text : "";
}

static void
add_id(struct column *column, const struct profile *profile, str_id text)
{
	add_text(column, text ? strtab_str(&profile->strings, text) : "");
}

/* 0 means not known. */
static void
add_number(struct column *column, double value, const char *unit)
{
	struct buf text = {0};

	if (value > 0 && strcmp(unit, " GiB") == 0)
		buf_put_fixed(&text, value, 1);
	else if (value > 0)
		buf_put_short(&text, value);
	buf_puts(&text, value > 0 ? unit : "");
	add_text(column, arena_strdup(column->arena, buf_text(&text)));
	buf_release(&text);
}

/* "10", "10 of 60 executions each" */
static void
add_runs(struct column *column, const struct profile *profile)
{
	struct buf text = {0};

	if (profile->nruns > 0)
		format_count(&text, (double)profile->nruns);
	executions_put(profile, 0, profile->nruns, &text);
	add_text(column, arena_strdup(column->arena, buf_text(&text)));
	buf_release(&text);
}

static void
add_hash(struct column *column, const char *hash)
{
	add_text(column, arena_printf(column->arena, "%.*s", HASH_DIGITS, hash ? hash : ""));
}

static void
fill_column(struct column *column, const struct profile *profile, const struct origin *origin)
{
	static const struct profile no_profile = {0};
	static const struct machine no_machine = {0};
	const struct profile *known = profile ? profile : &no_profile;
	const struct machine *machine = origin->machine ? origin->machine : &no_machine;
	struct buf taken = {0};

	add_id(column, known, known->host);
	add_id(column, known, known->metric);
	add_id(column, known, known->event);
	add_number(column, known->frequency_hz, " Hz");
	add_id(column, known, known->callgraph);
	add_number(column, known->stack_bytes / 1024.0, " KiB");
	add_runs(column, known);
	add_text(column, origin->commit);
	add_hash(column, origin->program_hash);
	add_hash(column, origin->workload_hash);
	add_text(column, origin->machine_class);
	add_text(column, machine->cpu_model);
	add_text(column, machine->arch);
	add_number(column, machine->cpus, "");
	add_number(column, machine->memory_gib, " GiB");
	add_text(column, machine->kernel);
	add_text(column, machine->os);
	add_text(column, machine->hypervisor);
	add_text(column, origin->tool_version);
	if (origin->taken != 0)
		format_time(&taken, origin->taken);
	add_text(column, arena_strdup(column->arena, buf_text(&taken)));
	buf_release(&taken);
}

/* Profiles that were captured elsewhere have no origin but that in their own records. */
static void
find_origins(const struct workload_view *workload, const struct report *report,
	struct origin *before, struct origin *after)
{
	const struct gate_input *input = &workload->judgement->input;
	const struct machine *machine = workload->workload->machine;
	const struct baseline_info *info = input->before_info;
	bool stored = input->mode == GATE_STORED && info;

	*before = *after = (struct origin){0};
	if (input->mode == GATE_FILES)
		return;
	*after = (struct origin){.commit = report->commit,
		.program_hash = input->program_hash,
		.workload_hash = input->workload->hash,
		.machine_class = input->machine_class,
		.machine = machine ? machine : report->machine,
		.tool_version = report->tool_version,
		.taken = stored ? report->started : 0};
	if (info)
		*before = (struct origin){.commit = info->commit,
			.program_hash = info->program_hash,
			.workload_hash = info->workload_hash,
			.machine_class = info->machine_class,
			.machine = &info->machine,
			.tool_version = info->tool_version,
			.taken = stored ? info->created : 0};
}

void
report_circumstances(
	struct workload_view *workload, const struct report *report, struct arena *arena)
{
	struct column before = {.arena = arena};
	struct column after = {.arena = arena};
	struct origin origins[2];
	struct buf differing = {0};

	find_origins(workload, report, &origins[0], &origins[1]);
	fill_column(&before, workload->before.profile, &origins[0]);
	fill_column(&after, workload->after.profile, &origins[1]);
	for (size_t i = 0; i < CIRCUMSTANCES; i++) {
		const struct circumstance known = {.name = circumstance_names[i],
			.before = before.texts[i],
			.after = after.texts[i],
			/* The time of recording always differs. */
			.differs = before.texts[i][0] && after.texts[i][0] &&
				   strcmp(before.texts[i], after.texts[i]) != 0 &&
				   i != CIRCUMSTANCES - 1};

		if (!known.before[0] && !known.after[0])
			continue;
		workload->circumstances[workload->ncircumstances++] = known;
		if (known.differs)
			buf_printf(&differing, "%s%s", differing.len > 0 ? ", " : "",
				circumstance_names[i]);
	}
	workload->differing = arena_strdup(arena, buf_text(&differing));
	buf_release(&differing);
}
