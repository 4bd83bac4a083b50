/*
 * Everything that is taken off stands at the end of a name and is found from there, a bounded step
 * at a time, but for the marks of V8, which stand in front, and the hashes of Rust's crates.
 */
#include "profile/canonical.h"

#include "base/mem.h"
#include "profile/cpu_variant.h"
#include "profile/function_class.h"

#include <stdlib.h>
#include <string.h>

/* Longer than any version that a linker script names. */
#define VERSION_BYTES_MAX 64
/* Digits of the longest number behind a suffix: the 128 bits of .__uniq. */
#define NUMBER_BYTES_MAX 40
#define RUST_HASH_DIGITS 16
/* For a crate: 64 bits, without zeros ahead. */
#define CRATE_HASH_DIGITS_MAX 16
#define CRATE_HASH_DIGITS_MIN 8

struct suffix {
	const char *text;
	bool bare;     /* may stand without a number, */
	bool numbered; /* or with one */
};

/*
 * Suffixes that compilers append when they make another function of one. Sources: GCC's ipa-sra.c,
 * ipa-cp.c, ipa-split.c, lto-partition.c and multiple_target.c; LLVM's FunctionImportUtils.cpp
 * (.llvm), HotColdSplitting.cpp (.cold) and UniqueInternalLinkageNames.cpp (.__uniq).
 */
static const struct suffix suffixes[] = {
	{".isra", false, true},
	{".constprop", false, true},
	{".part", false, true},
	{".cold", true, true},
	{".lto_priv", false, true},
	{".localalias", true, true},
	{".llvm", false, true},
	{".clone", false, true},
	{".__uniq", false, true},
	{".resolver", true, false},
	{".ifunc", true, false},
};

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
begins_with(const char *name, size_t len, const char *beginning)
{
	size_t n = strlen(beginning);

	return len >= n && memcmp(name, beginning, n) == 0;
}

static bool
ends_with(const char *name, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len >= n && memcmp(name + len - n, end, n) == 0;
}

/* The length without ".123" at the end; `len` if there is none. */
static size_t
without_number(const char *name, size_t len)
{
	size_t at = len;

	while (at > 0 && len - at < NUMBER_BYTES_MAX && is_digit(name[at - 1]))
		at--;
	return at < len && at > 0 && name[at - 1] == '.' ? at - 1 : len;
}

/*
 * The length without one suffix of the compiler; `len` if there is none. With `dotted` names of
 * languages that join their parts by dots are left alone: "main.cold" may be a function of Go.
 */
static size_t
without_suffix(const char *name, size_t len, bool dotted)
{
	size_t stem = without_number(name, len);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		const struct suffix *suffix = &suffixes[i];

		if (stem < len && suffix->numbered && ends_with(name, stem, suffix->text))
			return stem - strlen(suffix->text);
		if (suffix->bare && !dotted && ends_with(name, len, suffix->text))
			return len - strlen(suffix->text);
	}
	return dotted && stem == len ? len : cpu_variant_without_version(name, len);
}

/* Where a chain of suffixes that ends at `len` begins; `len` if there is none. */
static size_t
chain_start(const char *name, size_t len)
{
	size_t at = len;

	for (size_t next; (next = without_suffix(name, at, false)) < at;)
		at = next;
	return at;
}

/*
 * The length without one note of a demangler: " [clone .isra.0]" of GNU's, " (.isra.0)" of LLVM's.
 */
static size_t
without_note(const char *name, size_t len)
{
	static const struct {
		const char *open;
		char close;
	} forms[] = {{" [clone ", ']'}, {" (", ')'}};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (len == 0 || name[len - 1] != forms[i].close)
			continue;
		size_t start = chain_start(name, len - 1);

		if (start < len - 1 && ends_with(name, start, forms[i].open))
			return start - strlen(forms[i].open);
	}
	return len;
}

static bool
is_version_byte(char c)
{
	return is_letter(c) || is_digit(c) || c == '_' || c == '.' || c == '-' || c == '+';
}

/* "GLIBC_2.34", "GLIBC_PRIVATE": a name, '_' and a number; with "@@" any name. */
static bool
is_version(const char *text, size_t len, bool is_default)
{
	if (len == 0 || !is_letter(text[0]))
		return false;
	for (size_t i = 1; i + 1 < len && !is_default; i++)
		is_default = text[i] == '_' && is_digit(text[i + 1]);
	return is_default || ends_with(text, len, "_PRIVATE");
}

/* The length without a symbol version. What stands behind '@' otherwise, as in foo@plt, stays. */
static size_t
without_version(const char *name, size_t len)
{
	size_t at = len;

	while (at > 0 && len - at < VERSION_BYTES_MAX && is_version_byte(name[at - 1]))
		at--;
	if (at == 0 || name[at - 1] != '@')
		return len;
	bool is_default = at > 1 && name[at - 2] == '@';

	return is_version(name + at, len - at, is_default) ? at - 1 - is_default : len;
}

/* The length without "::h0123456789abcdef". */
static size_t
without_rust_hash(const char *name, size_t len)
{
	const size_t bytes = RUST_HASH_DIGITS + 3;

	if (len <= bytes || memcmp(name + len - bytes, "::h", 3) != 0)
		return len;
	for (size_t i = len - RUST_HASH_DIGITS; i < len; i++)
		if (!is_digit(name[i]) && !(name[i] >= 'a' && name[i] <= 'f'))
			return len;
	return len - bytes;
}

/*
 * The length without a mark of how far it was compiled: async-profiler's of Java (interpreted, and
 * C1), and those that .NET puts into perf maps.
 */
static size_t
without_tier(const char *name, size_t len)
{
	static const char *const tiers[] = {"_[0]", "_[1]", "[PreJIT]", "[ReadyToRun]",
		"[MinOptJitted]", "[QuickJitted]", "[Optimized]", "[OptimizedTier1]",
		"[OptimizedTier1OSR]", "[QuickJittedInstrumented]", "[OptimizedTier1Instrumented]"};

	if (len == 0 || name[len - 1] != ']')
		return len;
	for (size_t i = 0; i < sizeof(tiers) / sizeof(tiers[0]); i++)
		if (ends_with(name, len, tiers[i]))
			return len - strlen(tiers[i]);
	return len;
}

static size_t
without_tails(const char *name, size_t len, bool dotted)
{
	for (;;) {
		size_t next = without_suffix(name, len, dotted);

		if (next == len)
			next = without_note(name, len);
		if (next == len)
			next = without_version(name, len);
		if (next == len)
			next = without_rust_hash(name, len);
		if (next == len)
			next = without_tier(name, len);
		if (next == len || next == 0)
			return len;
		len = next;
	}
}

/*
 * Whether its parts are joined by dots or slashes, as in Go, Java and OCaml. A C compiler makes
 * such a name only of a function within another, and then a number follows.
 */
static bool
is_dotted(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (name[i] == '/' || (name[i] == '.' && i + 1 < len && !is_digit(name[i + 1])))
			return true;
	return false;
}

/*
 * The length of the tag in front of a function of V8; 0 if it is none. Behind it stands a mark: ~
 * for the interpreter, ^ and + for Sparkplug and Maglev, * for TurboFan; and the tag changes with
 * the tier as well. Source: V8's src/logging/log.cc and src/objects/code-kind.cc.
 */
static size_t
v8_tag_len(const char *name, size_t len)
{
	static const char *const tags[] = {"JS:", "LazyCompile:", "Function:"};

	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		size_t n = strlen(tags[i]);

		if (len > n && memcmp(name, tags[i], n) == 0)
			return n;
	}
	return 0;
}

/* A name without a mark stays as it is: names and files of the script are not shortened. */
static bool
put_v8_name(const char *name, size_t len, size_t tag, struct buf *out)
{
	size_t at = tag;

	while (at + 1 < len && name[at] != '\0' && strchr("~^+*", name[at]))
		at++;
	if (at > tag)
		buf_puts(out, "JS:");
	else
		at = 0;
	buf_put(out, name + at, len - at);
	return at > 0;
}

/* The length of "[1a2b3c4d5e6f7081]" at the start of `text`, in front of "::"; 0: it is none. */
static size_t
crate_hash_len(const char *text, size_t len)
{
	size_t n = 1;

	while (n < len && n <= CRATE_HASH_DIGITS_MAX &&
		(is_digit(text[n]) || (text[n] >= 'a' && text[n] <= 'f')))
		n++;
	return n > CRATE_HASH_DIGITS_MIN && len - n >= 3 && memcmp(text + n, "]::", 3) == 0 ? n + 1
											    : 0;
}

/*
 * Without the hashes of crates: demanglers of Rust's scheme v0 may show these, as in
 * "<alloc[1a2b3c4d5e6f7081]::vec::Vec<T>>::push".
 */
static void
put_without_crate_hashes(const char *name, size_t len, struct buf *out)
{
	while (len > 0) {
		const char *open = memchr(name, '[', len);
		size_t before = open ? (size_t)(open - name) : len;

		buf_put(out, name, before);
		name += before;
		len -= before;
		size_t hash = len > 0 ? crate_hash_len(name, len) : 0;

		if (hash == 0 && len > 0)
			buf_putc(out, *name);
		name += hash > 0 ? hash : len > 0;
		len -= hash > 0 ? hash : len > 0;
	}
}

/* strcasecmp_l, strncasecmp_l: the code for a locale. */
static bool
is_case_blind(const char *name, size_t len)
{
	static const char *const names[] = {"strcasecmp_l", "strncasecmp_l"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0)
			return true;
	return false;
}

/*
 * Replaces a library's variant for a CPU by the function's name. In glibc the functions that copy
 * memory share their variants' code, and which of the names a tool shows is chance. strcasecmp runs
 * into the code of strcasecmp_l, where samples find it; callgrind counts that as strcasecmp.
 */
static void
replace_variant(struct buf *name)
{
	struct cpu_variant variant;
	struct buf function = {0};

	if (!cpu_variant_of_library(buf_text(name), name->len, &variant))
		return;
	const char *stem = name->data + variant.start;
	const size_t copies = begins_with(stem, variant.len, "memcpy")    ? strlen("memcpy")
			      : begins_with(stem, variant.len, "mempcpy") ? strlen("mempcpy")
									  : 0;

	if (copies > 0)
		buf_puts(&function, "memmove");
	buf_put(&function, stem + copies, variant.len - copies);
	if (is_case_blind(function.data, function.len))
		function.len -= strlen("_l");
	buf_clear(name);
	buf_put(name, function.data, function.len);
	buf_release(&function);
}

bool
canonical_name(const char *name, size_t len, struct buf *out)
{
	size_t tag = v8_tag_len(name, len);

	buf_clear(out);
	if (tag > 0)
		return put_v8_name(name, len, tag, out);
	put_without_crate_hashes(name, len, out);
	const char *text = buf_text(out);
	size_t kept = without_tails(text, out->len, false);

	if (kept < out->len && is_dotted(text, kept))
		kept = without_tails(text, out->len, true);
	if (kept < out->len) {
		out->data[kept] = '\0';
		out->len = kept;
	}
	replace_variant(out);
	return out->len != len;
}

/* The way into the kernel that a frame makes known by itself; looked up once. */
struct own_way {
	enum kernel_way way;
	frame_id frame; /* that stands for it, of `into`; 0: not made yet */
};

struct fold {
	struct profile *into;
	const struct profile *from; /* only its frames are used */
	frame_id *frames;           /* of `into`, by frame of `from` */
	bool *is_part; /* by frame of `from`: split off, and entered from its function alone */
	bool by_ways;  /* the kernel's functions are compared by the ways into it */
	struct own_way *ways; /* by frame of `from` */
	struct variant_names chosen;
	struct buf name;
};

/* Which of two full names a frame keeps: the first in order, so that none depends on arrival. */
static str_id
first_name(const struct profile *profile, str_id a, str_id b)
{
	const struct strtab *strings = &profile->strings;

	if (a == 0 || b == 0)
		return a == 0 ? b : a;
	return strcmp(strtab_str(strings, a), strtab_str(strings, b)) <= 0 ? a : b;
}

static void
fold_frame(struct fold *fold, frame_id id)
{
	const struct frame *theirs = &fold->from->frames.frames[id];
	const char *name = strtab_str(&fold->from->strings, theirs->name);
	const size_t len = strtab_len(&fold->from->strings, theirs->name);
	const char *function =
		theirs->kind == FRAME_USER ? variant_names_find(&fold->chosen, name, len) : NULL;
	bool differs = canonical_name(name, len, &fold->name);

	if (function) {
		buf_clear(&fold->name);
		buf_puts(&fold->name, function);
		differs = true;
	}
	str_id full =
		profile_copy_string(fold->into, fold->from, differs ? theirs->name : theirs->full);
	frame_id frame =
		profile_frame(fold->into, buf_text(&fold->name), fold->name.len, theirs->kind);
	struct frame *mine = &fold->into->frames.frames[frame];

	mine->full = first_name(fold->into, mine->full, full);
	profile_place_frame(fold->into, frame, fold->from, theirs, false);
	fold->frames[id] = frame;
	fold->is_part[id] = strncmp(name, buf_text(&fold->name), fold->name.len) == 0 &&
			    strstr(name + fold->name.len, ".part.") != NULL;
	if (theirs->kind == FRAME_KERNEL)
		fold->ways[id].way = kernel_way_of(name, &fold->name);
}

/* Whether the name of `part` is the name of `whole` and more. */
static bool
is_made_from(const struct profile *profile, frame_id part, frame_id whole)
{
	const struct strtab *strings = &profile->strings;
	str_id a = profile->frames.frames[part].name;
	str_id b = profile->frames.frames[whole].name;
	size_t len = strtab_len(strings, b);

	return strtab_len(strings, a) > len &&
	       memcmp(strtab_str(strings, a), strtab_str(strings, b), len) == 0;
}

/* Whether the child is a piece of the function its parent is. */
static bool
is_piece(const struct fold *fold, frame_id child, frame_id parent)
{
	if (fold->frames[child] != fold->frames[parent] || child == parent)
		return false;
	return fold->is_part[child] || is_made_from(fold->from, child, parent);
}

/* What stands for a node of the kernel in comparing: a frame below a node of `into`. */
struct way_in {
	enum kernel_way way;
	frame_id frame; /* 0: it stays as it is */
	node_id below;
};

/* The frame of `into` that stands for the way that `frame` makes known. */
static frame_id
stand_in(struct fold *fold, frame_id frame)
{
	struct own_way *own = &fold->ways[frame];

	if (own->frame == 0) {
		kernel_way_of(profile_frame_name(fold->from, frame), &fold->name);
		own->frame = profile_frame(
			fold->into, buf_text(&fold->name), fold->name.len, FRAME_KERNEL);
	}
	return own->frame;
}

/* The same for a node below one of `above`, whose place is `parent`. */
static struct way_in
find_way_in(struct fold *fold, const struct way_in *above, frame_id frame, node_id parent)
{
	const enum kernel_way own = fold->ways[frame].way;
	struct way_in in = *above;

	if (own == KERNEL_WAY_NONE)
		return (struct way_in){0};
	in.way = kernel_way_below(above->way, own);
	if (in.way == above->way || (in.way != KERNEL_WAY_INTERRUPT && !fold->by_ways))
		return in;
	if (above->way == KERNEL_WAY_NONE || in.way == KERNEL_WAY_INTERRUPT)
		in.below = parent;
	in.frame = stand_in(fold, frame);
	return in;
}

/* Adds the runs of `side`; `frames` are the frames of `from`, by frame of `side`. */
static void
fold_runs(struct fold *fold, const struct profile *side, const frame_id *frames)
{
	const struct ctree *tree = &side->tree;
	node_id *nodes = mem_zalloc(tree->nnodes, sizeof(*nodes));
	struct way_in *ways = mem_zalloc(tree->nnodes, sizeof(*ways));

	for (size_t i = 1; i < tree->nnodes; i++) {
		const struct ctree_node *node = &tree->nodes[i];
		frame_id frame = frames[node->frame];
		node_id parent = nodes[node->parent];
		const struct way_in *way = &ways[i];

		ways[i] = find_way_in(fold, &ways[node->parent], frame, parent);
		if (way->frame != 0)
			nodes[i] = ctree_child_near(
				&fold->into->tree, way->below, way->frame, nodes[i - 1] + 1);
		else if (node->parent != CTREE_ROOT &&
			 is_piece(fold, frame, frames[tree->nodes[node->parent].frame]))
			nodes[i] = parent;
		else
			nodes[i] = ctree_child_near(
				&fold->into->tree, parent, fold->frames[frame], nodes[i - 1] + 1);
	}
	profile_append_runs(fold->into, side, nodes);
	free(ways);
	free(nodes);
}

void
canonical_join(struct profile *into, const struct profile *first, const struct profile *second)
{
	const struct profile *const sides[] = {first, second};
	size_t nsides = second ? 2 : 1;
	frame_id *frames[2];
	struct profile both;

	profile_init(&both);
	for (size_t i = 0; i < nsides; i++) {
		frames[i] = profile_append_frames(&both, sides[i], true);
		profile_describe(&both, sides[i]);
	}
	struct fold fold = {
		.into = into,
		.from = &both,
		.frames = mem_zalloc(both.frames.nframes, sizeof(*fold.frames)),
		.is_part = mem_zalloc(both.frames.nframes, sizeof(*fold.is_part)),
		.by_ways = second && kernel_way_is_needed(first, second),
		.ways = mem_zalloc(both.frames.nframes, sizeof(*fold.ways)),
	};

	profile_describe(into, &both);
	for (size_t i = 0; i < nsides; i++)
		variant_names_add(&fold.chosen, sides[i]);
	variant_names_put(&fold.chosen, &fold.name);
	into->variants = strtab_intern(&into->strings, buf_text(&fold.name), fold.name.len);
	for (size_t i = 1; i < both.frames.nframes; i++)
		fold_frame(&fold, (frame_id)i);
	for (size_t i = 0; i < nsides; i++) {
		fold_runs(&fold, sides[i], frames[i]);
		free(frames[i]);
	}
	buf_release(&fold.name);
	variant_names_release(&fold.chosen);
	free(fold.ways);
	free(fold.is_part);
	free(fold.frames);
	profile_release(&both);
}
