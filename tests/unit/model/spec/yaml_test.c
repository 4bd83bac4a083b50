#include "unit.h"

#include "base/buf.h"
#include "spec/yaml.h"

void suite_spec_yaml(void);

static int
parse(struct yaml_file *file, const char *text, struct err *err)
{
	return yaml_parse(file, "t.yaml", text, strlen(text), err);
}

static void
nodes_know_their_line_and_byte_column(void)
{
	struct yaml_file file;
	struct err err = {0};

	/* Two bytes for the umlaut: the column counts bytes. */
	CU_ASSERT_EQUAL_FATAL(parse(&file, "a: 1\n\"\xc3\xbc\": {b: [x, 'y']}\n", &err), 0);
	const struct yaml_node *a = file.root->first;
	const struct yaml_node *b = a->next->first;

	UNIT_STR_EQ(a->key->text, "a");
	CU_ASSERT_EQUAL(a->line, 1);
	CU_ASSERT_EQUAL(a->column, 4);
	CU_ASSERT_EQUAL(b->key->line, 2);
	CU_ASSERT_EQUAL(b->key->column, 8);
	UNIT_STR_EQ(b->first->next->text, "y");
	CU_ASSERT(b->first->plain);
	CU_ASSERT(!b->first->next->plain);
	struct location at = yaml_location(&file, b->first);

	CU_ASSERT_EQUAL(at.column, 12);
	CU_ASSERT_EQUAL(at.line_text[at.column - 1], 'x');
	yaml_release(&file);
}

static void
a_byte_order_mark_and_crlf_are_taken(void)
{
	struct yaml_file file;
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(parse(&file,
				      "\xef\xbb\xbf"
				      "a: 1\r\nb: 2\r\n",
				      &err),
		0);
	UNIT_STR_EQ(file.root->first->key->text, "a");
	UNIT_STR_EQ(file.root->first->next->text, "2");
	CU_ASSERT_EQUAL(file.root->first->next->line, 2);
	CU_ASSERT_EQUAL(file.root->first->next->column, 4);
	yaml_release(&file);
}

static void
an_empty_file_has_no_root(void)
{
	static const char *const texts[] = {"", "# only this\n", "---\n", "~\n"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct yaml_file file;
		struct err err = {0};

		CU_ASSERT_EQUAL_FATAL(parse(&file, texts[i], &err), 0);
		CU_ASSERT_PTR_NULL(file.root);
		yaml_release(&file);
	}
}

static int
parse_nested(unsigned depth, struct err *err)
{
	struct buf text = {0};
	struct yaml_file file;

	for (unsigned i = 0; i < depth; i++)
		buf_putc(&text, '[');
	for (unsigned i = 0; i < depth; i++)
		buf_putc(&text, ']');
	int result = parse(&file, buf_text(&text), err);

	buf_release(&text);
	if (result == 0)
		yaml_release(&file);
	return result;
}

static void
nesting_ends_at_its_limit(void)
{
	struct err err = {0};

	CU_ASSERT_EQUAL(parse_nested(YAML_DEPTH_MAX, &err), 0);
	CU_ASSERT_EQUAL(parse_nested(YAML_DEPTH_MAX + 1, &err), -1);
	UNIT_CONTAINS(err.text, "deeper than 32");
	CU_ASSERT_EQUAL(parse_nested(100000, &err), -1);
}

static void
too_many_keys_and_too_many_bytes_are_refused(void)
{
	struct buf text = {0};
	struct yaml_file file;
	struct err err = {0};

	for (unsigned i = 0; i <= YAML_KEYS_MAX; i++)
		buf_printf(&text, "k%u: 1\n", i);
	CU_ASSERT_EQUAL(yaml_parse(&file, "t.yaml", text.data, text.len, &err), -1);
	UNIT_CONTAINS(err.text, "t.yaml:1001:1: error: this mapping has more than 1000 keys");
	buf_clear(&text);
	buf_put_zeros(&text, YAML_FILE_MAX + 1);
	CU_ASSERT_EQUAL(yaml_parse(&file, "t.yaml", text.data, text.len, &err), -1);
	UNIT_CONTAINS(err.text, "too many");
	buf_release(&text);
}

static void
tabs_between_words_are_no_indentation(void)
{
	struct yaml_file file;
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(parse(&file, "a:\t1\nb: |\n  x\n  \ty\n", &err), 0);
	UNIT_STR_EQ(file.root->first->text, "1");
	UNIT_STR_EQ(file.root->first->next->text, "x\n\ty\n");
	yaml_release(&file);
	CU_ASSERT_EQUAL(parse(&file, "a:\n  b: 1\n\tc: 2\n", &err), -1);
	UNIT_CONTAINS(err.text, "t.yaml:3:1: error: a tab indents this line");
}

void
suite_spec_yaml(void)
{
	static const struct unit_case cases[] = {
		{"nodes_know_their_line_and_byte_column", nodes_know_their_line_and_byte_column},
		{"a_byte_order_mark_and_crlf_are_taken", a_byte_order_mark_and_crlf_are_taken},
		{"an_empty_file_has_no_root", an_empty_file_has_no_root},
		{"nesting_ends_at_its_limit", nesting_ends_at_its_limit},
		{"too_many_keys_and_too_many_bytes_are_refused",
			too_many_keys_and_too_many_bytes_are_refused},
		{"tabs_between_words_are_no_indentation", tabs_between_words_are_no_indentation},
		{NULL, NULL},
	};

	unit_suite("spec/yaml", cases);
}
