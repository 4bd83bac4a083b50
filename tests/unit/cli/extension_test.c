/*
 * Every extension point: what stands in one of the arrays has a name, a summary, a manual entry and
 * a golden case; and every option of a verb an entry in its page, or in the one of the options that
 * several verbs share.
 */
#include "base/buf.h"
#include "base/file.h"
#include "capture/backend.h"
#include "cli/manual.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "gate/rules.h"
#include "ingest/ingest.h"
#include "output/output.h"
#include "unit.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

void suite_cli_extension(void);

/* All text of the manual pages, and of the golden cases with the names of their files. */
struct evidence {
	struct buf manual;
	struct buf golden;
};

static void
add_files(const char *dir, const char *ending, struct buf *out)
{
	DIR *handle = opendir(dir);

	for (struct dirent *entry; handle && (entry = readdir(handle));) {
		size_t len = strlen(entry->d_name);
		size_t ending_len = strlen(ending);
		struct err err = {0};

		if (entry->d_name[0] == '.')
			continue;
		char *path = file_join(dir, entry->d_name);

		if (file_is_dir(path)) {
			add_files(path, ending, out);
		} else if (len >= ending_len &&
			   strcmp(entry->d_name + len - ending_len, ending) == 0) {
			buf_printf(out, "\n%s\n", path);
			CU_ASSERT_EQUAL(file_read(path, out, (size_t)1 << 26, &err), 0);
		}
		free(path);
	}
	if (handle)
		closedir(handle);
}

static void
evidence_init(struct evidence *evidence)
{
	*evidence = (struct evidence){0};
	add_files("harness/doc", ".1", &evidence->manual);
	add_files("harness/doc", ".5", &evidence->manual);
	add_files("harness/doc", ".7", &evidence->manual);
	add_files("tests/golden", "", &evidence->golden);
}

static void
evidence_release(struct evidence *evidence)
{
	buf_release(&evidence->manual);
	buf_release(&evidence->golden);
}

/* Whether a text has a word. The text may hold any byte, since some golden cases do. */
static bool
text_has_word(const char *start, size_t text_len, const char *word)
{
	size_t len = strlen(word);
	const char *end = start + text_len;

	for (const char *at = start; (at = memmem(at, (size_t)(end - at), word, len)); at++) {
		bool begins = at == start || !isalnum((unsigned char)at[-1]);

		if (begins && !isalnum((unsigned char)at[len]))
			return true;
	}
	return false;
}

static bool
has_word(const struct buf *text, const char *word)
{
	return text_has_word(buf_text(text), text->len, word);
}

static void
check_entry(const struct evidence *evidence, const char *name, const char *summary)
{
	CU_ASSERT(name && strlen(name) > 0);
	CU_ASSERT(summary && strlen(summary) > 5);
	bool in_manual = has_word(&evidence->manual, name);
	bool in_golden = has_word(&evidence->golden, name);

	if (!in_manual || !in_golden)
		printf("  %s: %s\n", name, in_manual ? "no golden case" : "no manual entry");
	CU_ASSERT_TRUE(in_manual);
	CU_ASSERT_TRUE(in_golden);
}

static void
each_extension_is_named_summed_up_documented_and_tested(void)
{
	struct evidence evidence;

	evidence_init(&evidence);
	for (size_t i = 0; cli_verbs[i]; i++)
		check_entry(&evidence, cli_verbs[i]->name, cli_verbs[i]->summary);
	for (size_t i = 0; capture_backends[i]; i++)
		check_entry(&evidence, capture_backends[i]->name, capture_backends[i]->summary);
	for (size_t i = 0; input_formats[i]; i++)
		check_entry(&evidence, input_formats[i]->name, input_formats[i]->summary);
	for (size_t i = 0; gate_rules[i]; i++)
		check_entry(
			&evidence, finding_rule_name(gate_rules[i]->rule), gate_rules[i]->summary);
	for (size_t i = 0; report_outputs[i]; i++)
		check_entry(&evidence, report_outputs[i]->name, report_outputs[i]->summary);
	for (size_t i = 0; workload_outputs[i]; i++)
		check_entry(&evidence, workload_outputs[i]->name, workload_outputs[i]->summary);
	evidence_release(&evidence);
}

static void
check_options(const struct cli_option *options, void *verb_name)
{
	const char *const topics[] = {verb_name, "reading", "profile_run"};

	for (; options->name; options++) {
		bool found = false;
		char text[64];

		snprintf(text, sizeof(text), "--%s", options->name);
		for (size_t i = 0; i < sizeof(topics) / sizeof(topics[0]); i++) {
			struct manual_page page;

			CU_ASSERT_TRUE_FATAL(manual_find(&page, topics[i]));
			found = found || text_has_word(page.text, page.len, text);
		}
		if (!found)
			printf("  profile_run-%s(1) lacks %s\n", (char *)verb_name, text);
		CU_ASSERT_TRUE(found);
	}
}

static void
each_option_is_in_the_page_of_its_verb(void)
{
	for (size_t i = 0; cli_verbs[i]; i++) {
		struct err err = {0};
		const struct cli_call call = {.verb = cli_verbs[i],
			.look = check_options,
			.look_context = (void *)cli_verbs[i]->name};

		CU_ASSERT_EQUAL(cli_verbs[i]->run(&call, &err), 0);
	}
}

void
suite_cli_extension(void)
{
	static const struct unit_case cases[] = {
		{"each_extension_is_named_summed_up_documented_and_tested",
			each_extension_is_named_summed_up_documented_and_tested},
		{"each_option_is_in_the_page_of_its_verb", each_option_is_in_the_page_of_its_verb},
		{NULL, NULL},
	};

	unit_suite("cli/extension", cases);
}
