#include "analysis/analysis.h"

#include "base/file.h"
#include "output/sample.h"

#include <unistd.h>

void suite_analysis_package(void);

static void
write_list(const char *folder, const char *name, const char *text)
{
	struct err err = {0};
	char *path = file_join(folder, name);

	CU_ASSERT_EQUAL(file_write(path, text, strlen(text), &err), 0);
	free(path);
}

static void
a_file_is_of_the_package_that_lists_it(void)
{
	char folder[] = "/tmp/profile_run_package.XXXXXX";
	struct buf out = {0};

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	write_list(folder, "libc6:amd64.list", "/.\n/lib\n/lib/x/libc.so.6\n/lib/x/libc.so.66\n");
	write_list(folder, "perl-base.list", "/usr/bin/perl5\n/usr/bin/perl");
	CU_ASSERT_TRUE(package_of_file(folder, "/usr/lib/x/libc.so.6", &out));
	CU_ASSERT_STRING_EQUAL(buf_text(&out), "libc6");
	buf_clear(&out);
	CU_ASSERT_TRUE(package_of_file(folder, "/usr/bin/perl", &out));
	CU_ASSERT_STRING_EQUAL(buf_text(&out), "perl-base");
	buf_clear(&out);
	CU_ASSERT_FALSE(package_of_file(folder, "/usr/bin/per", &out));
	CU_ASSERT_FALSE(package_of_file(folder, "perl", &out));
	CU_ASSERT_FALSE(package_of_file("/nonexistent", "/usr/bin/perl", &out));
	CU_ASSERT_EQUAL(out.len, 0);
	static const char *const names[] = {"libc6:amd64.list", "perl-base.list"};

	for (size_t i = 0; i < 2; i++) {
		char *path = file_join(folder, names[i]);

		unlink(path);
		free(path);
	}
	rmdir(folder);
	buf_release(&out);
}

static void
the_c_library_has_a_debug_package_of_its_own_kind(void)
{
	struct buf out = {0};

	package_put_symbols(&out, "libc6");
	buf_putc(&out, ' ');
	package_put_symbols(&out, "perl-base");
	CU_ASSERT_STRING_EQUAL(buf_text(&out), "libc6-dbg perl-base-dbgsym");
	buf_release(&out);
}

void
suite_analysis_package(void)
{
	static const struct unit_case cases[] = {
		{"a_file_is_of_the_package_that_lists_it", a_file_is_of_the_package_that_lists_it},
		{"the_c_library_has_a_debug_package_of_its_own_kind",
			the_c_library_has_a_debug_package_of_its_own_kind},
		{NULL, NULL},
	};

	unit_suite("analysis/package", cases);
}
