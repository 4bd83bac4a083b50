#include "capture/backend.h"

#include "unit.h"

void suite_capture_phase_choice(void);

static void
test_marks(void)
{
	static const struct {
		const char *text;
		const char *problem;
	} wrong[] = {
		{"", "names no phase"},
		{"=main", "names no phase"},
		{"pipe,", "names no phase"},
		{"a:b:c:d", "'--phases': 'a:b:c:d' is neither"},
	};
	const char *const argv[] = {"/bin/true", NULL};
	const struct operation_program program = {.argv = argv};
	struct capture_phases phases;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct err err = {0};

		CU_ASSERT_EQUAL(
			capture_phases_find(&phases, wrong[i].text, "phases", &program, &err), -1);
		UNIT_CONTAINS(err.text, wrong[i].problem);
		capture_phases_release(&phases);
	}
	struct err err = {0};

	CU_ASSERT_EQUAL(capture_phases_find(&phases, "pipe", "phases", &program, &err), 0);
	CU_ASSERT(phases.pipe);
	capture_phases_release(&phases);
}

static void
test_running(void)
{
	const struct operation_program program = {.pid = 1};
	struct capture_phases phases;
	struct err err = {0};

	CU_ASSERT_EQUAL(capture_phases_find(&phases, "pipe", "phases", &program, &err), -1);
	UNIT_CONTAINS(err.text, "a running process");
	capture_phases_release(&phases);
}

void
suite_capture_phase_choice(void)
{
	static const struct unit_case cases[] = {
		{"what_marks_nothing_is_an_error", test_marks},
		{"a_running_process_has_no_pipe", test_running},
		{NULL, NULL},
	};

	unit_suite("capture/phase_choice", cases);
}
