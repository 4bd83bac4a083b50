#include "spec/yaml.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/text.h"

#include <string.h>
#include <strings.h>
#include <yaml.h>

/*
 * libyaml counts characters; a location counts bytes. Marks arrive in order but for a few that
 * point back, so the walk from one to the next is short.
 */
struct cursor {
	size_t characters;
	size_t offset; /* in bytes */
	size_t line_start;
	unsigned line;
};

struct parse {
	struct yaml_file *file;
	yaml_parser_t parser;
	struct cursor cursor;
	unsigned depth;
	struct err *err;
};

static void
cursor_seek(struct cursor *cursor, const struct yaml_file *file, size_t characters)
{
	if (characters < cursor->characters)
		*cursor = (struct cursor){.line = 1};
	while (cursor->characters < characters && cursor->offset < file->len) {
		if (file->text[cursor->offset] == '\n') {
			cursor->line++;
			cursor->line_start = cursor->offset + 1;
		}
		cursor->offset++;
		/* The bytes 10xxxxxx continue a character. */
		while (cursor->offset < file->len && (file->text[cursor->offset] & 0xc0) == 0x80)
			cursor->offset++;
		cursor->characters++;
	}
}

static struct location
mark_location(struct parse *parse, const yaml_mark_t *mark)
{
	cursor_seek(&parse->cursor, parse->file, mark->index);
	return location_at(
		parse->file->path, parse->file->text, parse->file->len, parse->cursor.offset);
}

struct location
yaml_location(const struct yaml_file *file, const struct yaml_node *node)
{
	size_t start = 0;

	for (unsigned line = 1; line < node->line; line++) {
		const char *end = memchr(file->text + start, '\n', file->len - start);

		if (!end)
			break;
		start = (size_t)(end - file->text) + 1;
	}
	return location_at(file->path, file->text, file->len, start + node->column - 1);
}

size_t
yaml_count(const struct yaml_node *node)
{
	size_t count = 0;

	for (const struct yaml_node *at = node->first; at; at = at->next)
		count++;
	return count;
}

bool
yaml_is_null(const struct yaml_node *node)
{
	return node->kind == YAML_SCALAR && node->plain &&
	       (node->text[0] == '\0' || strcmp(node->text, "~") == 0 ||
		       strcasecmp(node->text, "null") == 0);
}

/* Hints for libyaml's common errors. */
static const struct hint {
	const char *problem;
	const char *advice;
} hints[] = {
	{"did not find expected key",
		"a key is expected here: compare the indentation with the lines above"},
	{"mapping values are not allowed in this context",
		"put a value that holds ': ' between quotes, and check the indentation"},
	{"found character that cannot start any token",
		"put a value that starts with @, ` or % between quotes"},
	{"did not find expected ',' or ']'", "a list that starts with '[' ends with ']'"},
	{"did not find expected ',' or '}'", "a mapping that starts with '{' ends with '}'"},
	{"could not find expected ':'", "a key is followed by ':' and a space"},
	{"found unexpected end of stream", "the quote that starts here is never closed"},
	{"found unknown escape character",
		"write a backslash between double quotes as \\\\, or use single quotes"},
	{"did not find expected '-' indicator",
		"an entry of this list is expected: compare the indentation with the lines above"},
};

static bool
indented_by_tab(const struct location *at)
{
	size_t blanks = strspn(at->line_text, " ");

	return blanks < at->line_len && at->line_text[blanks] == '\t';
}

static int
set_syntax_error(struct parse *parse)
{
	const yaml_parser_t *parser = &parse->parser;
	const char *problem = parser->problem ? parser->problem : "unreadable";

	if (parser->error == YAML_READER_ERROR) {
		struct location at = location_at(parse->file->path, parse->file->text,
			parse->file->len, parser->problem_offset);

		return err_set_at(parse->err, &at,
			"this is not text that YAML allows: %s; expected UTF-8 without control characters",
			problem);
	}
	bool unclosed = strcmp(problem, "found unexpected end of stream") == 0;
	struct location at =
		mark_location(parse, unclosed ? &parser->context_mark : &parser->problem_mark);

	if (indented_by_tab(&at)) {
		at.column = (unsigned)strcspn(at.line_text, "\t") + 1;
		return err_set_at(parse->err, &at,
			"a tab indents this line; YAML needs spaces: replace the tab by spaces");
	}
	err_set_at(parse->err, &at, "YAML syntax: %s", problem);
	if (parser->context && !unclosed)
		err_note(parse->err, "%s that starts in line %zu", parser->context,
			parser->context_mark.line + 1);
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
		if (strcmp(hints[i].problem, problem) == 0)
			err_note(parse->err, "%s", hints[i].advice);
	}
	return -1;
}

static int
next_event(struct parse *parse, yaml_event_t *event)
{
	if (!yaml_parser_parse(&parse->parser, event))
		return set_syntax_error(parse);
	return 0;
}

static int
refuse_at(struct parse *parse, const yaml_event_t *event, const char *why)
{
	struct location at = mark_location(parse, &event->start_mark);

	return err_set_at(parse->err, &at, "%s", why);
}

static struct yaml_node *
new_node(struct parse *parse, const yaml_event_t *event, enum yaml_kind kind)
{
	struct yaml_node *node = arena_alloc(&parse->file->arena, sizeof(*node));

	cursor_seek(&parse->cursor, parse->file, event->start_mark.index);
	node->kind = kind;
	node->line = parse->cursor.line;
	node->column = (unsigned)(parse->cursor.offset - parse->cursor.line_start) + 1;
	return node;
}

/* Refuses features of YAML that libyaml accepts and we do not. */
static int
check_plain_event(struct parse *parse, const yaml_event_t *event)
{
	bool scalar = event->type == YAML_SCALAR_EVENT;
	bool sequence = event->type == YAML_SEQUENCE_START_EVENT;
	bool mapping = event->type == YAML_MAPPING_START_EVENT;

	if (event->type == YAML_ALIAS_EVENT || (scalar && event->data.scalar.anchor) ||
		(sequence && event->data.sequence_start.anchor) ||
		(mapping && event->data.mapping_start.anchor))
		return refuse_at(parse, event,
			"anchors (&name) and aliases (*name) are not supported: write the value out, or put the text in quotes");
	if ((scalar && event->data.scalar.tag) || (sequence && event->data.sequence_start.tag) ||
		(mapping && event->data.mapping_start.tag))
		return refuse_at(parse, event,
			"tags (!name) are not supported: remove the tag, or quote the text");
	return 0;
}

static struct yaml_node *build_node(struct parse *parse, const yaml_event_t *event);

static struct yaml_node *
build_scalar(struct parse *parse, const yaml_event_t *event)
{
	const char *text = (const char *)event->data.scalar.value;
	size_t len = event->data.scalar.length;

	if (memchr(text, '\0', len)) {
		refuse_at(parse, event, "this text holds a NUL character; remove the \\0");
		return NULL;
	}
	struct yaml_node *node = new_node(parse, event, YAML_SCALAR);

	node->text = arena_dup(&parse->file->arena, text, len);
	node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	return node;
}

/* The key that `event` starts, checked against those before it. */
static struct yaml_node *
build_key(struct parse *parse, const yaml_event_t *event, const struct yaml_node *mapping)
{
	size_t nkeys = 0;

	if (event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT) {
		refuse_at(parse, event, "a key must be plain text; found a list or mapping as key");
		return NULL;
	}
	struct yaml_node *key = build_node(parse, event);

	if (!key)
		return NULL;
	if (key->text[0] == '\0') {
		refuse_at(parse, event, "a key is missing before ':'");
		return NULL;
	}
	for (const struct yaml_node *at = mapping->first; at; at = at->next, nkeys++) {
		if (strcmp(at->key->text, key->text) != 0)
			continue;
		struct location where = yaml_location(parse->file, key);

		err_set_at(parse->err, &where,
			"key '%s' is given twice; the first one is in line %u: keep one of them",
			key->text, at->key->line);
		return NULL;
	}
	/* Each key is compared with all before it; the limit bounds the cost of a hostile file. */
	if (nkeys >= YAML_KEYS_MAX) {
		refuse_at(parse, event, "this mapping has more than 1000 keys");
		return NULL;
	}
	return key;
}

/* The sequence or mapping that `start` starts. */
static struct yaml_node *
build_collection(struct parse *parse, const yaml_event_t *start)
{
	bool is_mapping = start->type == YAML_MAPPING_START_EVENT;
	struct yaml_node *node = new_node(parse, start, is_mapping ? YAML_MAPPING : YAML_SEQUENCE);
	struct yaml_node **tail = &node->first;
	yaml_event_t event;

	for (;;) {
		struct yaml_node *key = NULL;

		if (next_event(parse, &event) < 0)
			return NULL;
		if (event.type == (is_mapping ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT))
			break;
		if (is_mapping) {
			key = build_key(parse, &event, node);
			yaml_event_delete(&event);
			if (!key || next_event(parse, &event) < 0)
				return NULL;
		}
		*tail = build_node(parse, &event);
		yaml_event_delete(&event);
		if (!*tail)
			return NULL;
		(*tail)->key = key;
		tail = &(*tail)->next;
	}
	yaml_event_delete(&event);
	return node;
}

/* The node that `event` starts; NULL on error. */
static struct yaml_node *
build_node(struct parse *parse, const yaml_event_t *event)
{
	if (check_plain_event(parse, event) < 0)
		return NULL;
	if (event->type == YAML_SCALAR_EVENT)
		return build_scalar(parse, event);
	if (parse->depth == YAML_DEPTH_MAX) {
		refuse_at(parse, event, "lists and mappings are nested deeper than 32 levels");
		return NULL;
	}
	parse->depth++;
	struct yaml_node *node = build_collection(parse, event);

	parse->depth--;
	return node;
}

/* The documents of the stream: none, or one. */
static int
build_documents(struct parse *parse)
{
	yaml_event_t event;
	int result = 0;

	for (unsigned documents = 0; result == 0;) {
		if (next_event(parse, &event) < 0)
			return -1;
		yaml_event_type_t type = event.type;

		if (type == YAML_DOCUMENT_START_EVENT && ++documents > 1)
			result = refuse_at(parse, &event,
				"a second document starts here; a file holds one: remove the '---' or split the file");
		else if (type == YAML_SCALAR_EVENT || type == YAML_SEQUENCE_START_EVENT ||
			 type == YAML_MAPPING_START_EVENT || type == YAML_ALIAS_EVENT)
			result = (parse->file->root = build_node(parse, &event)) ? 0 : -1;
		yaml_event_delete(&event);
		if (type == YAML_STREAM_END_EVENT)
			break;
	}
	if (result == 0 && parse->file->root && yaml_is_null(parse->file->root))
		parse->file->root = NULL;
	return result;
}

int
yaml_parse(struct yaml_file *file, const char *path, const char *text, size_t len, struct err *err)
{
	struct parse parse = {.file = file, .cursor = {.line = 1}, .err = err};

	*file = (struct yaml_file){.path = path};
	if (len > YAML_FILE_MAX)
		return err_set(err, ERR_INPUT,
			"%s: error: %zu bytes are too many for a YAML file; the limit is %zu", path,
			len, YAML_FILE_MAX);
	/* libyaml takes a byte-order mark only where it may guess the encoding from it. */
	const size_t mark = text_mark_len(text, len);

	text += mark;
	len -= mark;
	file->text = arena_dup(&file->arena, text, len);
	file->len = len;
	if (!yaml_parser_initialize(&parse.parser)) {
		yaml_release(file);
		return err_set(err, ERR_SYSTEM, "libyaml could not be started");
	}
	/* Set explicitly, so that a byte-order mark of UTF-16 cannot change it. */
	yaml_parser_set_encoding(&parse.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&parse.parser, (const unsigned char *)file->text, len);
	int result = build_documents(&parse);

	yaml_parser_delete(&parse.parser);
	if (result < 0)
		yaml_release(file);
	return result;
}

int
yaml_parse_file(struct yaml_file *file, const char *path, struct err *err)
{
	struct buf text = {0};
	int result = file_read(path, &text, YAML_FILE_MAX, err);

	if (result == 0)
		result = yaml_parse(file, path, buf_text(&text), text.len, err);
	buf_release(&text);
	return result;
}

void
yaml_release(struct yaml_file *file)
{
	arena_release(&file->arena);
	*file = (struct yaml_file){.path = file->path};
}
