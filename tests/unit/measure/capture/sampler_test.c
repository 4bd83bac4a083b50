#include "perfdata/reader.h"

#include "base/clock.h"
#include "bench.h"
#include "capture/capture_internal.h"
#include "scratch.h"
#include "unit.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void suite_capture_sampler(void);

#define SPIN "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"

/* What a capture holds. */
struct contents {
	uint64_t samples;
	uint64_t copies;         /* samples with registers and a stack copy */
	uint64_t copied_bytes;   /* of the largest */
	uint64_t rest_bytes;     /* the largest sample's, without its copy */
	uint64_t others;         /* samples that are not of `pid` */
	uint64_t of_pid;         /* and those that are, */
	uint64_t of_its_threads; /* and not of its first thread */
	uint64_t maps_of_pid;
	uint64_t comms;
	uint64_t user_chains; /* samples whose call chain has a part in user code */
};

static void
add_sample(struct contents *contents, const struct record *record, uint32_t pid)
{
	const struct record_sample *sample = &record->u.sample;
	uint64_t bytes = sample->user_stack_bytes;

	contents->samples++;
	if (sample->user_regs && sample->user_stack)
		contents->copies++;
	if (bytes > contents->copied_bytes)
		contents->copied_bytes = bytes;
	if (record->raw_bytes - bytes > contents->rest_bytes)
		contents->rest_bytes = record->raw_bytes - bytes;
	bool user = false;

	for (size_t i = 0; i < sample->nchain; i++)
		user = user || sample->chain[i] == (uint64_t)PERF_CONTEXT_USER;
	contents->user_chains += user;
	if (record->id.pid != pid)
		contents->others++;
	else if (record->id.tid != pid)
		contents->of_its_threads++;
	contents->of_pid += record->id.pid == pid;
}

static void
read_contents(struct bench *bench, pid_t pid, struct contents *contents)
{
	struct file_view view;
	struct record record;
	int more;

	memset(contents, 0, sizeof(*contents));
	CU_ASSERT_EQUAL_FATAL(file_view_open(&view, bench->perfdata, &bench->err), 0);
	struct perfdata_reader *reader = perfdata_open(&view, bench->perfdata, &bench->err);

	CU_ASSERT_PTR_NOT_NULL_FATAL(reader);
	while ((more = perfdata_next(reader, &record, &bench->err)) > 0) {
		if (record.type == PERF_RECORD_SAMPLE)
			add_sample(contents, &record, (uint32_t)pid);
		else if (record.type == PERF_RECORD_MMAP2)
			contents->maps_of_pid += record.u.mmap.pid == (uint32_t)pid;
		else if (record.type == PERF_RECORD_COMM)
			contents->comms++;
	}
	CU_ASSERT_EQUAL(more, 0);
	perfdata_close(reader);
	file_view_close(&view);
}

static void
stacks_and_registers_come_with_samples(void)
{
	static const uint32_t sizes[] = {512, 16384, CAPTURE_STACK_MAX};
	struct contents contents;
	struct bench bench;

	if (!bench_init(&bench, SPIN))
		return;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		bench.request.stack_bytes = sizes[i];
		if (bench_run_whole(&bench, INFINITY) < 0) {
			unit_skip("stack copies are refused here");
			break;
		}
		read_contents(&bench, 0, &contents);
		CU_ASSERT_EQUAL(bench.result.run.lost, 0);
		CU_ASSERT_EQUAL(contents.samples, bench.result.run.samples);
		CU_ASSERT_TRUE(contents.copies > 0);
		/* The shell has some 512 bytes of stack at any time. */
		CU_ASSERT_TRUE(contents.copied_bytes >= 504);
		CU_ASSERT_TRUE(contents.copied_bytes <= sizes[i]);
		/* No copy has an invalid rest: registers, chain and head are far less than this. */
		CU_ASSERT_TRUE(contents.rest_bytes < 4096);
	}
	bench_release(&bench);
}

static void
chain_may_be_left_to_the_copy(void)
{
	struct contents contents;
	struct bench bench;

	if (!bench_init(&bench, SPIN))
		return;
	bench.request.stack_bytes = 4096;
	if (bench_run(&bench) < 0) {
		unit_skip("stack copies are refused here");
	} else {
		read_contents(&bench, 0, &contents);
		CU_ASSERT_TRUE(contents.user_chains > 0 || !bench.request.event.callchain);
		bench.request.kernel_chain_only = true;
		CU_ASSERT_EQUAL(bench_run(&bench), 0);
		read_contents(&bench, 0, &contents);
		CU_ASSERT_EQUAL(contents.user_chains, 0);
		CU_ASSERT_TRUE(contents.copies > 0);
	}
	bench_release(&bench);
}

static void *
spin(void *unused)
{
	(void)unused;
	for (volatile unsigned i = 0;; i++)
		continue;
	return NULL;
}

/* A process that spins in a thread it makes after a while; 0 if it cannot be made. */
static pid_t
start_spinner(void)
{
	const struct timespec pause = {.tv_nsec = 150000000};
	pthread_t thread;

	fflush(NULL);
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	nanosleep(&pause, NULL);
	if (pthread_create(&thread, NULL, spin, NULL) != 0)
		_exit(1);
	pthread_join(thread, NULL);
	_exit(0);
}

static void
end_spinner(pid_t pid)
{
	CU_ASSERT_EQUAL(kill(pid, SIGKILL), 0);
	CU_ASSERT_EQUAL(waitpid(pid, NULL, 0), pid);
}

static void
threads_made_after_attaching_are_sampled(void)
{
	struct contents contents;
	struct bench bench;

	if (!bench_init(&bench, NULL))
		return;
	pid_t pid = start_spinner();
	const struct run *run = &bench.result.run;

	bench.request.argv = NULL;
	bench.request.attach_pid = pid;
	bench.request.duration_s = 0.5;
	CU_ASSERT_EQUAL(bench_run_whole(&bench, 0.1), 0);
	end_spinner(pid);
	read_contents(&bench, pid, &contents);
	CU_ASSERT_EQUAL(contents.others, 0);
	CU_ASSERT_TRUE(contents.of_its_threads > 10);
	CU_ASSERT_TRUE(run->cpu_ns > 10000000);
	if (bench.request.event.is_clock)
		UNIT_NEAR((double)run->samples, run->expected_samples,
			5 + run->expected_samples * 0.1);
	bench_release(&bench);
}

/* False, and skipped, where it is not allowed. */
static bool
run_everywhere(struct bench *bench, const cpu_set_t *cpus)
{
	bench->request.all_of = cpus;
	if (bench_run(bench) == 0)
		return true;
	UNIT_CONTAINS(bench->err.text, "CAP_PERFMON");
	unit_skip("sampling of all processes is refused here");
	return false;
}

static void
all_processes_are_sampled_and_live_on(void)
{
	struct contents contents;
	struct bench bench;
	cpu_set_t cpus;

	if (!bench_init(&bench, NULL))
		return;
	pid_t pid = start_spinner();
	const struct run *run = &bench.result.run;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	bench.request.argv = NULL;
	bench.request.duration_s = 0.6;
	bool ran = run_everywhere(&bench, &cpus);

	end_spinner(pid);
	if (ran) {
		read_contents(&bench, pid, &contents);
		CU_ASSERT_TRUE(bench.result.ended_by_us);
		CU_ASSERT_TRUE(contents.of_its_threads > 10);
		CU_ASSERT_TRUE(contents.maps_of_pid > 0);
		/* There is at least our own name, and the spinner's. */
		CU_ASSERT_TRUE(contents.comms >= 2);
		CU_ASSERT_TRUE(run->cpu_ns <= run->wall_ns * (uint64_t)CPU_COUNT(&cpus) * 2);
		CU_ASSERT_TRUE(run->samples > 0);
	}
	bench_release(&bench);
}

static void
command_is_sampled_with_all_others(void)
{
	struct contents contents;
	struct bench bench;
	cpu_set_t cpus;

	if (!bench_init(&bench, SPIN))
		return;
	sched_getaffinity(0, sizeof(cpus), &cpus);
	bench.request.stack_bytes = 1024;
	if (run_everywhere(&bench, &cpus)) {
		read_contents(&bench, 0, &contents);
		CU_ASSERT_TRUE(contents.copies > 10);
		CU_ASSERT_FALSE(bench.result.ended_by_us);
	}
	bench_release(&bench);
}

static void
cpu_that_is_not_there_is_refused(void)
{
	struct bench bench;
	cpu_set_t cpus;

	if (!bench_init(&bench, NULL))
		return;
	CPU_ZERO(&cpus);
	CPU_SET(CPU_SETSIZE - 1, &cpus);
	bench.request.argv = NULL;
	bench.request.all_of = &cpus;
	bench.request.duration_s = 0.1;
	CU_ASSERT_EQUAL(bench_run(&bench), -1);
	CU_ASSERT_EQUAL(bench.err.kind, ERR_MEASURE);
	CU_ASSERT_EQUAL(scratch_count(&bench.scratch), 0);
	bench_release(&bench);
}

struct pipe_bench {
	struct scratch scratch;
	struct phase_pipe pipe;
	int writer;
	char names[512];  /* of the phases taken, a line each */
	uint64_t time_ns; /* of the last one */
};

static void
pipe_bench_init(struct pipe_bench *bench)
{
	struct err err = {0};
	char path[160];

	*bench = (struct pipe_bench){.writer = -1};
	scratch_init(&bench->scratch);
	snprintf(path, sizeof(path), "%s/perf.data", bench->scratch.dir);
	CU_ASSERT_EQUAL_FATAL(phase_pipe_open(&bench->pipe, path, &err), 0);
	bench->writer = open(bench->pipe.path, O_WRONLY);
	CU_ASSERT_FATAL(bench->writer >= 0);
}

static void
pipe_bench_release(struct pipe_bench *bench)
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
	struct pipe_bench *bench = context;
	const size_t used = strlen(bench->names);

	snprintf(bench->names + used, sizeof(bench->names) - used, "%.*s\n", (int)phase->len,
		phase->name);
	bench->time_ns = phase->time_ns;
}

static void
put(struct pipe_bench *bench, const char *text)
{
	CU_ASSERT_EQUAL(write(bench->writer, text, strlen(text)), (ssize_t)strlen(text));
}

static const char *
taken(struct pipe_bench *bench)
{
	bench->names[0] = '\0';
	phase_pipe_take(&bench->pipe, note, bench);
	return bench->names;
}

static void
test_lines(void)
{
	struct pipe_bench bench;

	pipe_bench_init(&bench);
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
	pipe_bench_release(&bench);
}

static void
test_long(void)
{
	struct pipe_bench bench;
	char line[4096];

	pipe_bench_init(&bench);
	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 3] = line[sizeof(line) - 1] = '\n';
	line[sizeof(line) - 2] = 'y';
	CU_ASSERT_EQUAL(write(bench.writer, line, sizeof(line)), (ssize_t)sizeof(line));
	taken(&bench);
	CU_ASSERT_EQUAL(strcspn(bench.names, "\n"), PHASE_NAME_MAX);
	UNIT_STR_EQ(bench.names + PHASE_NAME_MAX, "\ny\n");
	pipe_bench_release(&bench);
}

/* A time that cannot be is that of reading. */
static void
test_times(void)
{
	struct pipe_bench bench;
	char line[64];

	pipe_bench_init(&bench);
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
	pipe_bench_release(&bench);
}

static const struct unit_case cases[] = {
	{"stacks_and_registers_come_with_samples", stacks_and_registers_come_with_samples},
	{"chain_may_be_left_to_the_copy", chain_may_be_left_to_the_copy},
	{"threads_made_after_attaching_are_sampled", threads_made_after_attaching_are_sampled},
	{"all_processes_are_sampled_and_live_on", all_processes_are_sampled_and_live_on},
	{"command_is_sampled_with_all_others", command_is_sampled_with_all_others},
	{"cpu_that_is_not_there_is_refused", cpu_that_is_not_there_is_refused},
	{"each_line_begins_a_phase", test_lines},
	{"long_names_are_cut", test_long},
	{"a_line_may_state_its_time", test_times},
	{NULL, NULL},
};

void
suite_capture_sampler(void)
{
	unit_suite("capture/sampler", cases);
}
