/* The file on disk, in a cache folder of the test's own; and the running kernel's names in it. */
#include "symbols/kernel_cache_file.h"

#include "base/file.h"
#include "symbols/kernel_names.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void suite_symbols_kernel_cache_file(void);

#define KEY "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER_KEY "f123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

struct place {
	char *folder;
	char *cache_home; /* what the variables were */
	char *home;
	char *off;
};

static void
restore(const char *name, char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
	free(value);
}

static char *
keep(const char *name)
{
	const char *value = getenv(name);

	return value ? strdup(value) : NULL;
}

static void
enter(struct place *place)
{
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(file_dir_scratch(&place->folder, &err), 0);
	chmod(place->folder, 0700);
	place->cache_home = keep("XDG_CACHE_HOME");
	place->home = keep("HOME");
	place->off = keep("PROFILE_RUN_NO_CACHE");
	setenv("XDG_CACHE_HOME", place->folder, 1);
	unsetenv("PROFILE_RUN_NO_CACHE");
}

static void
leave(struct place *place)
{
	restore("XDG_CACHE_HOME", place->cache_home);
	restore("HOME", place->home);
	restore("PROFILE_RUN_NO_CACHE", place->off);
	file_dir_abandon(place->folder);
}

static char *
path_here(void)
{
	char *path = kernel_cache_path();

	CU_ASSERT_PTR_NOT_NULL_FATAL(path);
	if (!path)
		abort();
	return path;
}

static void
store_sample(const char *path, const char *key)
{
	static const char text[] = "ffffffff81000000 T _text\n"
				   "ffffffff81000100 t helper\n"
				   "ffffffffc0000000 t init_it\t[ext4]\n";
	struct kernel_names kernel;

	kernel_names_init(&kernel);
	kernel_names_parse(&kernel, text, strlen(text));
	kernel_cache_store(path, &kernel.tab, kernel.text, key);
	kernel_names_release(&kernel);
}

static bool
opens(const char *path, const char *key)
{
	struct kernel_cache_file file;
	bool opened = kernel_cache_open(&file, path, key);

	CU_ASSERT_EQUAL(opened, file.map != NULL);
	kernel_cache_close(&file);
	return opened;
}

static void
test_round_trip(void)
{
	struct place place;
	struct kernel_cache_file file;
	struct symtab_entry found;
	struct stat status;

	enter(&place);
	char *path = path_here();

	CU_ASSERT_FALSE(opens(path, KEY));
	store_sample(path, KEY);
	CU_ASSERT_TRUE_FATAL(kernel_cache_open(&file, path, KEY));
	CU_ASSERT_TRUE(kernel_cache_find(&file.cache, UINT64_C(0xffffffff81000101), &found));
	UNIT_STR_EQ(found.name, "helper");
	CU_ASSERT_PTR_NULL(found.module);
	kernel_cache_close(&file);
	CU_ASSERT_EQUAL(stat(path, &status), 0);
	CU_ASSERT_EQUAL(status.st_mode & 0777, 0600);
	free(path);
	leave(&place);
}

static void
test_replaced(void)
{
	struct place place;

	enter(&place);
	char *path = path_here();

	store_sample(path, OTHER_KEY);
	CU_ASSERT_FALSE(opens(path, KEY));
	store_sample(path, KEY);
	CU_ASSERT_TRUE(opens(path, KEY));
	CU_ASSERT_FALSE(opens(path, OTHER_KEY));
	free(path);
	leave(&place);
}

static void
test_distrusted(void)
{
	struct place place;

	enter(&place);
	char *path = path_here();
	char *link = file_join(place.folder, "link");

	store_sample(path, KEY);
	chmod(path, 0620);
	CU_ASSERT_FALSE(opens(path, KEY));
	chmod(path, 0602);
	CU_ASSERT_FALSE(opens(path, KEY));
	chmod(path, 0600);
	CU_ASSERT_TRUE(opens(path, KEY));
	CU_ASSERT_EQUAL(symlink(path, link), 0);
	CU_ASSERT_FALSE(opens(link, KEY));
	CU_ASSERT_EQUAL(truncate(path, 200), 0);
	CU_ASSERT_FALSE(opens(path, KEY));
	CU_ASSERT_EQUAL(truncate(path, 0), 0);
	CU_ASSERT_FALSE(opens(path, KEY));
	unlink(path);
	CU_ASSERT_EQUAL(mkfifo(path, 0600), 0);
	CU_ASSERT_FALSE(opens(path, KEY));
	store_sample(path, KEY);
	unlink(path);
	CU_ASSERT_EQUAL(mkdir(path, 0700), 0);
	CU_ASSERT_FALSE(opens(path, KEY));
	store_sample(path, KEY);
	free(link);
	free(path);
	leave(&place);
}

static void
test_foreign(void)
{
	struct place place;

	if (geteuid() != 0) {
		unit_skip("only root can give a file away");
		return;
	}
	enter(&place);
	char *path = path_here();

	store_sample(path, KEY);
	CU_ASSERT_EQUAL(chown(path, 12345, 12345), 0);
	CU_ASSERT_FALSE(opens(path, KEY));
	store_sample(path, KEY);
	CU_ASSERT_TRUE(opens(path, KEY));
	CU_ASSERT_EQUAL(chown(place.folder, 12345, 12345), 0);
	CU_ASSERT_PTR_NULL(kernel_cache_path());
	free(path);
	leave(&place);
}

static void
test_places(void)
{
	struct place place;

	enter(&place);
	setenv("PROFILE_RUN_NO_CACHE", "1", 1);
	CU_ASSERT_PTR_NULL(kernel_cache_path());
	unsetenv("PROFILE_RUN_NO_CACHE");
	unsetenv("XDG_CACHE_HOME");
	setenv("HOME", place.folder, 1);

	char *path = kernel_cache_path();
	char *expected = file_join(place.folder, ".cache/profile_run/kernel_names");

	UNIT_STR_EQ(path ? path : "", expected);
	free(expected);
	free(path);
	setenv("HOME", "/nonexistent/home", 1);
	CU_ASSERT_PTR_NULL(kernel_cache_path());
	CU_ASSERT_FALSE(file_exists("/nonexistent"));
	setenv("XDG_CACHE_HOME", "relative", 1);
	unsetenv("HOME");
	CU_ASSERT_PTR_NULL(kernel_cache_path());
	leave(&place);
}

/* The same address by way of the file and of /proc/kallsyms. */
static void
compare(struct kernel_names *kept, struct kernel_names *live, uint64_t address)
{
	struct symtab_entry *one = kernel_names_find(kept, address);
	struct symtab_entry *other = symtab_find(&live->tab, address);

	CU_ASSERT_EQUAL_FATAL(one != NULL, other != NULL);
	if (!one || !other)
		return;
	UNIT_STR_EQ(one->name, other->name);
	UNIT_STR_EQ(one->module ? one->module : "", other->module ? other->module : "");
	CU_ASSERT_EQUAL(one->start, other->start);
}

static void
test_live(void)
{
	struct place place;
	struct kernel_names live;
	struct kernel_names kept;
	char key[HASH_TEXT_SIZE];

	if (kernel_cache_key(key) != KERNEL_KEYED) {
		unit_skip("the kernel hides its names from this user");
		return;
	}
	enter(&place);
	kernel_names_init(&live);
	kernel_names_load(&live);
	CU_ASSERT_TRUE(live.parsed);
	kernel_names_init(&kept);
	kernel_names_load(&kept);
	CU_ASSERT_TRUE(kept.readable);
	CU_ASSERT_FALSE(kept.parsed);
	CU_ASSERT_EQUAL(kept.text, live.text);
	/* From the first to the last function of the kernel's own, whatever the modules are. */
	for (size_t i = 0; i + 1 < live.tab.count && !live.tab.entries[i].module; i += 17) {
		const struct symtab_entry *entry = &live.tab.entries[i];

		if (entry->data || entry[1].data || entry->end - entry->start > 4096)
			continue;
		compare(&kept, &live, entry->start);
		compare(&kept, &live, entry->end - 1);
	}
	CU_ASSERT_FALSE(kept.parsed);
	/* Now all that is left, where the file has to give way. */
	for (size_t i = 0; i < live.tab.count; i += 11) {
		compare(&kept, &live, live.tab.entries[i].start - 1);
		compare(&kept, &live, live.tab.entries[i].end + 5000);
	}
	compare(&kept, &live, 0x1000);
	CU_ASSERT_TRUE(kept.parsed);
	kernel_names_release(&kept);
	kernel_names_release(&live);
	leave(&place);
}

void
suite_symbols_kernel_cache_file(void)
{
	static const struct unit_case cases[] = {
		{"what_is_stored_is_found_and_only_the_user_may_read_it", test_round_trip},
		{"a_file_of_another_key_is_replaced", test_replaced},
		{"what_others_may_write_and_what_is_no_whole_file_is_not_used", test_distrusted},
		{"a_file_or_folder_of_another_user_is_not_used", test_foreign},
		{"the_place_is_as_the_environment_says", test_places},
		{"names_of_the_running_kernel_are_the_same_with_the_file", test_live},
		{NULL, NULL},
	};

	unit_suite("symbols/kernel_cache_file", cases);
}
