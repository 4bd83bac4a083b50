#include "base/mem.h"

#include "base/err.h"
#include "unit.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

void suite_base_mem(void);

static void
growth_keeps_and_zeroes(void)
{
	size_t capacity = 0;
	int *array = mem_grow(NULL, &capacity, 1, sizeof(*array));

	array[0] = 7;
	for (size_t n = 2; n < 1000; n++) {
		size_t before = capacity;

		array = mem_grow(array, &capacity, n, sizeof(*array));
		CU_ASSERT_EQUAL(array[0], 7);
		for (size_t i = before; i < capacity; i++)
			CU_ASSERT_EQUAL_FATAL(array[i], 0);
	}
	free(array);
}

static void
tables_begin_zeroed(void)
{
	for (size_t count = 0; count < 5000; count = count * 3 + 1) {
		char *used = mem_zalloc(count * 12 + 1, 1);

		memset(used, 'x', count * 12 + 1);
		free(used);
		char *table = mem_ztable(count, 12);

		for (size_t i = 0; i < count * 12; i++)
			CU_ASSERT_EQUAL_FATAL(table[i], 0);
		free(table);
	}
}

/* The exit status of a process that allocates such a table; -1 where a signal ended it. */
static int
exit_of_table(size_t count, size_t size)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

		dup2(nowhere, STDERR_FILENO);
		_exit(mem_ztable(count, size) ? 0 : -1);
	}
	CU_ASSERT_EQUAL_FATAL(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void
tables_too_large_for_any_memory_end_the_process(void)
{
	const struct err err = {.kind = ERR_SYSTEM};

	CU_ASSERT_EQUAL(exit_of_table(SIZE_MAX / 2, 3), err_exit_code(&err));
	CU_ASSERT_EQUAL(exit_of_table(SIZE_MAX, 1), err_exit_code(&err));
	CU_ASSERT_EQUAL(exit_of_table(SIZE_MAX / 3, 3), err_exit_code(&err));
}

void
suite_base_mem(void)
{
	static const struct unit_case cases[] = {
		{"growth_keeps_and_zeroes", growth_keeps_and_zeroes},
		{"tables_begin_zeroed", tables_begin_zeroed},
		{"tables_too_large_for_any_memory_end_the_process",
			tables_too_large_for_any_memory_end_the_process},
		{NULL, NULL},
	};

	unit_suite("base/mem", cases);
}
