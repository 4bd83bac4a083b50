#include "history/history_files.h"

#include "scratch.h"
#include "unit.h"

#include <math.h>
#include <string.h>

void suite_history_history_files(void);

static struct history_entry
night(int64_t started, const char *function)
{
	return (struct history_entry){
		.started = started,
		.commit = "c",
		.metric = "cpu",
		.unit = "ns",
		.cost = 5,
		.error = NAN,
		.against = "",
		.ratio = NAN,
		.ratio_error = NAN,
		.version = "1",
		.report = "r",
		.work = "",
		.function = function,
	};
}

static void
read_text(const char *path, struct buf *out)
{
	struct err err = {0};

	buf_clear(out);
	CU_ASSERT_EQUAL_FATAL(file_read(path, out, 1 << 20, &err), 0);
}

static void
added_entries_are_read_back_in_order(void)
{
	struct scratch scratch;
	struct history history;
	struct err err = {0};
	size_t nadded = 0;
	const struct history_entry later[] = {night(200, "b"), night(200, "a")};
	const struct history_entry earlier = night(100, "");

	scratch_init(&scratch);
	CU_ASSERT_EQUAL(history_add(scratch.dir, "m2", "w", later, 2, &nadded, &err), 0);
	CU_ASSERT_EQUAL(nadded, 2);
	CU_ASSERT_EQUAL(history_add(scratch.dir, "m2", "w", &earlier, 1, &nadded, &err), 0);
	CU_ASSERT_EQUAL(history_add(scratch.dir, "m1", "w", &earlier, 1, &nadded, &err), 0);
	CU_ASSERT_EQUAL_FATAL(history_read(&history, scratch.dir, &err), 0);
	CU_ASSERT_EQUAL_FATAL(history.nfiles, 2);
	UNIT_STR_EQ(history.files[0].machine_class, "m1");
	UNIT_STR_EQ(history.files[1].workload, "w");
	CU_ASSERT_EQUAL_FATAL(history.files[1].nentries, 3);
	CU_ASSERT_EQUAL(history.files[1].entries[0].started, 100);
	UNIT_STR_EQ(history.files[1].entries[1].function, "a");
	history_release(&history);
	scratch_release(&scratch);
}

static void
adding_the_same_again_changes_no_byte(void)
{
	struct scratch scratch;
	struct err err = {0};
	struct buf first = {0};
	struct buf second = {0};
	size_t nadded = 0;
	struct history_entry entries[] = {night(100, "a"), night(100, "b")};

	scratch_init(&scratch);
	char *path = file_join(scratch.dir, "m/w.tsv");

	CU_ASSERT_EQUAL(history_add(scratch.dir, "m", "w", entries, 2, &nadded, &err), 0);
	read_text(path, &first);
	/* Whatever it says now: the measurement is there. */
	entries[0].report = "elsewhere";
	CU_ASSERT_EQUAL(history_add(scratch.dir, "m", "w", entries, 2, &nadded, &err), 0);
	CU_ASSERT_EQUAL(nadded, 0);
	read_text(path, &second);
	UNIT_STR_EQ(buf_text(&first), buf_text(&second));
	free(path);
	buf_release(&first);
	buf_release(&second);
	scratch_release(&scratch);
}

static int
parse(struct history_file *file, const char *text, struct arena *arena, struct err *err)
{
	*file = (struct history_file){0};
	return history_file_parse(file, "h.tsv", text, strlen(text), arena, err);
}

#define LINE(day, function) \
	"2026-11-" day "T00:00:00Z\tc\tcpu\tns\t5\t-\tstored\t-\t-\t-\t1\tr\t" function "\n"

/* merge=union leaves both sides' lines: twice, out of order, the header within. */
static void
merged_files_are_read_as_one(void)
{
	static const char header[] = "# profile_run history 1: started\n";
	struct history_file file;
	struct history_file straight;
	struct arena arena = {0};
	struct err err = {0};
	struct buf merged = {0};
	struct buf out[2] = {{0}};

	buf_printf(&merged, "%s%s%s%s%s%s", header, LINE("02", "f"), LINE("03", "f"), header,
		LINE("01", "f"), LINE("02", "f"));
	CU_ASSERT_EQUAL_FATAL(parse(&file, buf_text(&merged), &arena, &err), 0);
	CU_ASSERT_EQUAL_FATAL(
		parse(&straight, LINE("01", "f") LINE("02", "f") LINE("03", "f"), &arena, &err), 0);
	history_file_put(&file, &out[0]);
	history_file_put(&straight, &out[1]);
	UNIT_STR_EQ(buf_text(&out[0]), buf_text(&out[1]));
	CU_ASSERT_EQUAL(file.nentries, 3);
	history_file_release(&file);
	history_file_release(&straight);
	buf_release(&merged);
	buf_release(&out[0]);
	buf_release(&out[1]);
	arena_release(&arena);
}

static void
a_marker_of_a_conflict_is_an_error_with_its_line(void)
{
	struct history_file file;
	struct arena arena = {0};
	struct err err = {0};

	CU_ASSERT_EQUAL(parse(&file, LINE("01", "f") "<<<<<<< HEAD\n", &arena, &err), -1);
	UNIT_CONTAINS(err.text, "h.tsv:2:1: error: expected a time");
	arena_release(&arena);
}

static void
a_newer_format_is_refused(void)
{
	struct history_file file;
	struct arena arena = {0};
	struct err err = {0};

	CU_ASSERT_EQUAL(parse(&file, "# profile_run history 2: more\n", &arena, &err), -1);
	UNIT_CONTAINS(err.text, "h.tsv:1:23: error: expected version 1");
	CU_ASSERT_EQUAL(parse(&file, "# a remark\n\n", &arena, &err), 0);
	CU_ASSERT_EQUAL(file.nentries, 0);
	history_file_release(&file);
	arena_release(&arena);
}

static void
names_that_leave_the_folder_are_refused(void)
{
	static const char *const names[] = {"..", "a/b", "", ".hidden", NULL};
	const struct history_entry entry = night(100, "a");
	struct scratch scratch;
	size_t nadded;

	scratch_init(&scratch);
	for (size_t i = 0; names[i]; i++) {
		struct err err = {0};

		CU_ASSERT_EQUAL(
			history_add(scratch.dir, names[i], "w", &entry, 1, &nadded, &err), -1);
		CU_ASSERT_EQUAL(
			history_add(scratch.dir, "m", names[i], &entry, 1, &nadded, &err), -1);
	}
	scratch_release(&scratch);
}

static void
no_history_is_an_error(void)
{
	struct scratch scratch;
	struct history history;
	struct err err = {0};

	scratch_init(&scratch);
	CU_ASSERT_EQUAL(history_read(&history, scratch.dir, &err), -1);
	UNIT_CONTAINS(err.text, "there is no history in");
	scratch_release(&scratch);
}

void
suite_history_history_files(void)
{
	static const struct unit_case cases[] = {
		{"added_entries_are_read_back_in_order", added_entries_are_read_back_in_order},
		{"adding_the_same_again_changes_no_byte", adding_the_same_again_changes_no_byte},
		{"merged_files_are_read_as_one", merged_files_are_read_as_one},
		{"a_marker_of_a_conflict_is_an_error_with_its_line",
			a_marker_of_a_conflict_is_an_error_with_its_line},
		{"a_newer_format_is_refused", a_newer_format_is_refused},
		{"names_that_leave_the_folder_are_refused",
			names_that_leave_the_folder_are_refused},
		{"no_history_is_an_error", no_history_is_an_error},
		{NULL, NULL},
	};

	unit_suite("history/history_files", cases);
}
