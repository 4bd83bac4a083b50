/*
 * Every key of YAML against its manual page: it has an entry there, and that entry names the
 * default that the table gives it.
 */
#include "spec_fixture.h"

#include "base/buf.h"
#include "profile/counters.h"

void suite_spec_manual(void);

#define WORKLOAD_PAGE "harness/doc/profile_run-workload.5"
#define CONFIG_PAGE "harness/doc/profile_run-config.5"

/* The end of the entry that starts at `entry`: the next one, or its list's end. */
static const char *
entry_end(const char *entry)
{
	const char *next = strstr(entry + 1, "\n.It ");
	const char *end = strstr(entry + 1, "\n.El");

	if (!end)
		end = entry + strlen(entry);
	return next && next < end ? next : end;
}

static bool
has_word(const char *text, const char *end, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = strstr(text, word); at && at < end; at = strstr(at + 1, word)) {
		bool starts = at > text && strchr(" \n(", at[-1]);

		if (starts && (at[len] == '\0' || strchr(" .,;\n)", at[len])))
			return true;
	}
	return false;
}

/*
 * Whether a heading of the page is the key, or an `.It` names it, with the default in what it says
 * if there is one.
 */
static bool
is_described(const char *page, const struct key *key)
{
	char heading[64];

	snprintf(heading, sizeof(heading), "\n.Ss %s\n", key->name);
	if (strstr(page, heading))
		return true;
	for (const char *at = strstr(page, "\n.It "); at; at = strstr(at + 1, "\n.It ")) {
		const char *line_end = strchr(at + 1, '\n');

		if (!has_word(at + 1, line_end ? line_end : at + strlen(at), key->name))
			continue;
		if (!key->defaults[0] || has_word(at + 1, entry_end(at), key->defaults[0]))
			return true;
	}
	return false;
}

static void
check_table(const char *path, const struct key *keys)
{
	struct buf page = {0};
	struct err err = {0};

	if (!file_exists(path)) {
		unit_skip("not started in the repository's root");
		return;
	}
	CU_ASSERT_EQUAL_FATAL(file_read(path, &page, 1 << 20, &err), 0);
	for (; keys->name; keys++) {
		if (is_described(buf_text(&page), keys))
			continue;
		printf("  %s: no entry for '%s' (default: %s)\n", path, keys->name,
			keys->defaults[0] ? keys->defaults[0] : "none");
		CU_FAIL("a key without its manual entry");
	}
	buf_release(&page);
}

static void
every_key_of_a_workload_has_an_entry(void)
{
	check_table(WORKLOAD_PAGE, workload_keys);
	check_table(WORKLOAD_PAGE, capture_keys);
	check_table(WORKLOAD_PAGE, gate_fields);
	check_table(WORKLOAD_PAGE, rule_keys);
	check_table(WORKLOAD_PAGE, counter_keys);
}

static void
every_counter_has_an_entry(void)
{
	struct key keys[NCOUNTERS + 1] = {{.name = NULL}};

	for (int id = 0; id < NCOUNTERS; id++)
		keys[id].name = counter_kinds[id].name;
	check_table(WORKLOAD_PAGE, keys);
}

static void
every_key_of_the_configuration_has_an_entry(void)
{
	check_table(CONFIG_PAGE, config_keys);
	check_table(CONFIG_PAGE, waiver_keys);
}

static void
the_defaults_of_a_mode_are_reported(void)
{
	struct buf page = {0};
	struct err err = {0};

	if (!file_exists(WORKLOAD_PAGE)) {
		unit_skip("not started in the repository's root");
		return;
	}
	CU_ASSERT_EQUAL_FATAL(file_read(WORKLOAD_PAGE, &page, 1 << 20, &err), 0);
	for (size_t i = 0; gate_fields[i].name; i++) {
		for (size_t column = 1; column < KEY_DEFAULTS; column++) {
			const char *value = gate_fields[i].defaults[column];
			char text[64];

			snprintf(text, sizeof(text), "%s: %s", gate_fields[i].name,
				value ? value : "");
			if (value)
				UNIT_CONTAINS(buf_text(&page), text);
		}
	}
	buf_release(&page);
}

void
suite_spec_manual(void)
{
	static const struct unit_case cases[] = {
		{"every_key_of_a_workload_has_an_entry", every_key_of_a_workload_has_an_entry},
		{"every_counter_has_an_entry", every_counter_has_an_entry},
		{"every_key_of_the_configuration_has_an_entry",
			every_key_of_the_configuration_has_an_entry},
		{"the_defaults_of_a_mode_are_reported", the_defaults_of_a_mode_are_reported},
		{NULL, NULL},
	};

	unit_suite("spec/manual", cases);
}
