#include "capture/capture_internal.h"

#include "base/clock.h"
#include "scratch.h"
#include "unit.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void suite_capture_phase_pipe(void);

struct bench {
	struct scratch scratch;
	struct phase_pipe pipe;
	int writer;
	char names[512];  /* of the phases taken, a line each */
	uint64_t time_ns; /* of the last one */
};

static void
bench_init(struct bench *bench)
{
	struct err err = {0};
	char path[160];

	*bench = (struct bench){.writer = -1};
	scratch_init(&bench->scratch);
	snprintf(path, sizeof(path), "%s/perf.data", bench->scratch.dir);
	CU_ASSERT_EQUAL_FATAL(phase_pipe_open(&bench->pipe, path, &err), 0);
	bench->writer = open(bench->pipe.path, O_WRONLY);
	CU_ASSERT_FATAL(bench->writer >= 0);
}

static void
bench_release(struct bench *bench)
{
	struct stat status;
	char path[160];

	snprintf(path, sizeof(path), "%s", bench->pipe.path);
	close(bench->writer);
	phase_pipe_close(&bench->pipe);
	CU_ASSERT_EQUAL(stat(path, &status), -1);
	scratch_release(&bench->scratch);
}

static void
note(void *context, const struct phase_begin *phase)
{
	struct bench *bench = context;
	const size_t used = strlen(bench->names);

	snprintf(bench->names + used, sizeof(bench->names) - used, "%.*s\n", (int)phase->len,
		phase->name);
	bench->time_ns = phase->time_ns;
}

static void
put(struct bench *bench, const char *text)
{
	CU_ASSERT_EQUAL(write(bench->writer, text, strlen(text)), (ssize_t)strlen(text));
}

static const char *
taken(struct bench *bench)
{
	bench->names[0] = '\0';
	phase_pipe_take(&bench->pipe, note, bench);
	return bench->names;
}

static void
test_lines(void)
{
	struct bench bench;

	bench_init(&bench);
	UNIT_STR_EQ(taken(&bench), "");
	put(&bench, "parse\nprint the rest \r\n\n");
	UNIT_STR_EQ(taken(&bench), "parse\nprint the rest\n\n");
	put(&bench, "hal");
	UNIT_STR_EQ(taken(&bench), "");
	put(&bench, "f\n");
	UNIT_STR_EQ(taken(&bench), "half\n");
	put(&bench, "old\nol");
	phase_pipe_clear(&bench.pipe);
	put(&bench, "new\n");
	UNIT_STR_EQ(taken(&bench), "new\n");
	bench_release(&bench);
}

static void
test_long(void)
{
	struct bench bench;
	char line[4096];

	bench_init(&bench);
	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 3] = line[sizeof(line) - 1] = '\n';
	line[sizeof(line) - 2] = 'y';
	CU_ASSERT_EQUAL(write(bench.writer, line, sizeof(line)), (ssize_t)sizeof(line));
	taken(&bench);
	CU_ASSERT_EQUAL(strcspn(bench.names, "\n"), PHASE_NAME_MAX);
	UNIT_STR_EQ(bench.names + PHASE_NAME_MAX, "\ny\n");
	bench_release(&bench);
}

/* A time that cannot be is that of reading. */
static void
test_times(void)
{
	struct bench bench;
	char line[64];

	bench_init(&bench);
	taken(&bench);
	const uint64_t stated_ns = clock_ns();

	snprintf(line, sizeof(line), "a\t%" PRIu64 "\n", stated_ns);
	put(&bench, line);
	UNIT_STR_EQ(taken(&bench), "a\n");
	CU_ASSERT_EQUAL(bench.time_ns, stated_ns);
	put(&bench, line);
	taken(&bench);
	CU_ASSERT(bench.time_ns > stated_ns);
	put(&bench, "b\t99999999999999999999999\n");
	UNIT_STR_EQ(taken(&bench), "b\n");
	CU_ASSERT(bench.time_ns <= clock_ns());
	put(&bench, "b\tsoon\n");
	UNIT_STR_EQ(taken(&bench), "b\n");
	bench_release(&bench);
}

void
suite_capture_phase_pipe(void)
{
	static const struct unit_case cases[] = {
		{"each_line_begins_a_phase", test_lines},
		{"long_names_are_cut", test_long},
		{"a_line_may_state_its_time", test_times},
		{NULL, NULL},
	};

	unit_suite("capture/phase_pipe", cases);
}
