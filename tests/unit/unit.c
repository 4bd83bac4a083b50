#include "unit.h"

#include "base/clock.h"

#include <CUnit/TestRun.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

/* Seconds that a suite may take in its own process. */
#define TIME_LIMIT 600

/* "DIR/NAME", or "DIR/NAME:CLAIM" for one case; NULL-ended, and all if it is empty. */
static char **wanted;
static bool naming_suite;
static bool listing_cases;
static const char *suite_name; /* of the last suite */
static const char *skip_reason;
static unsigned passed;
static unsigned failed;
static unsigned skipped;

static bool
is_wanted(const char *suite, const char *claim)
{
	const size_t length = strlen(suite);

	if (!*wanted)
		return true;
	for (char **name = wanted; *name; name++)
		if (strncmp(*name, suite, length) == 0 &&
			((*name)[length] == '\0' ||
				((*name)[length] == ':' && strcmp(*name + length + 1, claim) == 0)))
			return true;
	return false;
}

void
unit_suite(const char *name, const struct unit_case *cases)
{
	CU_pSuite suite = NULL;

	suite_name = name;
	for (; !naming_suite && cases->claim; cases++) {
		if (listing_cases) {
			printf("%s:%s\n", name, cases->claim);
		} else if (is_wanted(name, cases->claim)) {
			if (!suite)
				suite = CU_add_suite(name, NULL, NULL);
			CU_add_test(suite, cases->claim, cases->run);
		}
	}
}

void
unit_skip(const char *reason)
{
	skip_reason = reason;
}

static void
begin_test(const CU_pTest test, const CU_pSuite suite)
{
	(void)test;
	(void)suite;
	skip_reason = NULL;
}

/* One line a case, in the words that tests/total adds up. */
static void
end_test(const CU_pTest test, const CU_pSuite suite, const CU_pFailureRecord failure)
{
	if (failure) {
		failed++;
		printf("fail unit %s: %s\n", suite->pName, test->pName);
		for (CU_pFailureRecord at = failure; at; at = at->pNext)
			printf("  %s:%u: %s\n", at->strFileName, at->uiLineNumber,
				at->strCondition);
	} else if (skip_reason) {
		skipped++;
		printf("skip unit %s: %s (%s)\n", suite->pName, test->pName, skip_reason);
	} else {
		passed++;
		printf("pass unit %s: %s\n", suite->pName, test->pName);
	}
	fflush(stdout);
}

/* Adds the cases of the suites that are wanted, or lists them. */
static void
add_suites(void)
{
	for (size_t i = 0; unit_suites[i]; i++)
		unit_suites[i]();
}

/* Runs the cases that `add` adds. Returns the exit code of the program. */
static int
run_added(void (*add)(void))
{
	if (CU_initialize_registry() != CUE_SUCCESS)
		return 2;
	add();
	CU_set_test_start_handler(begin_test);
	CU_set_test_complete_handler(end_test);
	CU_run_all_tests();
	/* A suite that could not start is counted by CUnit alone. */
	unsigned failures = CU_get_number_of_failures();

	CU_cleanup_registry();
	fprintf(stderr, "unit: %u passed, %u failed, %u skipped\n", passed, failed, skipped);
	return failures > 0 || failed > 0 || passed + skipped == 0;
}

/* A process that runs a suite. */
struct running {
	pid_t pid; /* 0: none */
	const char *name;
	FILE *output;
	uint64_t since_ns;
};

/* Ends a process that runs a suite. */
_Noreturn static void
end_process(int status)
{
#ifdef __SANITIZE_ADDRESS__
	/* The rest of what exit() does with sanitizers takes longer than most suites. */
	__lsan_do_leak_check();
	fflush(NULL);
	_exit(status);
#else
	exit(status);
#endif
}

static void
start_suite(struct running *suite, void (*add)(void))
{
	naming_suite = true;
	add();
	naming_suite = false;
	suite->name = suite_name;
	suite->since_ns = clock_ns();
	suite->output = tmpfile();
	if (!suite->output || (suite->pid = fork()) < 0) {
		perror(suite->name);
		exit(2);
	}
	if (suite->pid > 0)
		return;
	/* A group, so that what a suite leaves behind ends with it. */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(fileno(suite->output), STDOUT_FILENO);
	dup2(fileno(suite->output), STDERR_FILENO);
	fclose(suite->output);
	alarm(TIME_LIMIT);
	end_process(run_added(add));
}

/* Prints what a suite that has ended printed. Returns whether it passed. */
static bool
end_suite(struct running *suite, int status, const struct rusage *usage)
{
	const uint64_t wall_ns = clock_ns() - suite->since_ns;
	bool says_what_failed = false;
	char *line = NULL;
	size_t size = 0;

	kill(-suite->pid, SIGKILL);
	rewind(suite->output);
	while (getline(&line, &size, suite->output) > 0) {
		says_what_failed = says_what_failed || strncmp(line, "fail ", 5) == 0;
		fputs(line, stdout);
	}
	free(line);
	fclose(suite->output);
	if (status != 0 && !says_what_failed)
		printf("fail unit %s: ended with %s %d\n", suite->name,
			WIFSIGNALED(status) ? "signal" : "status",
			WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	printf("time unit %s %.3f %.3f %.3f\n", suite->name, (double)wall_ns * 1e-9,
		(double)clock_timeval_ns(&usage->ru_utime) * 1e-9,
		(double)clock_timeval_ns(&usage->ru_stime) * 1e-9);
	fflush(stdout);
	suite->pid = 0;
	return status == 0;
}

/* Waits for one of the suites to end, which then is none. Returns whether it passed. */
static bool
wait_for_one(struct running *running)
{
	struct rusage usage;
	int status;
	const pid_t pid = wait4(-1, &status, 0, &usage);

	if (pid < 0) {
		perror("wait4");
		exit(2);
	}
	while (running->pid != pid)
		running++;
	return end_suite(running, status, &usage);
}

/*
 * Runs each suite in its own process, as many at a time as there are CPUs, and prints how long
 * it took, for tests/times. The processes are forked, as starting with sanitizers takes longer than
 * most suites do. Returns the exit code of the program.
 */
static int
run_each(void)
{
	enum { MOST = 64 };
	static struct running running[MOST];
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	const size_t jobs = cpus < 1 ? 1 : cpus > MOST ? MOST : (size_t)cpus;
	bool all_passed = true;
	size_t started = 0;

	for (; unit_suites[started]; started++) {
		struct running *suite = running;

		if (started >= jobs)
			all_passed = wait_for_one(running) && all_passed;
		while (suite->pid)
			suite++;
		start_suite(suite, unit_suites[started]);
	}
	for (size_t i = 0; i < jobs && i < started; i++)
		all_passed = wait_for_one(running) && all_passed;
	return started == 0 || !all_passed;
}

int
main(int argc, char **argv)
{
	const bool each = argc > 1 && strcmp(argv[1], "--each") == 0;

	listing_cases = argc > 1 && strcmp(argv[1], "--cases") == 0;
	wanted = argv + (each ? 2 : 1);
	if (each)
		return run_each();
	if (!listing_cases)
		return run_added(add_suites);
	add_suites();
	return 0;
}
