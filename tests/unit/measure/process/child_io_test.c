#include "process/child.h"

#include "unit.h"

#include <stdlib.h>
#include <string.h>

void suite_process_child_io(void);

static void
what_is_no_io_file_is_not_known(void)
{
	static const char whole[] = "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\n"
				    "write_bytes: 6\ncancelled_write_bytes: 7\n";
	struct child_io io;

	CU_ASSERT(child_io_parse(whole, &io));
	CU_ASSERT(io.read_bytes == 1 && io.write_bytes == 2 && io.read_calls == 3);
	CU_ASSERT(io.write_calls == 4 && io.storage_read_bytes == 5);
	CU_ASSERT_EQUAL(io.storage_write_bytes, 6);
	for (size_t len = 0; whole + len < strstr(whole, "cancelled"); len++) {
		char *cut = strndup(whole, len);

		CU_ASSERT_FALSE(child_io_parse(cut, &io));
		free(cut);
	}
	CU_ASSERT_FALSE(child_io_parse("rchar: x\nwchar: 2\n", &io));
	CU_ASSERT(child_io_read_own(&io) > 0);
}

static const struct unit_case cases[] = {
	{"what_is_no_io_file_is_not_known", what_is_no_io_file_is_not_known},
	{NULL, NULL},
};

void
suite_process_child_io(void)
{
	unit_suite("process/child_io", cases);
}
