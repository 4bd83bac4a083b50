/*
 * The canonical name of a function: the name without the marks of compilers, linkers, JITs and
 * demanglers, and a variant for a CPU (cpu_variant.h) under the name of its function.
 *
 * Everything that is taken off stands at the end of a name and is found from there, a bounded step
 * at a time, but for the marks of V8, which stand in front, and the hashes of Rust's crates.
 */
#include "profile/canonical.h"

#include "base/text.h"
#include "profile/cpu_variant.h"

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

	while (at > 0 && len - at < NUMBER_BYTES_MAX && text_is_digit(name[at - 1]))
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
	return text_is_letter(c) || text_is_digit(c) || c == '_' || c == '.' || c == '-' ||
	       c == '+';
}

/* "GLIBC_2.34", "GLIBC_PRIVATE": a name, '_' and a number; with "@@" any name. */
static bool
is_version(const char *text, size_t len, bool is_default)
{
	if (len == 0 || !text_is_letter(text[0]))
		return false;
	for (size_t i = 1; i + 1 < len && !is_default; i++)
		is_default = text[i] == '_' && text_is_digit(text[i + 1]);
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
		if (!text_is_digit(name[i]) && !(name[i] >= 'a' && name[i] <= 'f'))
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
		if (name[i] == '/' ||
			(name[i] == '.' && i + 1 < len && !text_is_digit(name[i + 1])))
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

/* Whether the name of a crate may end with this byte; names may be other than ASCII. */
static bool
is_crate_byte(char c)
{
	return text_is_letter(c) || text_is_digit(c) || c == '_' || (unsigned char)c >= 0x80;
}

/* The length of "[1a2b3c4d5e6f7081]" at the start of `text`, in front of "::"; 0: it is none. */
static size_t
crate_hash_len(const char *text, size_t len)
{
	size_t n = 1;

	while (n < len && n <= CRATE_HASH_DIGITS_MAX &&
		(text_is_digit(text[n]) || (text[n] >= 'a' && text[n] <= 'f')))
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
	const char *begin = name;

	while (len > 0) {
		const char *open = memchr(name, '[', len);
		size_t before = open ? (size_t)(open - name) : len;

		buf_put(out, name, before);
		name += before;
		len -= before;
		/* Behind anything but a crate's name, taking one away could make another one. */
		const size_t hash = len > 0 && name > begin && is_crate_byte(name[-1])
					    ? crate_hash_len(name, len)
					    : 0;

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

	if (!cpu_variant_find(buf_text(name), name->len, &variant))
		return;
	const char *stem = name->data + variant.start;
	const size_t copies = text_begins_within(stem, variant.len, "memcpy")    ? strlen("memcpy")
			      : text_begins_within(stem, variant.len, "mempcpy") ? strlen("mempcpy")
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

/*
 * The length without all that stands at the end. What was taken off can tell how the rest is read,
 * so that the rest is looked at once more.
 */
static size_t
without_marks(const char *name, size_t len)
{
	for (;;) {
		size_t kept = without_tails(name, len, false);

		if (kept < len && is_dotted(name, kept))
			kept = without_tails(name, len, true);
		if (kept == len)
			return len;
		len = kept;
	}
}

bool
canonical_name(const char *name, size_t len, struct buf *out)
{
	size_t tag = v8_tag_len(name, len);

	buf_clear(out);
	if (tag > 0)
		return put_v8_name(name, len, tag, out);
	put_without_crate_hashes(name, len, out);
	const size_t kept = without_marks(buf_text(out), out->len);

	if (kept < out->len) {
		out->data[kept] = '\0';
		out->len = kept;
	}
	replace_variant(out);
	return out->len != len;
}

/* The CPU that a frame's name tells; its whole name where only its file tells. */
static bool
find_mark(const struct variant_names *chosen, const char *text, size_t len, const char *name,
	struct cpu_variant *variant)
{
	const char *function = variant_names_find(chosen, text, len);
	struct buf canonical = {0};
	bool is;

	if (function) {
		*variant = (struct cpu_variant){.mark_len = len};
		return strcmp(function, name) == 0;
	}
	is = cpu_variant_find(text, len, variant);
	if (is) {
		canonical_name(text, len, &canonical);
		is = strcmp(buf_text(&canonical), name) == 0;
	}
	buf_release(&canonical);
	return is;
}

void
canonical_put_variants(const struct profile *profile, const char *name, struct buf *out)
{
	const size_t begin = out->len;
	struct variant_names chosen = {0};

	variant_names_add(&chosen, profile);

	for (frame_id frame = 1; frame < profile->frames.nframes; frame++) {
		const char *text = profile_frame_name(profile, frame);
		const size_t len = strlen(text);
		struct cpu_variant variant;

		if (profile->frames.frames[frame].kind != FRAME_USER ||
			!find_mark(&chosen, text, len, name, &variant))
			continue;
		buf_puts(out, out->len > begin ? ", " : "");
		buf_put(out, text + variant.mark_start, variant.mark_len);
	}
	variant_names_release(&chosen);
}
