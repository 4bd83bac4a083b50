#include "capture/backend.h"
#include "process/process.h"

#include "bench.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void suite_capture_perf(void);

/* Some 200 ms of CPU time. */
#define SPIN "i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done"

/* How many records of a type (with a misc bit, unless 0) the file holds. */
static uint64_t
count_records(struct bench *bench, uint32_t type, uint16_t misc)
{
	struct buf bytes = {0};
	struct err err = {0};
	uint64_t section[2];
	uint64_t found = 0;

	CU_ASSERT_EQUAL_FATAL(file_read(bench->perfdata, &bytes, 64 << 20, &err), 0);
	memcpy(section, bytes.data + 40, sizeof(section));
	for (uint64_t at = section[0]; at < section[0] + section[1];) {
		struct perf_event_header header;

		memcpy(&header, bytes.data + at, sizeof(header));
		CU_ASSERT_TRUE_FATAL(header.size >= sizeof(header));
		found += header.type == type && (misc == 0 || (header.misc & misc) != 0);
		at += header.size;
	}
	buf_release(&bytes);
	return found;
}

static long
bytes_of(struct bench *bench, const char *name)
{
	struct stat stat_of;

	return stat(scratch_path(&bench->scratch, name), &stat_of) == 0 ? (long)stat_of.st_size
									: -1;
}

static void
samples_match_the_cpu_time(void)
{
	struct bench bench;

	if (!bench_init(&bench, SPIN))
		return;
	/* Without the kernel's samples a little of the time is in none. */
	double tolerance = bench.request.event.kernel ? 0.05 : 0.15;

	CU_ASSERT_EQUAL_FATAL(bench_run_whole(&bench, tolerance), 0);
	const struct run *run = &bench.result.run;

	CU_ASSERT_TRUE(run->measured);
	CU_ASSERT_TRUE(run->samples > 20);
	CU_ASSERT_EQUAL(run->lost, 0);
	CU_ASSERT_EQUAL(count_records(&bench, PERF_RECORD_SAMPLE, 0), run->samples);
	CU_ASSERT_EQUAL(run->cost_total, (double)run->cpu_ns);
	CU_ASSERT_TRUE(run->wall_ns >= run->cpu_ns / 2);
	if (bench.request.event.is_clock && run->expected_samples > 0)
		UNIT_NEAR((double)run->samples, run->expected_samples,
			3 + run->expected_samples * tolerance);
	bench_release(&bench);
}

static void
fixed_period_is_kept(void)
{
	struct bench bench;

	if (!bench_init(&bench, SPIN))
		return;
	bench.request.period = (uint64_t)(bench.request.event.rate_hz / 4000);
	CU_ASSERT_EQUAL_FATAL(bench_run_whole(&bench, 0.1), 0);
	CU_ASSERT_EQUAL(bench.result.run.period, bench.request.period);
	UNIT_NEAR((double)bench.result.run.samples, bench.result.run.expected_samples,
		5 + bench.result.run.expected_samples * 0.1);
	bench_release(&bench);
}

static void
no_short_lived_process_is_missed(void)
{
	struct bench bench;

	if (!bench_init(&bench, "i=0; while [ $i -lt 40 ]; do /bin/true; i=$((i+1)); done"))
		return;
	CU_ASSERT_EQUAL_FATAL(bench_run(&bench), 0);
	CU_ASSERT_EQUAL(count_records(&bench, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC), 41);
	CU_ASSERT_EQUAL(count_records(&bench, PERF_RECORD_FORK, 0), 40);
	CU_ASSERT_EQUAL(count_records(&bench, PERF_RECORD_EXIT, 0), 41);
	bench_release(&bench);
}

static void
executions_are_processes_of_one_run(void)
{
	struct bench bench;

	if (!bench_init(&bench, "cat > seen; echo x >> times; exec /bin/true"))
		return;
	bench.request.stdin_path = "/proc/version";
	bench.request.executions = 5;
	CU_ASSERT_EQUAL_FATAL(bench_run(&bench), 0);
	const struct run *run = &bench.result.run;

	CU_ASSERT_EQUAL(run->executions, 5);
	UNIT_NEAR(run->cost_total * 5, (double)run->cpu_ns, 1);
	/* sh, cat and true of each, all of them whole. */
	CU_ASSERT_EQUAL(count_records(&bench, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC), 15);
	CU_ASSERT_EQUAL(count_records(&bench, PERF_RECORD_EXIT, 0), 10);
	CU_ASSERT_EQUAL(count_records(&bench, PERF_RECORD_SAMPLE, 0), run->samples);
	CU_ASSERT_EQUAL(bytes_of(&bench, "times"), 10);
	CU_ASSERT_TRUE(bytes_of(&bench, "seen") > 0);
	bench_release(&bench);
}

/* Nearly all would be missing, were the first sample always a whole period after the exec. */
static void
executions_shorter_than_a_period_are_sampled(void)
{
	struct bench bench;

	if (!bench_init(&bench, "i=0; while [ $i -lt 700 ]; do i=$((i+1)); done"))
		return;
	bench.request.executions = 200;
	bench.request.frequency_hz = 200;
	bench.request.period = (uint64_t)(bench.request.event.rate_hz / 200);
	CU_ASSERT_EQUAL_FATAL(bench_run_whole(&bench, 0.15), 0);
	const struct run *run = &bench.result.run;

	CU_ASSERT_TRUE(run->cost_total < 2e7);
	if (bench.request.event.is_clock && run->expected_samples > 0)
		UNIT_NEAR((double)run->samples, run->expected_samples,
			5 + run->expected_samples * 0.5);
	bench_release(&bench);
}

static void
a_failing_execution_is_told_by_its_number(void)
{
	struct bench bench;

	if (!bench_init(&bench,
		    "echo x >> times; [ $(wc -l < times) -lt 5 ] || { echo no room >&2; exit 7; }"))
		return;
	bench.request.executions = 8;
	CU_ASSERT_EQUAL(bench_run(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "exited with status 7");
	UNIT_CONTAINS(bench.err.text, "no room");
	UNIT_CONTAINS(bench.err.text, "execution 5 of 8");
	CU_ASSERT_FALSE(file_exists(bench.perfdata));
	CU_ASSERT_EQUAL(bytes_of(&bench, "times"), 10);
	bench_release(&bench);
}

static void
the_timeout_is_that_of_an_execution(void)
{
	struct bench bench;

	if (!bench_init(&bench, "sleep 0.4"))
		return;
	bench.request.executions = 3;
	bench.request.timeout_s = 1;
	CU_ASSERT_EQUAL(bench_run(&bench), 0);
	CU_ASSERT_TRUE(bench.result.run.wall_ns >= 1200000000);
	bench_release(&bench);
}

static void
pinned_program_stays_and_we_come_back(void)
{
	struct bench bench;
	cpu_set_t before;
	cpu_set_t after;
	cpu_set_t pin;
	int last = 0;

	if (!bench_init(&bench, "grep Cpus_allowed_list /proc/self/status >&2; " SPIN))
		return;
	sched_getaffinity(0, sizeof(before), &before);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET((size_t)cpu, &before))
			last = cpu;
	CPU_ZERO(&pin);
	CPU_SET((size_t)last, &pin);
	bench.request.pin = &pin;
	bench.request.reader_cpu = last;
	CU_ASSERT_EQUAL_FATAL(bench_run(&bench), 0);
	sched_getaffinity(0, sizeof(after), &after);
	CU_ASSERT_TRUE(CPU_EQUAL(&before, &after));
	UNIT_CONTAINS(bench.result.last_output, "Cpus_allowed_list:");
	CU_ASSERT_EQUAL(strtol(strchr(bench.result.last_output, '\t') + 1, NULL, 10), last);
	CU_ASSERT_TRUE(bench.result.run.samples > 20);
	bench_release(&bench);
}

static void
failure_tells_the_end_and_leaves_no_file(void)
{
	struct bench bench;

	if (!bench_init(&bench, "echo no such table >&2; exit 3"))
		return;
	CU_ASSERT_EQUAL(bench_run(&bench), -1);
	CU_ASSERT_EQUAL(bench.err.kind, ERR_MEASURE);
	UNIT_CONTAINS(bench.err.text, "exited with status 3");
	UNIT_CONTAINS(bench.err.text, "no such table");
	CU_ASSERT_EQUAL(scratch_count(&bench.scratch), 0);

	bench.argv[2] = "kill -SEGV $$";
	CU_ASSERT_EQUAL(bench_run(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "killed by SIGSEGV");
	CU_ASSERT_EQUAL(scratch_count(&bench.scratch), 0);
	bench_release(&bench);
}

static void
what_cannot_start_says_which_step(void)
{
	struct bench bench;

	if (!bench_init(&bench, ":"))
		return;
	bench.argv[0] = "bin/nonesuch";
	CU_ASSERT_EQUAL(bench_run(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "cannot run 'bin/nonesuch': No such file or directory");
	UNIT_CONTAINS(bench.err.text, bench.scratch.dir);
	bench.argv[0] = "/bin/sh";
	bench.request.stdin_path = "missing.txt";
	CU_ASSERT_EQUAL(bench_run(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "standard input 'missing.txt'");
	bench.request.cwd = "/nonexistent";
	CU_ASSERT_EQUAL(bench_run(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "working folder '/nonexistent'");
	CU_ASSERT_EQUAL(scratch_count(&bench.scratch), 0);
	bench_release(&bench);
}

static void
timeout_is_an_error_and_ends_daemons(void)
{
	struct bench bench;

	if (!bench_init(&bench, "(setsid sleep 300 & echo $! > daemon); sleep 300"))
		return;
	bench.request.timeout_s = 1;
	CU_ASSERT_EQUAL(bench_run(&bench), -1);
	CU_ASSERT_EQUAL(bench.err.kind, ERR_MEASURE);
	UNIT_CONTAINS(bench.err.text, "timeout of 1 s");
	CU_ASSERT_TRUE(scratch_is_gone(scratch_number(&bench.scratch, "daemon")));
	CU_ASSERT_FALSE(file_exists(bench.perfdata));
	bench_release(&bench);
}

static void
daemon_left_behind_is_ended(void)
{
	struct bench bench;

	if (!bench_init(&bench, "(setsid sleep 300 & echo $! > daemon)"))
		return;
	CU_ASSERT_EQUAL(bench_run(&bench), 0);
	CU_ASSERT_TRUE(scratch_is_gone(scratch_number(&bench.scratch, "daemon")));
	bench_release(&bench);
}

static void
duration_ends_the_program_with_success(void)
{
	struct bench bench;

	if (!bench_init(&bench, "while :; do :; done"))
		return;
	bench.request.duration_s = 0.3;
	CU_ASSERT_EQUAL_FATAL(bench_run(&bench), 0);
	CU_ASSERT_TRUE(bench.result.ended_by_us);
	CU_ASSERT_TRUE(bench.result.run.wall_ns >= 300000000);
	CU_ASSERT_TRUE(bench.result.run.samples > 20);
	bench_release(&bench);
}

static void
gigabyte_of_output_costs_no_memory(void)
{
	struct bench bench;
	struct rusage before;
	struct rusage after;

	if (!bench_init(&bench, "head -c 1000000000 /dev/zero; head -c 50000000 /dev/zero >&2"))
		return;
	getrusage(RUSAGE_SELF, &before);
	CU_ASSERT_EQUAL(bench_run(&bench), 0);
	getrusage(RUSAGE_SELF, &after);
	CU_ASSERT_TRUE(after.ru_maxrss - before.ru_maxrss < 20000);
	bench_release(&bench);
}

static void
run_without_capture_still_counts(void)
{
	struct bench bench;

	if (!bench_init(&bench, SPIN))
		return;
	bench.request.perfdata_path = NULL;
	CU_ASSERT_EQUAL(bench_run(&bench), 0);
	CU_ASSERT_TRUE(bench.result.run.cpu_ns > 10000000);
	CU_ASSERT_EQUAL(bench.result.run.samples, 0);
	CU_ASSERT_EQUAL(scratch_count(&bench.scratch), 0);
	bench_release(&bench);
}

static void
attached_process_is_sampled_and_lives_on(void)
{
	struct bench bench;

	if (!bench_init(&bench, NULL))
		return;
	fflush(NULL);
	pid_t pid = fork();

	if (pid == 0)
		for (volatile unsigned i = 0;; i++)
			continue;
	bench.request.argv = NULL;
	bench.request.attach_pid = pid;
	bench.request.duration_s = 0.6;
	CU_ASSERT_EQUAL(bench_run(&bench), 0);
	/* On a busy machine it has a small part of a CPU. */
	CU_ASSERT_TRUE(bench.result.run.samples > 10);
	CU_ASSERT_TRUE(count_records(&bench, PERF_RECORD_MMAP2, 0) > 0);
	CU_ASSERT_EQUAL(kill(pid, 0), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CU_ASSERT_EQUAL(bench_run(&bench), -1);
	UNIT_CONTAINS(bench.err.text, "no process");
	bench_release(&bench);
}

static int
interrupted_child(struct bench *bench)
{
	signals_catch();
	pid_t self = getpid();

	if (fork() == 0) {
		scratch_await(&bench->scratch, "pid");
		kill(self, SIGINT);
		_exit(0);
	}
	if (bench_run(bench) == 0)
		return 1;
	return bench->err.kind == ERR_INTERRUPTED && bench->err.signal == SIGINT ? 0 : 2;
}

static void
interruption_ends_the_program_and_leaves_no_file(void)
{
	struct bench bench;
	int status;

	if (!bench_init(&bench, "echo $$ > pid; sleep 300"))
		return;
	fflush(NULL);
	pid_t pid = fork();

	if (pid == 0)
		_exit(interrupted_child(&bench));
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_TRUE(WIFEXITED(status));
	CU_ASSERT_EQUAL(WEXITSTATUS(status), 0);
	CU_ASSERT_TRUE(scratch_is_gone(scratch_number(&bench.scratch, "pid")));
	CU_ASSERT_EQUAL(scratch_count(&bench.scratch), 1); /* the program's own */
	bench_release(&bench);
}

static const struct unit_case cases[] = {
	{"samples_match_the_cpu_time", samples_match_the_cpu_time},
	{"fixed_period_is_kept", fixed_period_is_kept},
	{"no_short_lived_process_is_missed", no_short_lived_process_is_missed},
	{"executions_are_processes_of_one_run", executions_are_processes_of_one_run},
	{"executions_shorter_than_a_period_are_sampled",
		executions_shorter_than_a_period_are_sampled},
	{"a_failing_execution_is_told_by_its_number", a_failing_execution_is_told_by_its_number},
	{"the_timeout_is_that_of_an_execution", the_timeout_is_that_of_an_execution},
	{"pinned_program_stays_and_we_come_back", pinned_program_stays_and_we_come_back},
	{"failure_tells_the_end_and_leaves_no_file", failure_tells_the_end_and_leaves_no_file},
	{"what_cannot_start_says_which_step", what_cannot_start_says_which_step},
	{"timeout_is_an_error_and_ends_daemons", timeout_is_an_error_and_ends_daemons},
	{"daemon_left_behind_is_ended", daemon_left_behind_is_ended},
	{"duration_ends_the_program_with_success", duration_ends_the_program_with_success},
	{"gigabyte_of_output_costs_no_memory", gigabyte_of_output_costs_no_memory},
	{"run_without_capture_still_counts", run_without_capture_still_counts},
	{"attached_process_is_sampled_and_lives_on", attached_process_is_sampled_and_lives_on},
	{"interruption_ends_the_program_and_leaves_no_file",
		interruption_ends_the_program_and_leaves_no_file},
	{NULL, NULL},
};

void
suite_capture_perf(void)
{
	unit_suite("capture/perf", cases);
}
