/* Nothing here asks a server: what is tested is that nobody does unasked. */
#include "elf/debug_file.h"

#include "elf/elf_image.h"
#include "unit.h"

#include <stdlib.h>

void suite_elf_debuginfod(void);

static const struct build_id build_id = {{1, 2, 3, 4}, 4};

static void
test_off(void)
{
	struct debuginfod servers = {.state = DEBUGINFOD_OFF};

	CU_ASSERT_PTR_NULL(debuginfod_fetch(&servers, &build_id, false));
	CU_ASSERT_EQUAL(servers.state, DEBUGINFOD_OFF);
	CU_ASSERT_PTR_NULL(servers.library);
	debuginfod_release(&servers);
}

static void
test_no_server(void)
{
	struct debuginfod servers = {.state = DEBUGINFOD_ON};
	const char *urls = getenv("DEBUGINFOD_URLS");
	char *kept = urls ? strdup(urls) : NULL;

	unsetenv("DEBUGINFOD_URLS");
	CU_ASSERT_PTR_NULL(debuginfod_fetch(&servers, &build_id, true));
	CU_ASSERT_EQUAL(servers.state, DEBUGINFOD_USELESS);
	UNIT_CONTAINS(servers.trouble ? servers.trouble : "", "DEBUGINFOD_URLS");
	CU_ASSERT_PTR_NULL(servers.library);
	CU_ASSERT_PTR_NULL(debuginfod_fetch(&servers, &build_id, false));
	debuginfod_release(&servers);
	CU_ASSERT_EQUAL(servers.state, DEBUGINFOD_OFF);
	if (kept)
		setenv("DEBUGINFOD_URLS", kept, 1);
	free(kept);
}

void
suite_elf_debuginfod(void)
{
	static const struct unit_case cases[] = {
		{"servers_are_not_asked_unless_that_is_wanted", test_off},
		{"without_a_server_s_name_there_is_a_reason_and_no_library", test_no_server},
		{NULL, NULL},
	};

	unit_suite("elf/debuginfod", cases);
}
