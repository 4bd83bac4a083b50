#include "output/redact.h"

#include "folded_check.h"
#include "output/exported.h"
#include "output/pprof.h"
#include "profile/folded.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

void suite_output_redact(void);

#define KEY "0123456789abcdef"

/* The words of the original: in no byte of what leaves the house. */
static const char *const secrets[] = {"acme", "Acme", "secret", "tenant", "worker", "host1", NULL};

/* `attribute` of all kinds has a secret. */
static void
make(struct profile *profile, const char *folded)
{
	struct err err = {0};

	profile_init(profile);
	CU_ASSERT_EQUAL_FATAL(folded_read(profile, "t", folded, strlen(folded), &err), 0);
	const str_id secret = strtab_intern_str(&profile->strings, "/opt/acme/secret");

	profile->workload = profile->command = profile->event = profile->metric = secret;
	profile->unit = profile->cost_unit = profile->callgraph = profile->callgraph_why = secret;
	profile->host = strtab_intern_str(&profile->strings, "host1");
	profile->operations = profile->files = secret;
	profile->by = strtab_intern_str(&profile->strings, "tenant");
	for (frame_id id = 1; id < profile->frames.nframes; id++) {
		struct frame *frame = &profile->frames.frames[id];

		frame->module = frame->file = frame->full = secret;
		frame->line = id;
	}
}

static struct redaction
rules_of(struct redaction_rule *rules, size_t count)
{
	return (struct redaction){
		.rules = rules,
		.nrules = count,
		.otherwise = {.action = REDACT_HASH},
		.key = KEY,
		.key_len = strlen(KEY),
	};
}

static void
put_folded(const struct profile *profile, struct buf *out)
{
	folded_write(profile, FOLDED_RUNS, out);
}

static void
expect_no_secret(const struct buf *out)
{
	CU_ASSERT(out->len > 0);
	for (size_t i = 0; secrets[i]; i++) {
		if (memmem(buf_text(out), out->len, secrets[i], strlen(secrets[i])))
			printf("  | found '%s'\n", secrets[i]);
		CU_ASSERT_PTR_NULL(memmem(buf_text(out), out->len, secrets[i], strlen(secrets[i])));
	}
}

static void
put_speedscope(const struct profile *profile, struct buf *out)
{
	struct sample_times none;

	sample_times_init(&none);
	speedscope_put(profile, &none, out);
	sample_times_release(&none);
}

static const char stacks[] = "tenant=acme;main;acme::parse<secret>;[libacme.so] 3\n"
			     "tenant=acme;main;std::sort;Acme_[i] 2\n"
			     "worker 1;main;do_secret_[k] 1\n";

static void
test_nothing_escapes(void)
{
	static void (*const targets[])(const struct profile *profile, struct buf *out) = {
		put_folded, put_speedscope};
	const struct redaction rules = rules_of(NULL, 0);
	struct profile profile;
	struct profile redacted;

	make(&profile, stacks);
	redact_profile(&redacted, &profile, &rules);
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		struct buf out = {0};

		targets[i](&redacted, &out);
		expect_no_secret(&out);
		buf_release(&out);
	}
	/* pprof's is compressed: its strings are these. */
	struct buf strings = {0};

	for (str_id id = 1; id < redacted.strings.nentries; id++)
		buf_printf(&strings, "%s\n", strtab_str(&redacted.strings, id));
	expect_no_secret(&strings);
	buf_release(&strings);
	CU_ASSERT_EQUAL(profile_column_total(&redacted, 0), 6);
	profile_release(&redacted);
	profile_release(&profile);
}

static void
expect(struct redaction_rule *rules, size_t count, const char *text, const char *folded)
{
	const struct redaction redaction = rules_of(rules, count);
	struct profile profile;
	struct profile redacted;

	make(&profile, text);
	redact_profile(&redacted, &profile, &redaction);
	folded_check(&redacted, folded);
	profile_release(&redacted);
	profile_release(&profile);
}

static void
test_actions(void)
{
	struct redaction_rule rules[] = {
		{REDACT_FUNCTION, REDACT_KEEP, "std::*", NULL},
		{REDACT_FUNCTION, REDACT_CLASS, "acme::*", "engine"},
		{REDACT_FUNCTION, REDACT_DROP, "helper", NULL},
		{REDACT_FUNCTION, REDACT_KEEP, "main", NULL},
		{REDACT_THREAD, REDACT_KEEP, "*", NULL},
	};

	expect(rules, 5, "main;main;acme::a;acme::b;std::sort 3\nmain;main;helper;helper 2\n",
		"main;main 2\nmain;main;[engine];std::sort 3\n");
}

static void
test_all_dropped(void)
{
	struct redaction_rule rules[] = {
		{REDACT_FUNCTION, REDACT_DROP, "*", NULL},
		{REDACT_THREAD, REDACT_DROP, "*", NULL},
	};

	expect(rules, 2, "app;main 3\n", REDACT_NOTHING_LEFT " 3\n");
}

static void
test_own_names(void)
{
	struct redaction_rule rules[] = {{REDACT_THREAD, REDACT_KEEP, "*", NULL}};

	expect(rules, 1, "app;[broken];[unknown] 1\napp;lock_[w] 2\n",
		"app;[broken];[unknown] 1\napp;lock_[w] 2\n");
}

/* Clones of one function are one in a comparison: they must have one hash. */
static void
test_same_in_both(void)
{
	const struct redaction rules = rules_of(NULL, 0);
	struct profile sides[2];
	struct profile redacted[2];
	struct buf text[2] = {{0}, {0}};

	make(&sides[0], "app;main;work.constprop.0 3\n");
	make(&sides[1], "app;main;work 3\n");
	for (size_t i = 0; i < 2; i++) {
		redact_profile(&redacted[i], &sides[i], &rules);
		folded_write(&redacted[i], FOLDED_SUM, &text[i]);
	}
	UNIT_STR_EQ(buf_text(&text[0]), buf_text(&text[1]));
	for (size_t i = 0; i < 2; i++) {
		buf_release(&text[i]);
		profile_release(&redacted[i]);
		profile_release(&sides[i]);
	}
}

static void
test_other_key(void)
{
	struct redaction rules = rules_of(NULL, 0);
	struct profile profile;
	struct profile redacted;
	struct buf text[2] = {{0}, {0}};

	make(&profile, "app;main 3\n");
	for (size_t i = 0; i < 2; i++) {
		redact_profile(&redacted, &profile, &rules);
		folded_write(&redacted, FOLDED_SUM, &text[i]);
		profile_release(&redacted);
		rules.key = "another key of 16";
	}
	CU_ASSERT(strcmp(buf_text(&text[0]), buf_text(&text[1])) != 0);
	buf_release(&text[0]);
	buf_release(&text[1]);
	profile_release(&profile);
}

void
suite_output_redact(void)
{
	static const struct unit_case cases[] = {
		{"no_name_escapes_in_any_format", test_nothing_escapes},
		{"names_become_what_their_rule_says", test_actions},
		{"the_weight_of_dropped_stacks_stays", test_all_dropped},
		{"words_of_our_own_stay", test_own_names},
		{"both_sides_have_the_same_names", test_same_in_both},
		{"another_key_gives_other_names", test_other_key},
		{NULL, NULL},
	};

	unit_suite("output/redact", cases);
}
