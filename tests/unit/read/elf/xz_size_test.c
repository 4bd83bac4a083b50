/* Streams of xz, as the tool of that name writes them. */
#include "elf/elf_image.h"

#include "base/buf.h"
#include "unit.h"

#include <stdio.h>

void suite_elf_xz_size(void);

/* What `command` prints; skips the case where there is no xz. */
static bool
run(const char *command, struct buf *out)
{
	char bytes[4096];
	size_t got;
	FILE *pipe = popen(command, "r"); /* NOLINT(cert-env33-c) */

	if (!pipe)
		return false;
	while ((got = fread(bytes, 1, sizeof(bytes), pipe)) > 0)
		buf_put(out, bytes, got);
	if (pclose(pipe) == 0)
		return true;
	unit_skip("xz is not installed");
	return false;
}

static const unsigned char *
bytes_of(const struct buf *text)
{
	return (const unsigned char *)text->data;
}

static void
a_stream_is_as_large_as_it_unpacks_to(void)
{
	static const char *const ways[] = {"-1", "-6 --check=sha256", "-0 --check=none",
		"--block-size=65536 -T2", "--x86 --lzma2=preset=6", "--delta=dist=4 --lzma2"};
	char command[160];
	uint64_t size;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct buf out = {0};

		snprintf(command, sizeof(command),
			"head -c 300001 /proc/self/exe | xz --format=xz %s -c 2>/dev/null",
			ways[i]);
		if (!run(command, &out))
			return;
		uint64_t all = 300001;
		struct buf exe = {0};

		/* For a small program: what it has. */
		run("head -c 300001 /proc/self/exe", &exe);
		all = exe.len < all ? exe.len : all;
		CU_ASSERT_TRUE(xz_size(bytes_of(&out), out.len, &size));
		CU_ASSERT_EQUAL(size, all);
		/* Cut anywhere ahead of the index, it is none. */
		CU_ASSERT_FALSE(xz_size(bytes_of(&out), out.len / 2, &size));
		buf_release(&exe);
		buf_release(&out);
	}
}

static void
other_bytes_are_no_stream(void)
{
	uint64_t size;

	CU_ASSERT_FALSE(xz_size((const unsigned char *)"", 0, &size));
	CU_ASSERT_FALSE(xz_size((const unsigned char *)"\x7f"
						       "ELF, and so on, and on",
		23, &size));
}

void
suite_elf_xz_size(void)
{
	static const struct unit_case cases[] = {
		{"a_stream_is_as_large_as_it_unpacks_to", a_stream_is_as_large_as_it_unpacks_to},
		{"other_bytes_are_no_stream", other_bytes_are_no_stream},
		{NULL, NULL},
	};

	unit_suite("elf/xz_size", cases);
}
