#include "base/file.h"
#include "capture/backend.h"
#include "capture/capture_internal.h"
#include "profile/counters.h"

#include "scratch.h"
#include "unit.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void suite_capture_alloc(void);

static void
allocations_of_a_shell_are_counted(void)
{
	static const char *const argv[] = {"/bin/sh", "-c", "echo ${x:=y}", NULL};
	const struct capture_backend *backend = capture_backend_for("alloc");
	struct capture_request request = {.argv = argv, .reader_cpu = -1, .timeout_s = 60};
	struct capture_result result;
	struct scratch scratch;
	struct err err = {0};
	char path[128];

	if (backend->choose("alloc", "auto", &request.event, &err) < 0) {
		unit_skip(err.text);
		return;
	}
	CU_ASSERT(request.event.counts_all);
	UNIT_STR_EQ(request.event.name, "alloc:bytes");
	scratch_init(&scratch);
	snprintf(path, sizeof(path), "%s/a folder:100%%.data", scratch.dir);
	request.perfdata_path = path;
	CU_ASSERT_EQUAL_FATAL(backend->run(&request, &result, &err), 0);
	CU_ASSERT(result.run.cost_total > 0);
	CU_ASSERT_EQUAL(result.run.lost, 0);
	CU_ASSERT(counter_value(&result.run, COUNTER_ALLOC_COUNT) > 0);
	CU_ASSERT(counter_value(&result.run, COUNTER_ALLOC_PEAK) > 0);
	CU_ASSERT(counter_value(&result.run, COUNTER_ALLOC_LIVE) >= 0);
	double first = result.run.cost_total;

	CU_ASSERT_EQUAL_FATAL(backend->run(&request, &result, &err), 0);
	CU_ASSERT_EQUAL(result.run.cost_total, first);
	CU_ASSERT_EQUAL(access(path, F_OK), 0);
	/* Nothing else is left. */
	unlink(path);
	CU_ASSERT_EQUAL(rmdir(scratch.dir), 0);
}

static void
unknown_events_are_refused(void)
{
	struct capture_event event;
	struct err err = {0};

	CU_ASSERT_EQUAL(capture_backend_for("alloc")->choose("alloc", "cycles", &event, &err), -1);
	CU_ASSERT_EQUAL(err.kind, ERR_USAGE);
	UNIT_CONTAINS(err.text, "has no event 'cycles'");
}

/* An ELF file with a loader, unless that is NULL, and `more` behind it. */
static void
put_program(struct scratch *scratch, unsigned char class, const char *loader, const char *more)
{
	const char *path = scratch_path(scratch, "program");
	size_t len = loader ? strlen(loader) + 1 : 0;
	Elf64_Ehdr head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, class},
		.e_phoff = sizeof(head),
		.e_phnum = loader ? 1 : 0};
	const Elf64_Phdr segment = {
		.p_type = PT_INTERP, .p_offset = sizeof(head) + sizeof(segment), .p_filesz = len};
	struct buf file = {0};
	struct err err = {0};

	buf_put(&file, &head, sizeof(head));
	buf_put(&file, &segment, sizeof(segment));
	buf_put(&file, loader ? loader : "", len);
	buf_puts(&file, more);
	CU_ASSERT_EQUAL_FATAL(file_write(path, file.data, file.len, &err), 0);
	buf_release(&file);
	CU_ASSERT_EQUAL(chmod(path, 0755), 0);
}

static void
programs_that_cannot_be_counted_are_named_with_the_reason(void)
{
	static const struct {
		unsigned char class;
		const char *loader;
		const char *more;
		const char *reason; /* NULL: they can */
	} programs[] = {
		{ELFCLASS64, "/lib64/ld-linux-x86-64.so.2", "", NULL},
		{ELFCLASS64, NULL, "", "it is linked statically"},
		{ELFCLASS64, "/lib64/ld-linux-x86-64.so.2", "\xff Go buildinf:", "Go program"},
		{ELFCLASS32, "/lib/ld-linux.so.2", "", "it is a 32-bit program"},
	};

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		struct scratch scratch;
		struct err err = {0};

		scratch_init(&scratch);
		put_program(&scratch, programs[i].class, programs[i].loader, programs[i].more);
		const char *const argv[] = {scratch.path, NULL};
		int result = alloc_check_program(argv, NULL, NULL, &err);

		CU_ASSERT_EQUAL(result, programs[i].reason ? -1 : 0);
		UNIT_CONTAINS(err.text, programs[i].reason ? programs[i].reason : "");
		scratch_release(&scratch);
	}
}

void
suite_capture_alloc(void)
{
	static const struct unit_case cases[] = {
		{"allocations_of_a_shell_are_counted", allocations_of_a_shell_are_counted},
		{"unknown_events_are_refused", unknown_events_are_refused},
		{"programs_that_cannot_be_counted_are_named_with_the_reason",
			programs_that_cannot_be_counted_are_named_with_the_reason},
		{NULL, NULL},
	};

	unit_suite("capture/alloc", cases);
}
