/*
 * The phases of a program, by the marks that it set while it was recorded.
 */
#include "base/buf.h"
#include "base/mem.h"
#include "ingest/ingest.h"
#include "ingest/labels.h"
#include "ingest/perfdata_internal.h"
#include "perfdata/writer.h"

#include <string.h>

bool
phase_marks_are_of(const char *event)
{
	return strcmp(event, PHASE_EVENT) == 0 ||
	       strncmp(event, PHASE_PROBE_EVENT, strlen(PHASE_PROBE_EVENT)) == 0;
}

void
phase_marks_init(struct phase_marks *phases, const struct perfdata_reader *reader)
{
	*phases = (struct phase_marks){.reader = reader};
	strtab_init(&phases->names);
	for (size_t i = 0; i < perfdata_nevents(reader); i++)
		phases->known =
			phases->known || phase_marks_are_of(perfdata_event(reader, i)->name);
}

void
phase_marks_release(struct phase_marks *phases)
{
	if (phases->reader)
		strtab_release(&phases->names);
	*phases = (struct phase_marks){.reader = NULL};
}

bool
phase_marks_take(struct phase_marks *phases, const struct comms *comms, const struct record *record)
{
	if (!phases->known || record->type != PERF_RECORD_SAMPLE)
		return false;
	const char *event = perfdata_event(phases->reader, record->event)->name;
	const struct record_sample *sample = &record->u.sample;

	if (!phase_marks_are_of(event))
		return false;
	if (event[strlen(PHASE_EVENT)] == '\0') {
		const char *name = (const char *)sample->raw_data;

		phases->now = name ? strtab_intern(&phases->names, name,
					     strnlen(name, sample->raw_data_bytes))
				   : 0;
	} else if (comms_know(comms, record->id.tid)) {
		phases->now = strtab_intern_str(&phases->names, event + strlen(PHASE_PROBE_EVENT));
	}
	return true;
}

void
phase_marks_note(const struct phase_marks *phases, struct err *err)
{
	struct buf names = {0};

	for (str_id id = 1; id < phases->names.nentries; id++)
		buf_printf(
			&names, "%s%s", names.len > 0 ? ", " : "", strtab_str(&phases->names, id));
	if (names.len > 0)
		err_note(err, "its phases are: %s", buf_text(&names));
	buf_release(&names);
}

const char *
phase_marks_name(const struct phase_marks *phases)
{
	return phases->now ? strtab_str(&phases->names, phases->now) : NULL;
}

int
phase_marks_check(const struct phase_marks *phases, const struct ingest_options *options,
	const char *path, struct err *err)
{
	if (phases->known || (!labels_have(&options->by, LABEL_PHASE) &&
				     (!options->only_value || options->only.kind != LABEL_PHASE)))
		return 0;
	err_set(err, ERR_INPUT, "%s: has no phases", path);
	return err_note(err, "'capture --phases pipe' records the phases that a program announces");
}
