/*
 * Scans, parses and builds a generated YAML document of block and flow style with libyaml.
 */
#include "support.h"

#include <yaml.h>

#define ENTRIES 1200

struct text {
	char *data;
	size_t len;
};

static KEPT struct text
make_document(void)
{
	static const char *const words[] = {"alpha", "'it''s quoted'", "\"tab\\t and \\u00e9\"",
		"42", "3.14", "plain words here", "true", "~"};
	size_t capacity = ENTRIES * 256;
	struct text text = {malloc(capacity), 0};
	uint64_t random = 11;

	expect_true("out of memory", text.data != NULL);
	for (unsigned i = 0; i < ENTRIES; i++)
		text.len += (size_t)snprintf(text.data + text.len, capacity - text.len,
			"- name: workload_%u\n  run: [bin/%u, --rounds, \"%u\"]\n"
			"  gate: {total: %s, rules: [%s, %s]}\n  note: |\n    first line\n    second\n",
			i, i, (unsigned)(random_next(&random) % 1000),
			words[random_next(&random) % 8], words[random_next(&random) % 8],
			words[random_next(&random) % 8]);
	return text;
}

static KEPT uint64_t
count_events(const struct text *text)
{
	yaml_parser_t parser;
	yaml_event_t event;
	uint64_t scalars = 0;
	int type;

	expect_true("no parser", yaml_parser_initialize(&parser));
	yaml_parser_set_input_string(&parser, (const unsigned char *)text->data, text->len);
	do {
		expect_true("the document does not parse", yaml_parser_parse(&parser, &event));
		type = (int)event.type;
		scalars += type == YAML_SCALAR_EVENT;
		yaml_event_delete(&event);
	} while (type != YAML_STREAM_END_EVENT);
	yaml_parser_delete(&parser);
	return scalars;
}

static KEPT uint64_t
load_document(const struct text *text)
{
	yaml_parser_t parser;
	yaml_document_t document;
	uint64_t scalars = 0;

	expect_true("no parser", yaml_parser_initialize(&parser));
	yaml_parser_set_input_string(&parser, (const unsigned char *)text->data, text->len);
	expect_true("the document does not load", yaml_parser_load(&parser, &document));
	for (int i = 1; yaml_document_get_node(&document, i); i++)
		scalars += yaml_document_get_node(&document, i)->type == YAML_SCALAR_NODE;
	yaml_document_delete(&document);
	yaml_parser_delete(&parser);
	return scalars;
}

int
main(int argc, char **argv)
{
	unsigned long rounds = rounds_option(argc, argv, 160);
	struct text text = make_document();

	for (unsigned long i = 0; i < rounds; i++) {
		/* Four keys and their scalars, two keys in gate and three values, three words of
		 * run. */
		expect_u64("scalar events", count_events(&text), ENTRIES * 14);
		expect_u64("scalar nodes", load_document(&text), ENTRIES * 14);
	}
	free(text.data);
	return 0;
}
