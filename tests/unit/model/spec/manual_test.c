/*
 * Every key of YAML against its manual page: it has an entry there, and that entry names the
 * default that the table gives it.
 */
#include "spec_fixture.h"

#include "base/buf.h"
#include "profile/counters.h"

void suite_spec_manual(void);

#define PAGE(topic) "harness/doc/profile_run-" topic ".5"

/* NULL-ended lists: the pages that describe the keys of a file. */
static const char *const workload_pages[] = {
	PAGE("workload"), PAGE("service"), PAGE("suite"), PAGE("policy"), PAGE("rules"), NULL};
static const char *const config_pages[] = {PAGE("config"), NULL};

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

/* False, and the case is skipped, where there are no pages. */
static bool
read_pages(const char *const *paths, struct buf *text)
{
	struct err err = {0};

	if (!file_exists(paths[0])) {
		unit_skip("not started in the repository's root");
		return false;
	}
	for (; *paths; paths++)
		CU_ASSERT_EQUAL_FATAL(file_read(*paths, text, 1 << 20, &err), 0);
	return true;
}

static void
check_table(const char *const *paths, const struct key *keys)
{
	struct buf page = {0};

	if (!read_pages(paths, &page))
		return;
	for (; keys->name; keys++) {
		if (is_described(buf_text(&page), keys))
			continue;
		printf("  %s: no entry for '%s' (default: %s)\n", paths[0], keys->name,
			keys->defaults[0] ? keys->defaults[0] : "none");
		CU_FAIL("a key without its manual entry");
	}
	buf_release(&page);
}

static void
every_key_of_a_workload_has_an_entry(void)
{
	check_table(workload_pages, workload_keys);
	check_table(workload_pages, capture_keys);
	check_table(workload_pages, gate_fields);
	check_table(workload_pages, rule_keys);
	check_table(workload_pages, counter_keys);
}

static void
every_counter_has_an_entry(void)
{
	struct key keys[NCOUNTERS + 1] = {{.name = NULL}};

	for (int id = 0; id < NCOUNTERS; id++)
		keys[id].name = counter_kinds[id].name;
	check_table(workload_pages, keys);
}

static void
every_key_of_the_configuration_has_an_entry(void)
{
	check_table(config_pages, config_keys);
	check_table(config_pages, waiver_keys);
}

static void
the_defaults_of_a_mode_are_reported(void)
{
	struct buf page = {0};

	if (!read_pages(workload_pages, &page))
		return;
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
