#include "spec/redaction.h"

#include "base/file.h"
#include "scratch.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

void suite_spec_redaction(void);

struct bench {
	struct scratch scratch;
	struct redaction redaction;
	struct err err;
};

static int
read_rules(struct bench *bench, const char *rules, const char *key)
{
	char path[160];
	struct err err = {0};

	*bench = (struct bench){.err = {.kind = ERR_NONE}};
	scratch_init(&bench->scratch);
	if (key) {
		snprintf(path, sizeof(path), "%s/redact.key", bench->scratch.dir);
		CU_ASSERT_EQUAL(file_write(path, key, strlen(key), &err), 0);
	}
	snprintf(path, sizeof(path), "%s/rules.yaml", bench->scratch.dir);
	CU_ASSERT_EQUAL(file_write(path, rules, strlen(rules), &err), 0);
	return redaction_read(&bench->redaction, path, &bench->err);
}

static void
bench_release(struct bench *bench)
{
	redaction_release(&bench->redaction);
	scratch_release(&bench->scratch);
}

static void
test_rules(void)
{
	struct bench bench;

	CU_ASSERT_EQUAL_FATAL(read_rules(&bench,
				      "key: redact.key\ndefault: class\nclass: other\nrules:\n"
				      "- {function: 'std::*', as: keep}\n"
				      "- {module: 'acme*', as: class, class: engine}\n"
				      "- {source: '*', as: drop}\n- {thread: w*, as: hash}\n",
				      "0123456789abcdef"),
		0);
	const struct redaction *made = &bench.redaction;

	CU_ASSERT_EQUAL_FATAL(made->nrules, 4);
	CU_ASSERT_EQUAL(made->rules[0].subject, REDACT_FUNCTION);
	CU_ASSERT_EQUAL(made->rules[0].action, REDACT_KEEP);
	UNIT_STR_EQ(made->rules[0].pattern, "std::*");
	UNIT_STR_EQ(made->rules[1].class_name, "engine");
	CU_ASSERT_EQUAL(made->rules[2].action, REDACT_DROP);
	CU_ASSERT_EQUAL(made->rules[3].subject, REDACT_THREAD);
	CU_ASSERT_EQUAL(made->otherwise.action, REDACT_CLASS);
	UNIT_STR_EQ(made->otherwise.class_name, "other");
	CU_ASSERT_EQUAL(made->key_len, 16);
	UNIT_CONTAINS(made->key_path, "/redact.key");
	bench_release(&bench);
}

/* An empty file hashes everything. */
static void
test_derived_key(void)
{
	static const char *const files[] = {"", "rules: []\n", "default: hash\n"};
	char keys[3][65];

	for (size_t i = 0; i < 3; i++) {
		struct bench bench;

		CU_ASSERT_EQUAL_FATAL(read_rules(&bench, files[i], NULL), 0);
		CU_ASSERT_EQUAL(bench.redaction.otherwise.action, REDACT_HASH);
		CU_ASSERT_PTR_NULL(bench.redaction.key_path);
		CU_ASSERT_EQUAL_FATAL(bench.redaction.key_len, 64);
		memcpy(keys[i], bench.redaction.key, 65);
		bench_release(&bench);
	}
	CU_ASSERT(strcmp(keys[0], keys[1]) != 0 && strcmp(keys[1], keys[2]) != 0);
}

static void
test_errors(void)
{
	static const struct {
		const char *rules;
		const char *key;
		const char *problem;
	} wrong[] = {
		{"default: keep\n", NULL, "would let out all names"},
		{"default: class\n", NULL, "needs the name of the class"},
		{"key: redact.key\n", "short", "a key of 5 bytes can be guessed"},
		{"key: redact.key\n", NULL, "redact.key"},
		{"rules: {a: b}\n", NULL, "'rules' must be a list"},
		{"rules:\n- {as: keep}\n", NULL, "found none of them"},
		{"rules:\n- {function: a, module: b, as: keep}\n", NULL, "found several"},
		{"rules:\n- {function: a}\n", NULL, "'as' is missing"},
		{"rules:\n- {function: a, as: rot13}\n", NULL, "rot13"},
		{"rules:\n- {function: a, as: class}\n", NULL, "needs the name of the class"},
		{"rules:\n- {function: a, as: class, class: "
		 "0123456789012345678901234567890123456789012345678901234567890123456789"
		 "0123456789012345678901234567890}\n",
			NULL, "at most 100 bytes"},
		{"rules:\n- {function: a, as: hash, class: b}\n", NULL, "it needs 'as: class'"},
		{"rule: []\n", NULL, "rule"},
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct bench bench;

		CU_ASSERT_EQUAL(read_rules(&bench, wrong[i].rules, wrong[i].key), -1);
		UNIT_CONTAINS(bench.err.text, wrong[i].problem);
		bench_release(&bench);
	}
}

void
suite_spec_redaction(void)
{
	static const struct unit_case cases[] = {
		{"rules_and_key_are_read", test_rules},
		{"without_a_key_file_the_key_is_that_of_the_rules", test_derived_key},
		{"what_is_wrong_is_refused", test_errors},
		{NULL, NULL},
	};

	unit_suite("spec/redaction", cases);
}
