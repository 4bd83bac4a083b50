#include "code/code_list.h"

#include "base/mem.h"
#include "base/search.h"
#include "code/inventory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = "# profile_run code 1";
static const char program_key[] = "# program: ";
static const char commit_key[] = "# commit: ";
static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

#define DIGITS (CODE_KNOWN_BITS / 6)
#define LINE_DIGITS ((size_t)2 * DIGITS)

static uint64_t
name_hash(const char *name)
{
	return code_hash(name, strlen(name)) >> (64 - CODE_KNOWN_BITS);
}

static void
put_number(struct buf *out, uint64_t value)
{
	for (int shift = CODE_KNOWN_BITS - 6; shift >= 0; shift -= 6)
		buf_putc(out, alphabet[value >> shift & 63]);
}

static bool
parse_number(const char *text, uint64_t *value)
{
	*value = 0;
	for (int i = 0; i < DIGITS; i++) {
		const char *digit = text[i] ? strchr(alphabet, text[i]) : NULL;

		if (!digit)
			return false;
		*value = *value << 6 | (uint64_t)(digit - alphabet);
	}
	return true;
}

static int
by_name(const void *a, const void *b)
{
	const struct code_listed *one = a;
	const struct code_listed *other = b;

	if (one->name != other->name)
		return one->name < other->name ? -1 : 1;
	return (one->code > other->code) - (one->code < other->code);
}

/* Sorts, and joins those of one hash. Returns how many are left. */
static size_t
join(struct code_listed *functions, size_t count)
{
	size_t kept = 0;

	if (count > 0)
		qsort(functions, count, sizeof(*functions), by_name);
	for (size_t i = 0; i < count; i++) {
		if (kept > 0 && functions[kept - 1].name == functions[i].name)
			functions[kept - 1].code ^= functions[i].code;
		else
			functions[kept++] = functions[i];
	}
	return kept;
}

static void
add_listed(struct code_listed *functions, size_t *count, struct code_inventory *inventory,
	const char *name)
{
	const struct code_known known = code_inventory_known(inventory, name);

	if (known.found)
		functions[(*count)++] =
			(struct code_listed){.name = name_hash(name), .code = known.hash};
}

/* The names of all functions of a file, or of those that were sampled; free() it. */
static struct code_listed *
list_functions(
	struct code_inventory *inventory, const char *const *sampled, bool all, size_t *count)
{
	size_t most = inventory->names.nentries;

	for (size_t i = 0; !all && sampled && sampled[i]; i++)
		most = i + 1;
	struct code_listed *functions = mem_zalloc(most + 1, sizeof(*functions));

	*count = 0;
	for (size_t i = 0; all && i < inventory->nfunctions; i++) {
		const str_id name = inventory->functions[i].name;

		if (i == 0 || name != inventory->functions[i - 1].name)
			add_listed(
				functions, count, inventory, strtab_str(&inventory->names, name));
	}
	for (size_t i = 0; !all && sampled && sampled[i]; i++)
		add_listed(functions, count, inventory, sampled[i]);
	*count = join(functions, *count);
	return functions;
}

void
code_lists_put(struct buf *out, const char *program_hash, const char *commit)
{
	buf_printf(out, "%s\n%s%s\n%s%s\n", magic, program_key, program_hash, commit_key,
		commit[0] ? commit : "-");
}

int
code_list_put(struct buf *out, const char *path, const char *name, const char *digest,
	code_fold *fold, const char *const *sampled, struct err *err)
{
	struct code_inventory inventory;
	size_t count;

	if (code_inventory_open(&inventory, path, fold, err) < 0)
		return -1;
	if (!code_inventory_reads(&inventory)) {
		code_inventory_close(&inventory);
		return err_set(err, ERR_SYSTEM,
			"%s: its machine code cannot be read: libcapstone is not installed", path);
	}
	const bool all = inventory.names.nentries <= CODE_LIST_MOST;
	struct code_listed *functions = list_functions(&inventory, sampled, all, &count);

	buf_printf(out, "file %s %s %zu %s\n", digest,
		all && inventory.image.complete ? "all" : "some", count, name);
	for (size_t i = 0; i < count; i++) {
		put_number(out, functions[i].name);
		put_number(out, functions[i].code);
		buf_putc(out, '\n');
	}
	free(functions);
	code_inventory_close(&inventory);
	return 0;
}

/* Where a text is read, line by line. */
struct list_reader {
	const char *file;
	const char *next;
	const char *end;
	size_t line;
};

/* The next line without its end, of *len bytes; NULL: there is none. */
static const char *
next_line(struct list_reader *reader, size_t *len)
{
	const char *line = reader->next;
	const char *end =
		line < reader->end ? memchr(line, '\n', (size_t)(reader->end - line)) : NULL;

	if (!end)
		return NULL;
	reader->next = end + 1;
	reader->line++;
	*len = (size_t)(end - line);
	return line;
}

static int
refuse_list(const struct list_reader *reader, const char *expected, struct err *err)
{
	return err_set(err, ERR_INPUT, "%s:%zu: expected %s", reader->file, reader->line, expected);
}

/* "KEY VALUE" with a value that fits. */
static int
read_key(struct list_reader *reader, const char *key, char value[SHA256_TEXT_SIZE], struct err *err)
{
	const size_t key_len = strlen(key);
	size_t len;
	const char *line = next_line(reader, &len);

	if (!line || len < key_len || len - key_len >= SHA256_TEXT_SIZE ||
		memcmp(line, key, key_len) != 0)
		return refuse_list(reader, key, err);
	memcpy(value, line + key_len, len - key_len);
	value[len - key_len] = '\0';
	return 0;
}

static int
read_list(struct list_reader *reader, struct code_list *list, size_t count, struct err *err)
{
	if (count > CODE_LIST_MOST ||
		count > (size_t)(reader->end - reader->next) / (LINE_DIGITS + 1))
		return refuse_list(reader, "as many functions as there are lines", err);
	list->functions = mem_zalloc(count + 1, sizeof(*list->functions));
	for (size_t i = 0; i < count; i++) {
		struct code_listed *listed = &list->functions[i];
		size_t len;
		const char *line = next_line(reader, &len);

		if (!line || len != LINE_DIGITS || !parse_number(line, &listed->name) ||
			!parse_number(line + DIGITS, &listed->code))
			return refuse_list(reader, "12 characters of base 64", err);
		if (i > 0 && listed->name <= list->functions[i - 1].name)
			return refuse_list(reader, "functions in the order of their names", err);
		list->nfunctions++;
	}
	return 0;
}

/* "file DIGEST all|some COUNT NAME", cut off from `line` word by word. */
static int
read_file(struct list_reader *reader, struct code_list *list, const char *line, size_t len,
	struct err *err)
{
	char *text = mem_dup(line, len);
	char *rest = NULL;
	const char *word = strtok_r(text, " ", &rest);
	const char *digest = strtok_r(NULL, " ", &rest);
	const char *scope = strtok_r(NULL, " ", &rest);
	const char *number = strtok_r(NULL, " ", &rest);
	char *number_end = NULL;
	int result = -1;

	errno = 0;
	const unsigned long count = number ? strtoul(number, &number_end, 10) : 0;
	const bool is_all = scope && strcmp(scope, "all") == 0;

	if (word && strcmp(word, "file") == 0 && digest && strlen(digest) < SHA256_TEXT_SIZE &&
		(is_all || (scope && strcmp(scope, "some") == 0)) && number &&
		*number_end == '\0' && errno == 0 && rest && *rest) {
		memcpy(list->digest, digest, strlen(digest) + 1);
		list->complete = is_all;
		list->name = mem_strdup(rest);
		result = read_list(reader, list, count, err);
	} else {
		refuse_list(reader, "'file DIGEST all|some COUNT NAME'", err);
	}
	free(text);
	return result;
}

int
code_lists_read(
	struct code_lists *lists, const char *file, const char *text, size_t len, struct err *err)
{
	struct list_reader reader = {.file = file, .next = text, .end = text + len};
	size_t capacity = 0;
	size_t line_len;
	const char *line = next_line(&reader, &line_len);

	*lists = (struct code_lists){0};
	if (!line || line_len != strlen(magic) || memcmp(line, magic, line_len) != 0)
		return refuse_list(&reader, magic, err);
	if (read_key(&reader, program_key, lists->program_hash, err) < 0 ||
		read_key(&reader, commit_key, lists->commit, err) < 0)
		return -1;
	if (strcmp(lists->commit, "-") == 0)
		lists->commit[0] = '\0';
	while ((line = next_line(&reader, &line_len))) {
		lists->lists =
			mem_grow(lists->lists, &capacity, lists->nlists + 1, sizeof(*lists->lists));
		lists->lists[lists->nlists] = (struct code_list){0};
		if (read_file(&reader, &lists->lists[lists->nlists++], line, line_len, err) < 0)
			return -1;
	}
	return reader.next == reader.end ? 0 : refuse_list(&reader, "the end of the line", err);
}

void
code_lists_release(struct code_lists *lists)
{
	for (size_t i = 0; i < lists->nlists; i++) {
		free(lists->lists[i].name);
		free(lists->lists[i].functions);
	}
	free(lists->lists);
	*lists = (struct code_lists){0};
}

const struct code_list *
code_lists_find(const struct code_lists *lists, const char *name)
{
	for (size_t i = 0; i < lists->nlists; i++) {
		if (strcmp(lists->lists[i].name, name) == 0)
			return &lists->lists[i];
	}
	return NULL;
}

struct code_known
code_list_known(const struct code_list *list, const char *name)
{
	const uint64_t hash = name_hash(name);
	const size_t at = search_before(
		list->functions, list->nfunctions, SEARCH_BY(struct code_listed, name), hash);
	struct code_known known = {.complete = list->complete};

	known.found = at < list->nfunctions && list->functions[at].name == hash;
	known.hash = known.found ? list->functions[at].code : 0;
	return known;
}
