#include "history/history_files.h"

#include "base/log.h"
#include "history/history_add.h"
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

#define LATER_LINE(second, work) \
	"2026-11-01T00:00:" second "Z\tc\tcpu\tns\t5\t-\tstored\t-\t-\t-\t1\tr\tf\t" work "\n"

/* A file of 1 MiB with a damaged line, which nothing that reads all of it gets past. */
static char *
write_large(const struct scratch *scratch, struct buf *text)
{
	struct err err = {0};
	char *folder = file_join(scratch->dir, "m");
	char *path = file_join(folder, "w.tsv");
	struct history_entry entry = night(1000, "f");

	buf_puts(text, "# profile_run history 1: started\n<<<<<<< damaged\n");
	for (; text->len < 1 << 20; entry.started++)
		history_entry_put(&entry, text);
	CU_ASSERT_EQUAL_FATAL(file_make_dirs(folder, &err), 0);
	CU_ASSERT_EQUAL_FATAL(file_write(path, buf_text(text), text->len, &err), 0);
	free(folder);
	return path;
}

static void
a_later_night_is_appended_by_the_end_of_the_file_alone(void)
{
	struct scratch scratch;
	struct err err = {0};
	struct buf expected = {0};
	struct buf found = {0};
	size_t nadded = 0;
	struct history_entry entries[] = {night(1000000, "b"), night(1000000, "a")};

	scratch_init(&scratch);
	char *path = write_large(&scratch, &expected);

	history_entry_put(&entries[1], &expected);
	history_entry_put(&entries[0], &expected);
	CU_ASSERT_EQUAL(history_add(scratch.dir, "m", "w", entries, 2, &nadded, &err), 0);
	CU_ASSERT_EQUAL(nadded, 2);
	CU_ASSERT_EQUAL(history_add(scratch.dir, "m", "w", entries, 2, &nadded, &err), 0);
	CU_ASSERT_EQUAL(nadded, 0);
	CU_ASSERT_EQUAL_FATAL(file_read(path, &found, 2 << 20, &err), 0);
	UNIT_STR_EQ(buf_text(&found), buf_text(&expected));
	/* A night within needs all of it. */
	entries[0].started = 999;
	CU_ASSERT_EQUAL(history_add(scratch.dir, "m", "w", entries, 2, &nadded, &err), -1);
	UNIT_CONTAINS(err.text, "w.tsv:2:1: error: expected a time");
	free(path);
	buf_release(&expected);
	buf_release(&found);
	scratch_release(&scratch);
}

/* The writer of two lines was killed when it had written `text`. */
static void
check_cut(const struct scratch *scratch, const char *path, const struct buf *text)
{
	static const char whole[] =
		LATER_LINE("01", "-") LATER_LINE("02", "0123456789abcdef") LATER_LINE("03", "-");
	struct history_entry entries[] = {night(1793491202, "f"), night(1793491203, "f")};
	struct history_file file = {0};
	struct arena arena = {0};
	struct err err = {0};
	struct buf found = {0};
	size_t nadded = 0;

	entries[0].work = "0123456789abcdef";
	CU_ASSERT_EQUAL_FATAL(file_write(path, buf_text(text), text->len, &err), 0);
	CU_ASSERT_EQUAL_FATAL(
		history_file_parse(&file, "h", buf_text(text), text->len, &arena, &err), 0);
	for (size_t i = 0; i < file.nentries; i++)
		UNIT_STR_EQ(file.entries[i].function, "f");
	CU_ASSERT_EQUAL(history_add(scratch->dir, "m", "w", entries, 2, &nadded, &err), 0);
	CU_ASSERT_EQUAL(nadded, 3 - file.nentries);
	read_text(path, &found);
	CU_ASSERT_PTR_NOT_NULL(strchr(buf_text(&found), '\n'));
	if (nadded > 0)
		UNIT_STR_EQ(strchr(buf_text(&found), '\n') + 1, whole);
	history_file_release(&file);
	buf_release(&found);
	arena_release(&arena);
}

static void
a_line_cut_at_any_byte_is_no_entry_and_is_replaced(void)
{
	static const char head[] = "# profile_run history 1: started\n" LATER_LINE("01", "-");
	static const char lines[] = LATER_LINE("02", "0123456789abcdef") LATER_LINE("03", "-");
	struct scratch scratch;
	struct buf text = {0};

	scratch_init(&scratch);
	char *path = file_join(scratch.dir, "m/w.tsv");
	char *folder = file_join(scratch.dir, "m");
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(file_make_dirs(folder, &err), 0);
	log_set_level(LOG_ERROR);
	for (size_t cut = 0; cut < sizeof(lines); cut++) {
		buf_clear(&text);
		buf_puts(&text, head);
		buf_put(&text, lines, cut);
		check_cut(&scratch, path, &text);
	}
	log_set_level(LOG_INFO);
	buf_release(&text);
	free(folder);
	free(path);
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
classes_that_leave_the_folder_are_refused(void)
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
	}
	scratch_release(&scratch);
}

static void
any_workload_has_a_file_in_the_folder(void)
{
	static const char *const names[] = {"..", ".hidden", "../../a", "50%", "%2F", "a%2",
		"BM_Sort<int, 8>/1024/threads:4", "line\nbreak", "\xc3\xa4 \xff", NULL};
	const struct history_entry entry = night(100, "a");
	char long_name[300];
	struct err err = {0};
	size_t nadded;

	for (size_t i = 0; names[i]; i++) {
		struct scratch scratch;
		struct history history;

		scratch_init(&scratch);
		CU_ASSERT_EQUAL(
			history_add(scratch.dir, "m", names[i], &entry, 1, &nadded, &err), 0);
		CU_ASSERT_EQUAL_FATAL(history_read(&history, scratch.dir, &err), 0);
		CU_ASSERT_EQUAL(history.nfiles, 1);
		UNIT_STR_EQ(history.files[0].workload, names[i]);
		UNIT_STR_EQ(history.files[0].machine_class, "m");
		history_release(&history);
		scratch_release(&scratch);
	}
	memset(long_name, 'x', sizeof(long_name));
	long_name[251] = '\0';
	char *name = history_file_name(long_name);

	CU_ASSERT_PTR_NOT_NULL(name);
	free(name);
	long_name[251] = 'x';
	long_name[252] = '\0';
	CU_ASSERT_PTR_NULL(history_file_name(long_name));
	CU_ASSERT_PTR_NULL(history_file_name(""));
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
		{"a_later_night_is_appended_by_the_end_of_the_file_alone",
			a_later_night_is_appended_by_the_end_of_the_file_alone},
		{"a_line_cut_at_any_byte_is_no_entry_and_is_replaced",
			a_line_cut_at_any_byte_is_no_entry_and_is_replaced},
		{"a_marker_of_a_conflict_is_an_error_with_its_line",
			a_marker_of_a_conflict_is_an_error_with_its_line},
		{"a_newer_format_is_refused", a_newer_format_is_refused},
		{"classes_that_leave_the_folder_are_refused",
			classes_that_leave_the_folder_are_refused},
		{"any_workload_has_a_file_in_the_folder", any_workload_has_a_file_in_the_folder},
		{"no_history_is_an_error", no_history_is_an_error},
		{NULL, NULL},
	};

	unit_suite("history/history_files", cases);
}
