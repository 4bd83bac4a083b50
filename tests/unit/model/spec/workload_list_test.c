#include "spec_fixture.h"

void suite_spec_workload_list(void);

static void
fill(struct spec_fixture *f)
{
	spec_fixture_init(f);
	spec_fixture_write(f, "zeta.yaml", "name: zeta\nrun: x\n");
	spec_fixture_write(f, "alpha.yml", "name: alpha\nrun: x\n");
	spec_fixture_write(f, ".hidden.yaml", "not: a workload\n");
	spec_fixture_write(f, "notes.txt", "not a workload\n");
	f->config.workloads_dir = f->dir;
}

static void
a_folder_gives_its_workloads_by_name(void)
{
	struct spec_fixture f;
	struct workload_list list;

	fill(&f);
	CU_ASSERT_EQUAL_FATAL(workload_list_read(&list, NULL, 0, &f.config, &f.err), 0);
	CU_ASSERT_EQUAL_FATAL(list.nworkloads, 2);
	UNIT_STR_EQ(list.workloads[0].name, "alpha");
	UNIT_STR_EQ(list.workloads[1].name, "zeta");
	workload_list_release(&list);
	spec_fixture_release(&f);
}

static void
files_and_bare_names_are_found(void)
{
	struct spec_fixture f;
	struct workload_list list;

	fill(&f);
	const char *paths[] = {spec_fixture_write(&f, "b.yaml", "name: b\nrun: x\n"), "alpha"};

	CU_ASSERT_EQUAL_FATAL(workload_list_read(&list, paths, 2, &f.config, &f.err), 0);
	CU_ASSERT_EQUAL_FATAL(list.nworkloads, 2);
	UNIT_STR_EQ(list.workloads[0].name, "alpha");
	UNIT_STR_EQ(list.workloads[1].name, "b");
	workload_list_release(&list);
	spec_fixture_release(&f);
}

static void
an_unknown_name_is_answered_with_the_nearest(void)
{
	struct spec_fixture f;
	struct workload_list list;
	const char *paths[] = {"alhpa"};

	fill(&f);
	CU_ASSERT_EQUAL(workload_list_read(&list, paths, 1, &f.config, &f.err), -1);
	UNIT_CONTAINS(f.err.text, "did you mean 'alpha'?");
	UNIT_CONTAINS(f.err.text, "known: alpha, zeta");
	spec_fixture_release(&f);
}

static void
two_of_one_name_and_none_at_all_are_errors(void)
{
	struct spec_fixture f;
	struct workload_list list;

	fill(&f);
	spec_fixture_write(&f, "again.yaml", "name: zeta\nrun: y\n");
	CU_ASSERT_EQUAL(workload_list_read(&list, NULL, 0, &f.config, &f.err), -1);
	UNIT_CONTAINS(f.err.text, "two workloads are named 'zeta'");
	UNIT_CONTAINS(f.err.text, "again.yaml");
	char empty[64];

	snprintf(empty, sizeof(empty), "%s/empty", f.dir);
	CU_ASSERT_EQUAL(file_make_dirs(empty, &f.err), 0);
	f.config.workloads_dir = empty;
	CU_ASSERT_EQUAL(workload_list_read(&list, NULL, 0, &f.config, &f.err), -1);
	UNIT_CONTAINS(f.err.text, "no workload in");
	f.config.workloads_dir = "/nowhere";
	CU_ASSERT_EQUAL(workload_list_read(&list, NULL, 0, &f.config, &f.err), -1);
	UNIT_CONTAINS(f.err.text, "/nowhere");
	spec_fixture_release(&f);
}

void
suite_spec_workload_list(void)
{
	static const struct unit_case cases[] = {
		{"a_folder_gives_its_workloads_by_name", a_folder_gives_its_workloads_by_name},
		{"files_and_bare_names_are_found", files_and_bare_names_are_found},
		{"an_unknown_name_is_answered_with_the_nearest",
			an_unknown_name_is_answered_with_the_nearest},
		{"two_of_one_name_and_none_at_all_are_errors",
			two_of_one_name_and_none_at_all_are_errors},
		{NULL, NULL},
	};

	unit_suite("spec/workload_list", cases);
}
