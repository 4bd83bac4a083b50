#include "profile/cpu_variant.h"

#include "base/text.h"

#include <string.h>

/* At most this many files that choose their code by the CPU are named. */
#define CHOOSERS_SHOWN 4
/* Longer than any word of such a name. */
#define WORD_BYTES_MAX 24
/* More words at the end of a name are not looked at. */
#define WORDS_MAX 8
/* Longer than a version's suffix. */
#define CPU_VERSION_BYTES_MAX 96

enum word {
	WORD_OTHER,
	WORD_FEATURE,   /* of a processor: it makes a name a variant's by itself */
	WORD_GENERIC,   /* for any processor: only of functions that are known to have variants */
	WORD_QUALIFIER, /* behind one of these */
};

static const struct {
	const char *text;
	enum word word;
} words[] = {
	{"sse", WORD_FEATURE},
	{"sse2", WORD_FEATURE},
	{"sse3", WORD_FEATURE},
	{"ssse3", WORD_FEATURE},
	{"sse4", WORD_FEATURE},
	{"sse41", WORD_FEATURE},
	{"sse42", WORD_FEATURE},
	{"avx", WORD_FEATURE},
	{"avx2", WORD_FEATURE},
	{"avx512", WORD_FEATURE},
	{"avx512f", WORD_FEATURE},
	{"avx512bw", WORD_FEATURE},
	{"avx512vl", WORD_FEATURE},
	{"avx512vnni", WORD_FEATURE},
	{"evex", WORD_FEATURE},
	{"evex512", WORD_FEATURE},
	{"fma", WORD_FEATURE},
	{"fma3", WORD_FEATURE},
	{"fma4", WORD_FEATURE},
	{"erms", WORD_FEATURE},
	{"bmi2", WORD_FEATURE},
	{"vaes", WORD_FEATURE},
	{"shaext", WORD_FEATURE},
	{"fastsse", WORD_FEATURE},
	{"fastavx", WORD_FEATURE},
	{"i586", WORD_FEATURE},
	{"i686", WORD_FEATURE},
	{"neon", WORD_FEATURE},
	{"asimd", WORD_FEATURE},
	{"sve", WORD_FEATURE},
	{"sve2", WORD_FEATURE},
	{"mops", WORD_FEATURE},
	{"mte", WORD_FEATURE},
	{"a64fx", WORD_FEATURE},
	{"thunderx", WORD_FEATURE},
	{"thunderx2", WORD_FEATURE},
	{"falkor", WORD_FEATURE},
	{"kunpeng", WORD_FEATURE},
	{"emag", WORD_FEATURE},
	{"oryon1", WORD_FEATURE},
	{"zva64", WORD_FEATURE},
	{"nozva", WORD_FEATURE},
	{"altivec", WORD_FEATURE},
	{"vsx", WORD_FEATURE},
	{"power4", WORD_FEATURE},
	{"power6", WORD_FEATURE},
	{"power7", WORD_FEATURE},
	{"power8", WORD_FEATURE},
	{"power9", WORD_FEATURE},
	{"power10", WORD_FEATURE},
	{"z10", WORD_FEATURE},
	{"z13", WORD_FEATURE},
	{"z196", WORD_FEATURE},
	{"arch13", WORD_FEATURE},
	{"lsx", WORD_FEATURE},
	{"lasx", WORD_FEATURE},
	{"k8", WORD_FEATURE},
	{"k10", WORD_FEATURE},
	{"bd1", WORD_FEATURE},
	{"bt1", WORD_FEATURE},
	{"bobcat", WORD_FEATURE},
	{"piledriver", WORD_FEATURE},
	{"steamroller", WORD_FEATURE},
	{"excavator", WORD_FEATURE},
	{"zen", WORD_FEATURE},
	{"zen2", WORD_FEATURE},
	{"zen3", WORD_FEATURE},
	{"core2", WORD_FEATURE},
	{"coreinhm", WORD_FEATURE},
	{"coreisbr", WORD_FEATURE},
	{"coreihwl", WORD_FEATURE},
	{"coreibwl", WORD_FEATURE},
	{"skylake", WORD_FEATURE},
	{"atom", WORD_FEATURE},
	{"silvermont", WORD_FEATURE},
	{"goldmont", WORD_FEATURE},
	{"pentium4", WORD_FEATURE},
	{"generic", WORD_GENERIC},
	{"simd", WORD_GENERIC},
	{"c", WORD_GENERIC},
	{"ia32", WORD_GENERIC},
	{"unaligned", WORD_QUALIFIER},
	{"rtm", WORD_QUALIFIER},
	{"movbe", WORD_QUALIFIER},
	{"back", WORD_QUALIFIER},
	{"no", WORD_QUALIFIER},
	{"bsf", WORD_QUALIFIER},
	{"vzeroupper", WORD_QUALIFIER},
	{"slow", WORD_QUALIFIER},
	{"1", WORD_QUALIFIER}, /* sse4_1 */
	{"2", WORD_QUALIFIER},
};

/* The beginnings of the C library's functions that have variants. */
static const char *const library_functions[] = {"mem", "str", "stp", "wcs", "wmem", "rawmem",
	"bcmp", "bzero", "index", "rindex", "sin", "cos", "tan", "exp", "log", "pow", "atan",
	"asin", "acos", "floor", "ceil", "rint", "nearbyint", "trunc", "roundeven", "fma",
	"ieee754_"};

static enum word
find_word(const char *text, size_t len)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i].text) == len && memcmp(words[i].text, text, len) == 0)
			return words[i].word;
	return WORD_OTHER;
}

static bool
is_library_function(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(library_functions) / sizeof(library_functions[0]); i++)
		if (text_begins_within(name, len, library_functions[i]))
			return true;
	return false;
}

/* The number of bytes of the last word of name[0..len), 0 if no '_' is before it. */
static size_t
last_word(const char *name, size_t len)
{
	size_t n = 0;

	while (n < len && n <= WORD_BYTES_MAX && name[len - n - 1] != '_')
		n++;
	return n < len && n <= WORD_BYTES_MAX ? n : 0;
}

struct ending {
	size_t stem;  /* the length of the name before it */
	bool feature; /* it has a word of a processor, */
	bool generic; /* or one for all */
};

/*
 * The words of processors at the end of a name. A qualifier belongs to it only behind one of these:
 * "put_back" is a function's own name.
 */
static struct ending
find_ending(const char *name, size_t len)
{
	struct ending ending = {.stem = len};
	size_t at = len;

	for (int i = 0; i < WORDS_MAX; i++) {
		size_t n = last_word(name, at);
		enum word word = find_word(name + at - n, n);

		size_t before = at - n;

		while (before > 0 && name[before - 1] == '_')
			before--;
		if (word == WORD_OTHER || before == 0)
			break;
		at = before;
		if (word == WORD_QUALIFIER)
			continue;
		ending.feature = ending.feature || word == WORD_FEATURE;
		ending.generic = ending.generic || word == WORD_GENERIC;
		ending.stem = at;
	}
	return ending;
}

static bool
fill_variant(const char *name, size_t len, size_t stem, struct cpu_variant *variant)
{
	size_t start = 0;
	size_t mark = stem;

	while (start < stem && name[start] == '_')
		start++;
	while (mark < len && name[mark] == '_')
		mark++;
	*variant = (struct cpu_variant){
		.start = start, .len = stem - start, .mark_start = mark, .mark_len = len - mark};
	return start < stem && (find_word(name + start, stem - start) == WORD_OTHER ||
				       is_library_function(name + start, stem - start));
}

static bool
is_identifier(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!text_is_letter(name[i]) && !text_is_digit(name[i]) && name[i] != '_')
			return false;
	return true;
}

/* Letters, digits and underscores, two of these ahead: as a library's own names are. */
static bool
is_library_name(const char *name, size_t len)
{
	return text_begins_within(name, len, "__") && is_identifier(name, len);
}

bool
cpu_variant_find(const char *name, size_t len, struct cpu_variant *variant)
{
	struct ending ending = find_ending(name, len);
	size_t stem = ending.stem;

	if (stem == len || !is_library_name(name, len) || !fill_variant(name, len, stem, variant))
		return false;
	return ending.feature ||
	       (ending.generic && is_library_function(name + variant->start, variant->len));
}

/* Whether it is a word of the compiler's: one for GCC's target(), or the default. */
static bool
is_cpu_version(const char *text, size_t len)
{
	static const char *const others[] = {"default", "popcnt", "sse4_1", "sse4_2"};

	if (!is_identifier(text, len))
		return false;
	if (len > strlen("arch_") && text_begins_within(text, len, "arch_"))
		return true;
	if (len > strlen("_M") && text_begins_within(text, len, "_M"))
		return true;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strlen(others[i]) == len && memcmp(others[i], text, len) == 0)
			return true;
	return find_word(text, len) == WORD_FEATURE;
}

size_t
cpu_variant_without_version(const char *name, size_t len)
{
	size_t end = len;
	size_t n = 0;

	while (end > 0 && len - end < WORD_BYTES_MAX && text_is_digit(name[end - 1]))
		end--;
	end = end < len && end > 0 && name[end - 1] == '.' ? end - 1 : len;
	while (n < end && n < CPU_VERSION_BYTES_MAX && name[end - n - 1] != '.')
		n++;
	if (n == 0 || n + 1 >= end || name[end - n - 1] != '.')
		return len;
	return is_cpu_version(name + end - n, n) ? end - n - 1 : len;
}

void
cpu_variant_put_choosers(const struct profile *profile, struct buf *out)
{
	const char *line = strtab_str(&profile->strings, profile->cpu_choice);
	size_t n = 0;

	for (; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (n++ < CHOOSERS_SHOWN)
			buf_printf(
				out, "%s%.*s", n > 1 ? ", " : "", (int)strcspn(line, "\n"), line);
	if (n > CHOOSERS_SHOWN)
		buf_printf(out, " and %zu more", n - CHOOSERS_SHOWN);
	if (n > 0)
		buf_printf(out,
			" choose%s code by the CPU (instruction cpuid): counts are of the code for "
			"the CPU that valgrind presents",
			n == 1 ? "s" : "");
}
