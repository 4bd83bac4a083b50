#include "spec/redaction.h"

#include "base/file.h"
#include "base/sha256.h"
#include "spec/keys.h"

#include <stdlib.h>
#include <string.h>

#define RULES_MAX 10000
/* It stands for each name of its class. */
#define CLASS_BYTES_MAX 100
#define KEY_BYTES_MIN 16
#define KEY_BYTES_MAX 65536
/* Ahead of what the key is derived from. */
#define DERIVATION "profile_run redaction key\n"

static const char *const subjects[REDACT_SUBJECTS] = {
	[REDACT_FUNCTION] = "function",
	[REDACT_MODULE] = "module",
	[REDACT_SOURCE] = "source",
	[REDACT_THREAD] = "thread",
};

static const char *const actions[] = {
	[REDACT_KEEP] = "keep",
	[REDACT_HASH] = "hash",
	[REDACT_CLASS] = "class",
	[REDACT_DROP] = "drop",
	[REDACT_DROP + 1] = NULL,
};

/* A rule as written. */
struct rule_text {
	const char *patterns[REDACT_SUBJECTS];
	int action;
	const char *class_name;
};

#define RULE(field) offsetof(struct rule_text, field)

static const struct key redaction_rule_keys[] = {
	{.name = "function", .type = KEY_TEXT, .offset = RULE(patterns[REDACT_FUNCTION])},
	{.name = "module", .type = KEY_TEXT, .offset = RULE(patterns[REDACT_MODULE])},
	{.name = "source", .type = KEY_TEXT, .offset = RULE(patterns[REDACT_SOURCE])},
	{.name = "thread", .type = KEY_TEXT, .offset = RULE(patterns[REDACT_THREAD])},
	{.name = "as", .type = KEY_CHOICE, .offset = RULE(action), .choices = actions},
	{.name = "class", .type = KEY_TEXT, .offset = RULE(class_name)},
	{.name = NULL},
};

/* The file as written. */
struct file_text {
	const char *key;
	int otherwise;
	const char *class_name;
	struct redaction *redaction;
};

static int
check_class(const struct key_reader *reader, const struct yaml_node *node,
	const struct redaction_rule *rule)
{
	if (rule->class_name && strlen(rule->class_name) > CLASS_BYTES_MAX)
		return keys_refuse(
			reader, node, "the name of a class has at most %d bytes", CLASS_BYTES_MAX);
	if ((rule->action == REDACT_CLASS) == (rule->class_name != NULL))
		return 0;
	return keys_refuse(reader, node,
		rule->class_name
			? "'class' is the name of a class: it needs 'as: class'"
			: "'as: class' needs the name of the class, such as 'class: engine'");
}

static int
redaction_rule_read(
	const struct key_reader *reader, const struct yaml_node *node, struct redaction_rule *rule)
{
	struct rule_text text = {.action = -1};
	size_t found = 0;

	if (keys_read(reader, node, "a rule", redaction_rule_keys, &text) < 0)
		return -1;
	for (size_t i = 0; i < REDACT_SUBJECTS; i++) {
		if (!text.patterns[i])
			continue;
		rule->subject = (enum redaction_subject)i;
		rule->pattern = text.patterns[i];
		found++;
	}
	if (found != 1)
		return keys_refuse(reader, node,
			"a rule has one of '%s', '%s', '%s' and '%s'; found %s", subjects[0],
			subjects[1], subjects[2], subjects[3],
			found == 0 ? "none of them" : "several: write several rules");
	if (text.action < 0)
		return keys_refuse(reader, node, "'as' is missing: keep, hash, class or drop");
	rule->action = (enum redaction_action)text.action;
	rule->class_name = text.class_name;
	return check_class(reader, node, rule);
}

static int
redaction_rules_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	struct redaction *redaction = *(struct redaction **)into;

	if (node->kind != YAML_SEQUENCE)
		return keys_refuse(reader, node, "'rules' must be a list of rules; %s",
			keys_found(reader, node));
	const size_t count = yaml_count(node);

	if (count > RULES_MAX)
		return keys_refuse(
			reader, node, "%zu rules are too many; the limit is %d", count, RULES_MAX);
	redaction->rules = arena_alloc(reader->arena, (count + 1) * sizeof(*redaction->rules));
	for (const struct yaml_node *at = node->first; at; at = at->next) {
		struct redaction_rule *rule = &redaction->rules[redaction->nrules];

		*rule = (struct redaction_rule){.pattern = NULL};
		if (redaction_rule_read(reader, at, rule) < 0)
			return -1;
		redaction->nrules++;
	}
	return 0;
}

#define FILE_TEXT(field) offsetof(struct file_text, field)

static const struct key file_keys[] = {
	{.name = "key", .type = KEY_TEXT, .offset = FILE_TEXT(key)},
	{.name = "default", .type = KEY_CHOICE, .offset = FILE_TEXT(otherwise), .choices = actions},
	{.name = "class", .type = KEY_TEXT, .offset = FILE_TEXT(class_name)},
	{.name = "rules",
		.type = KEY_CUSTOM,
		.offset = FILE_TEXT(redaction),
		.read = redaction_rules_read},
	{.name = NULL},
};

/* A key that anybody who has the rules can derive, too. */
static void
derive_key(struct redaction *redaction, const struct yaml_file *file)
{
	struct buf text = {0};
	char hash[SHA256_TEXT_SIZE];

	buf_puts(&text, DERIVATION);
	buf_put(&text, file->text, file->len);
	sha256_text(buf_text(&text), text.len, hash);
	buf_release(&text);
	redaction->key = arena_strdup(&redaction->arena, hash);
	redaction->key_len = strlen(hash);
}

static int
read_key(const struct key_reader *reader, struct redaction *redaction, const char *path)
{
	const char *slash = strrchr(reader->file->path, '/');
	struct buf key = {0};

	redaction->key_path = slash && path[0] != '/' ? arena_printf(&redaction->arena, "%.*s/%s",
								(int)(slash - reader->file->path),
								reader->file->path, path)
						      : arena_strdup(&redaction->arena, path);
	int status = file_read(redaction->key_path, &key, KEY_BYTES_MAX, reader->err);

	if (status == 0 && key.len < KEY_BYTES_MIN) {
		status = err_set(reader->err, ERR_INPUT,
			"%s: a key of %zu bytes can be guessed: %d or more are needed",
			redaction->key_path, key.len, KEY_BYTES_MIN);
		err_note(reader->err, "head -c 32 /dev/urandom >%s", redaction->key_path);
	}
	if (status == 0) {
		char *copy = arena_alloc(&redaction->arena, key.len);

		memcpy(copy, buf_text(&key), key.len);
		redaction->key = copy;
		redaction->key_len = key.len;
	}
	buf_release(&key);
	return status;
}

static int
read_file(struct redaction *redaction, const struct yaml_file *file, struct err *err)
{
	const struct key_reader reader = {.file = file, .arena = &redaction->arena, .err = err};
	struct file_text text = {.otherwise = REDACT_HASH, .redaction = redaction};

	if (!file->root) {
		derive_key(redaction, file);
		return 0;
	}
	if (keys_read(&reader, file->root, "the rules", file_keys, &text) < 0)
		return -1;
	redaction->otherwise.action = (enum redaction_action)text.otherwise;
	redaction->otherwise.class_name = text.class_name;
	if (redaction->otherwise.action == REDACT_KEEP)
		return keys_refuse(&reader, keys_find(file->root, "default"),
			"'default: keep' would let out all names that no rule knows");
	if (check_class(&reader, file->root, &redaction->otherwise) < 0)
		return -1;
	if (text.key)
		return read_key(&reader, redaction, text.key);
	derive_key(redaction, file);
	return 0;
}

int
redaction_read(struct redaction *redaction, const char *path, struct err *err)
{
	struct yaml_file file;

	*redaction = (struct redaction){.otherwise.action = REDACT_HASH};
	if (yaml_parse_file(&file, path, err) < 0)
		return -1;
	int status = read_file(redaction, &file, err);

	yaml_release(&file);
	return status;
}

void
redaction_release(struct redaction *redaction)
{
	arena_release(&redaction->arena);
	*redaction = (struct redaction){.nrules = 0};
}
