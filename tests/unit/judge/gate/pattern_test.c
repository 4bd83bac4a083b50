#include "gate/pattern.h"

#include "unit.h"

void suite_gate_pattern(void);

static frame_id
add(struct profile *profile, const char *name, const char *module)
{
	frame_id frame = profile_frame_text(profile, name, strlen(name));

	if (module)
		profile->frames.frames[frame].module =
			strtab_intern(&profile->strings, module, strlen(module));
	return frame;
}

static void
functions_are_met_by_name_suffix_and_clone(void)
{
	struct profile profile;

	profile_init(&profile);
	frame_id parse = add(&profile, "parse", NULL);
	frame_id read = add(&profile, "vfs_read_[k]", NULL);
	frame_id nameless = add(&profile, "[libz.so.1]", NULL);
	frame_id mark = add(&profile, FRAME_BROKEN, NULL);

	CU_ASSERT(pattern_matches(RULE_FUNCTION, "pars?", &profile, parse));
	CU_ASSERT(pattern_matches(RULE_FUNCTION, "parse.part.3", &profile, parse));
	CU_ASSERT(!pattern_matches(RULE_FUNCTION, "print", &profile, parse));
	CU_ASSERT(pattern_matches(RULE_FUNCTION, "vfs_*", &profile, read));
	CU_ASSERT(pattern_matches(RULE_FUNCTION, "*_\\[k\\]", &profile, read));
	CU_ASSERT(pattern_matches(RULE_FUNCTION, "[unknown]", &profile, nameless));
	CU_ASSERT(!pattern_matches(RULE_FUNCTION, "*", &profile, mark));
	CU_ASSERT(pattern_matches(RULE_FUNCTION, FRAME_BROKEN, &profile, mark));
	profile_release(&profile);
}

/* Brackets and stars of a name are its own. */
static void
a_name_matches_itself(void)
{
	struct profile profile;

	profile_init(&profile);
	frame_id index = add(&profile, "Table<int[3]>::operator[](int*)", NULL);

	CU_ASSERT(
		pattern_matches(RULE_FUNCTION, "Table<int[3]>::operator[](int*)", &profile, index));
	CU_ASSERT(pattern_matches(RULE_EACH, "Table<int\\[3]>::*", &profile, index));
	CU_ASSERT(!pattern_matches(
		RULE_FUNCTION, "Table<int[4]>::operator[](int*)", &profile, index));
	profile_release(&profile);
}

/* A * matches slashes as well: the names of Go have them. */
static void
patterns_are_of_whole_names(void)
{
	struct profile profile;

	profile_init(&profile);
	frame_id go = add(&profile, "github.com/x/y.Parse", NULL);
	frame_id read = add(&profile, "vfs_read_[k]", NULL);
	frame_id module = add(&profile, "a/b_[k]", NULL);

	CU_ASSERT(pattern_matches(RULE_FUNCTION, "github*Parse", &profile, go));
	CU_ASSERT(pattern_matches(RULE_EACH, "github*Parse", &profile, go));
	CU_ASSERT(!pattern_matches(RULE_FUNCTION, "y.Parse", &profile, go));
	CU_ASSERT(pattern_matches(RULE_FUNCTION, "vfs_*_\\[k\\]", &profile, read));
	CU_ASSERT(!pattern_matches(RULE_FUNCTION, "*_\\[j\\]", &profile, read));
	CU_ASSERT(pattern_matches(RULE_FUNCTION, "a*_\\[k\\]", &profile, module));
	/* What is no function matches none. */
	CU_ASSERT(!pattern_matches(RULE_TOTAL, "*", &profile, go));
	CU_ASSERT(!pattern_matches(RULE_COUNTER, "*", &profile, go));
	/* Calls are of system calls alone. */
	CU_ASSERT(!pattern_matches(RULE_CALL, "*", &profile, read));
	profile.metric = strtab_intern_str(&profile.strings, "syscalls");
	profile.unit = strtab_intern_str(&profile.strings, "calls");
	CU_ASSERT(pattern_matches(RULE_CALL, "vfs*", &profile, read));
	CU_ASSERT(pattern_matches(RULE_CALL, "*b", &profile, module));
	CU_ASSERT(!pattern_matches(RULE_CALL, "vfs", &profile, read));
	CU_ASSERT(!pattern_matches(RULE_CALL, "*", &profile, go));
	profile_release(&profile);
}

static void
modules_are_met_by_path_and_by_base_name(void)
{
	struct profile profile;

	profile_init(&profile);
	frame_id inflate = add(&profile, "inflate", "/usr/lib/x86_64-linux-gnu/libz.so.1.3");
	frame_id gettime = add(&profile, "clock_gettime", "[vdso]");
	frame_id nameless = add(&profile, "[libz.so.1]", NULL);
	frame_id unknown = add(&profile, "[unknown]", NULL);
	frame_id plain = add(&profile, "main", NULL);
	frame_id mark = add(&profile, FRAME_TRUNCATED, "/bin/libz");

	CU_ASSERT(pattern_matches(RULE_MODULE, "libz*", &profile, inflate));
	CU_ASSERT(pattern_matches(RULE_MODULE, "/usr/lib/*", &profile, inflate));
	CU_ASSERT(!pattern_matches(RULE_MODULE, "libc*", &profile, inflate));
	CU_ASSERT(!pattern_matches(RULE_MODULE, "x86_64*", &profile, inflate));
	CU_ASSERT(pattern_matches(RULE_MODULE, "[vdso]", &profile, gettime));
	CU_ASSERT(pattern_matches(RULE_MODULE, "libz*", &profile, nameless));
	CU_ASSERT(pattern_matches(RULE_MODULE, "libz.so.1", &profile, nameless));
	CU_ASSERT(pattern_matches(RULE_MODULE, "[libz.so.1]", &profile, nameless));
	CU_ASSERT(!pattern_matches(RULE_MODULE, "libc*", &profile, nameless));
	CU_ASSERT(!pattern_matches(RULE_MODULE, "*", &profile, unknown));
	CU_ASSERT(!pattern_matches(RULE_MODULE, "*", &profile, plain));
	CU_ASSERT(!pattern_matches(RULE_MODULE, "*", &profile, mark));
	profile_release(&profile);
}

static void
the_kernel_is_one_module(void)
{
	struct profile profile;

	profile_init(&profile);
	frame_id read = add(&profile, "vfs_read_[k]", "[kernel.kallsyms]");
	frame_id filter = add(&profile, "nf_hook_[k]", "[nf_tables]");
	frame_id bare = add(&profile, "schedule_[k]", NULL);
	frame_id user = add(&profile, "kernel", "/bin/kernel");

	CU_ASSERT(pattern_matches(RULE_MODULE, "[kernel]", &profile, read));
	CU_ASSERT(pattern_matches(RULE_MODULE, "[kernel]", &profile, filter));
	CU_ASSERT(pattern_matches(RULE_MODULE, "[kernel]", &profile, bare));
	CU_ASSERT(!pattern_matches(RULE_MODULE, "[kernel]", &profile, user));
	CU_ASSERT(pattern_matches(RULE_MODULE, "[nf_tables]", &profile, filter));
	CU_ASSERT(!pattern_matches(RULE_MODULE, "[nf_tables]", &profile, read));
	profile_release(&profile);
}

void
suite_gate_pattern(void)
{
	static const struct unit_case cases[] = {
		{"functions_are_met_by_name_suffix_and_clone",
			functions_are_met_by_name_suffix_and_clone},
		{"modules_are_met_by_path_and_by_base_name",
			modules_are_met_by_path_and_by_base_name},
		{"the_kernel_is_one_module", the_kernel_is_one_module},
		{"a_name_matches_itself", a_name_matches_itself},
		{"patterns_are_of_whole_names", patterns_are_of_whole_names},
		{NULL, NULL},
	};

	unit_suite("gate/pattern", cases);
}
