#include "perf_event/events.h"

#include "capture/backend.h"
#include "unit.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void suite_perf_event_events(void);

/* From now on perf_event_open(2) fails with `errnum` in this process. */
static int
refuse_perf(unsigned errnum)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | errnum),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = 4, .filter = filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* What choosing says where the call is refused; by the child's exit status. */
static int
choose_refused(unsigned errnum, const char *expected)
{
	fflush(NULL);
	pid_t pid = fork();

	if (pid == 0) {
		struct capture_event event;
		struct err err = {0};

		if (refuse_perf(errnum) < 0)
			_exit(77);
		if (capture_backend_for("cpu")->choose("cpu", "auto", &event, &err) == 0)
			_exit(1);
		if (err.kind != ERR_MEASURE)
			_exit(2);
		_exit(strstr(err.text, expected) ? 0 : 3);
	}
	int status;

	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static void
refusal_says_how_to_mend_it(void)
{
	int status = choose_refused(EACCES, "--cap-add PERFMON");

	if (status == 77) {
		unit_skip("seccomp filters are refused here");
		return;
	}
	/* A paranoid kernel has another remedy. */
	if (status == 3 && geteuid() != 0)
		status = choose_refused(EACCES, "perf_event_paranoid");
	CU_ASSERT_EQUAL(status, 0);
	CU_ASSERT_EQUAL(choose_refused(ENOSYS, "CONFIG_PERF_EVENTS"), 0);
	CU_ASSERT_EQUAL(choose_refused(EMFILE, "ulimit -n"), 0);
}

static void
unknown_event_lists_the_known(void)
{
	struct capture_event event;
	struct err err = {0};

	CU_ASSERT_EQUAL(capture_backend_for("cpu")->choose("cpu", "cylces", &event, &err), -1);
	UNIT_CONTAINS(err.text, "'cylces'");
	for (const struct event_kind *kind = event_kinds; kind->name; kind++)
		UNIT_CONTAINS(err.text, kind->name);
}

static void
chosen_event_delivers_and_says_why(void)
{
	struct capture_event event;
	struct err err = {0};

	if (capture_backend_for("cpu")->choose("cpu", "auto", &event, &err) < 0) {
		unit_skip("perf_event_open is refused here");
		return;
	}
	CU_ASSERT_PTR_NOT_NULL(event_kind_find(event.name));
	CU_ASSERT_TRUE(strcmp(event.name, "cycles") == 0 || strcmp(event.name, "cpu-clock") == 0);
	CU_ASSERT_TRUE(event.reason[0] != '\0');
	CU_ASSERT_TRUE(event.rate_hz > 0);
	if (event.is_clock)
		CU_ASSERT_EQUAL(event.rate_hz, 1e9);
}

static void
attributes_follow_period_or_frequency(void)
{
	struct capture_event event = {.type = PERF_TYPE_SOFTWARE, .kernel = false};
	struct perf_event_attr attr;

	event_attr(&attr, &event, 1234, 999, true);
	CU_ASSERT_EQUAL(attr.sample_period, 1234);
	CU_ASSERT_FALSE(attr.freq);
	CU_ASSERT_TRUE(attr.exclude_kernel);
	CU_ASSERT_TRUE((attr.sample_type & PERF_SAMPLE_CALLCHAIN) != 0);
	event.kernel = true;
	event_attr(&attr, &event, 0, 998.6, false);
	CU_ASSERT_TRUE(attr.freq);
	CU_ASSERT_EQUAL(attr.sample_freq, 999);
	CU_ASSERT_FALSE(attr.exclude_kernel);
	CU_ASSERT_TRUE((attr.sample_type & PERF_SAMPLE_CALLCHAIN) == 0);
}

static void
stack_copies_ask_for_every_register_of_the_kind(void)
{
	struct capture_event event = {.type = PERF_TYPE_SOFTWARE, .kernel = true};
	struct perf_event_attr attr;

	event_attr(&attr, &event, 0, 999, true);
	if (!event_attr_add_stack(&attr, 16384)) {
		unit_skip("the registers of this kind of processor are not known");
		return;
	}
	CU_ASSERT_EQUAL(attr.sample_stack_user, 16384);
	CU_ASSERT_TRUE((attr.sample_type & PERF_SAMPLE_REGS_USER) != 0);
	CU_ASSERT_TRUE((attr.sample_type & PERF_SAMPLE_STACK_USER) != 0);
	/* The frames that the kernel finds are wanted beside them. */
	CU_ASSERT_TRUE((attr.sample_type & PERF_SAMPLE_CALLCHAIN) != 0);
	CU_ASSERT_FALSE(attr.exclude_callchain_user);
	CU_ASSERT_TRUE(attr.size >= PERF_ATTR_SIZE_VER3);
#if defined(__x86_64__)
	CU_ASSERT_EQUAL(attr.sample_regs_user, 0xff0fff);
#endif
}

static const struct unit_case cases[] = {
	{"refusal_says_how_to_mend_it", refusal_says_how_to_mend_it},
	{"unknown_event_lists_the_known", unknown_event_lists_the_known},
	{"chosen_event_delivers_and_says_why", chosen_event_delivers_and_says_why},
	{"attributes_follow_period_or_frequency", attributes_follow_period_or_frequency},
	{"stack_copies_ask_for_every_register_of_the_kind",
		stack_copies_ask_for_every_register_of_the_kind},
	{NULL, NULL},
};

void
suite_perf_event_events(void)
{
	unit_suite("perf_event/events", cases);
}
