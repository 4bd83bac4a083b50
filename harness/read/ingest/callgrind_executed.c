#include "ingest/callgrind_executed.h"

#include "base/lines.h"
#include "base/mem.h"
#include "ingest/callgrind_internal.h"

/* The names of one file, of several that may be concatenated, and where its lines are. */
struct reading {
	struct callgrind_names names;
	struct key_map taken; /* key_of_pair() of an object and a function with its callers */
	str_id object;        /* of names.texts; 0: not known */
	str_id called;        /* that of the next function called; 0: the same */
};

static str_id
copy_text(struct callgrind_executed *executed, const struct strtab *from, str_id id)
{
	return strtab_intern(&executed->texts, strtab_str(from, id), strtab_len(from, id));
}

static void
take_function(struct callgrind_executed *executed, struct reading *reading, str_id object,
	str_id function)
{
	const struct strtab *texts = &reading->names.texts;
	const size_t known = reading->taken.count;

	if (object == 0 || key_map_add(&reading->taken, key_of_pair(object, function)) < known)
		return;
	const str_id leaf = callgrind_names_leaf(&reading->names, function);

	key_map_add(&executed->functions,
		key_of_pair(copy_text(executed, texts, object), copy_text(executed, texts, leaf)));
}

static void
take_position(struct callgrind_executed *executed, struct reading *reading,
	const struct callgrind_line *line)
{
	const bool called = line->place == CALLGRIND_CALLED;
	str_id id;

	if (!callgrind_names_take(&reading->names, line->names, line->value, &id) ||
		line->place == CALLGRIND_JUMPED_TO)
		return;
	if (line->names == CALLGRIND_OBJECT)
		*(called ? &reading->called : &reading->object) = id;
	if (line->names != CALLGRIND_FUNCTION)
		return;
	take_function(executed, reading,
		called && reading->called != 0 ? reading->called : reading->object, id);
	if (called)
		reading->called = 0;
}

static void
end_file(struct reading *reading)
{
	callgrind_names_release(&reading->names);
	key_map_release(&reading->taken);
}

static void
begin_file(struct reading *reading)
{
	*reading = (struct reading){0};
	callgrind_names_init(&reading->names);
}

int
callgrind_executed_read(struct callgrind_executed *executed, const char *path, struct err *err)
{
	struct file_view view;
	struct reading reading;
	struct lines lines;
	struct line text;
	int more;

	if (file_view_open(&view, path, err) < 0)
		return -1;
	*executed = (struct callgrind_executed){0};
	strtab_init(&executed->texts);
	begin_file(&reading);
	lines_init(&lines, &view);
	while ((more = lines_next(&lines, &text, err)) > 0) {
		const struct callgrind_line line = callgrind_line_parse(text);

		if (callgrind_line_is(&line, "version")) {
			end_file(&reading);
			begin_file(&reading);
		} else if (line.kind == CALLGRIND_POSITION) {
			take_position(executed, &reading, &line);
		}
		lines_done(&lines, text.at);
	}
	end_file(&reading);
	file_view_close(&view);
	if (more < 0)
		callgrind_executed_release(executed);
	return more;
}

void
callgrind_executed_release(struct callgrind_executed *executed)
{
	strtab_release(&executed->texts);
	key_map_release(&executed->functions);
}
