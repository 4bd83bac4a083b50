#include "profile/canonical.h"

#include "unit.h"

#include <string.h>

void suite_profile_canonical(void);

struct example {
	const char *name;
	const char *canonical; /* NULL: stays */
};

static void
check(const struct example *examples)
{
	struct buf out = {0};

	for (; examples->name; examples++) {
		const char *expected = examples->canonical ? examples->canonical : examples->name;
		bool differs = canonical_name(examples->name, strlen(examples->name), &out);

		UNIT_STR_EQ(buf_text(&out), expected);
		CU_ASSERT_EQUAL(differs, examples->canonical != NULL);
	}
	buf_release(&out);
}

static void
clones_of_gcc_and_llvm_fold(void)
{
	static const struct example examples[] = {
		{"foo.isra.0", "foo"},
		{"foo.constprop.12", "foo"},
		{"foo.part.3", "foo"},
		{"foo.cold", "foo"},
		{"foo.cold.1", "foo"},
		{"foo.lto_priv.0", "foo"},
		{"foo.localalias", "foo"},
		{"foo.localalias.2", "foo"},
		{"foo.llvm.11046083923853476421", "foo"},
		{"foo.clone.4", "foo"},
		{"foo.resolver", "foo"},
		{"foo.ifunc", "foo"},
		{"foo.__uniq.239084523904852390485239048523904852", "foo"},
		{"_ZN2ns3fooEv.cold", "_ZN2ns3fooEv"},
		{"ns::foo<int>.isra.0", "ns::foo<int>"},
		{NULL, NULL},
	};

	check(examples);
}

static void
chains_of_suffixes_fold(void)
{
	static const struct example examples[] = {
		{"foo.constprop.0.isra.0.cold", "foo"},
		{"foo.part.0.lto_priv.1.cold.2", "foo"},
		{"foo.__uniq.123.llvm.456", "foo"},
		{"core::fmt::write::h0123456789abcdef.llvm.77", "core::fmt::write"},
		{"inner.0.constprop.0.cold", "inner.0"},
		{NULL, NULL},
	};

	check(examples);
}

static void
notes_of_demanglers_fold(void)
{
	static const struct example examples[] = {
		{"foo(int) [clone .isra.0]", "foo(int)"},
		{"foo(int) [clone .isra.0] [clone .cold]", "foo(int)"},
		{"foo(int) [clone .constprop.0.isra.0.cold]", "foo(int)"},
		{"foo(int) (.llvm.123)", "foo(int)"},
		{"foo(char const*, ...) (.cold.1)", "foo(char const*, ...)"},
		{"foo(char const*, ...) [clone .cold]", "foo(char const*, ...)"},
		{"foo(int) [clone .avx2]", "foo(int)"},
		{"foo(int) [clone .arch_skylake_avx512.1]", "foo(int)"},
		{"foo(int) (.default)", "foo(int)"},
		{"foo(int) [clone ]", NULL},
		{"foo (.bar)", NULL},
		{"foo ()", NULL},
		{NULL, NULL},
	};

	check(examples);
}

static void
symbol_versions_fold_and_plt_stays(void)
{
	static const struct example examples[] = {
		{"memcpy@@GLIBC_2.34", "memcpy"},
		{"memcpy@GLIBC_2.2.5", "memcpy"},
		{"__libc_early_init@@GLIBC_PRIVATE", "__libc_early_init"},
		{"__libc_early_init@GLIBC_PRIVATE", "__libc_early_init"},
		{"std::terminate()@@GLIBCXX_3.4", "std::terminate()"},
		{"foo@@Base", "foo"},
		{"foo@plt", NULL},
		{"foo@GLIBC_2.34@plt", NULL},
		{"foo@", NULL},
		{"foo@@", NULL},
		{"foo@home", NULL},
		{"@@GLIBC_2.34", NULL},
		{NULL, NULL},
	};

	check(examples);
}

static void
hashes_of_rust_fold(void)
{
	static const struct example examples[] = {
		{"alloc::vec::Vec<T>::push::h0123456789abcdef", "alloc::vec::Vec<T>::push"},
		{"<T as core::fmt::Debug>::fmt::hdeadbeefdeadbeef", "<T as core::fmt::Debug>::fmt"},
		{"core[1a2b3c4d5e6f7081]::fmt::write", "core::fmt::write"},
		{"<alloc[9f8e7d6c5b4a3]::vec::Vec<u8> as core[1a2b3c4d5e6f7081]::ops::Drop>::drop",
			"<alloc::vec::Vec<u8> as core::ops::Drop>::drop"},
		{"app[1a2b3c4d5e6f7081]::f::h0123456789abcdef", "app::f"},
		{"<[u8; 16]>::len", NULL},
		{"foo[abcdef12]", NULL},
		{"foo[dead]::bar", NULL},
		{"foo[1a2b3c4d5e6f70812]::bar", NULL},
		{"foo[1A2B3C4D]::bar", NULL},
		{"foo::h0123456789abcde", NULL},
		{"foo::h0123456789abcdefa", NULL},
		{"foo::h0123456789ABCDEF", NULL},
		{"foo::hello_world_is_it", NULL},
		{"::h0123456789abcdef", NULL},
		{NULL, NULL},
	};

	check(examples);
}

static void
variants_for_cpus_fold(void)
{
	static const struct example examples[] = {
		{"__strlen_evex", "strlen"},
		{"__strlen_avx2", "strlen"},
		{"__strlen_avx2_rtm", "strlen"},
		{"__strlen_evex512", "strlen"},
		{"__strlen_sse2", "strlen"},
		{"__strlen_asimd", "strlen"},
		{"__strncmp_sse42", "strncmp"},
		{"__wcslen_sse4_1", "wcslen"},
		{"__strchr_sse2_no_bsf", "strchr"},
		{"__strcasecmp_l_avx2", "strcasecmp"},
		{"__strncasecmp_l_evex", "strncasecmp"},
		{"__strcasecmp_sse42", "strcasecmp"},
		{"__strspn_generic", "strspn"},
		{"__memmove_avx512_unaligned_erms", "memmove"},
		{"__memmove_avx512_no_vzeroupper", "memmove"},
		{"__memcpy_avx_unaligned_erms_rtm", "memmove"},
		{"__memcpy_ssse3_back", "memmove"},
		{"__mempcpy_evex_unaligned", "memmove"},
		{"__exp1_fma", "exp1"},
		{"__memcpy_thunderx2", "memmove"},
		{"__read_ssettings", NULL},
		{"__parse_average", NULL},
		{"__ns::f_avx2(int)", NULL},
		{"___sse", NULL},
		{"__memcpy_chk_erms", "memmove_chk"},
		{"__memset_avx2_unaligned_erms", "memset"},
		{"__memset_zva64", "memset"},
		{"__memcmp_evex_movbe", "memcmp"},
		{"__memcmpeq_sse2", "memcmpeq"},
		{"__sin_fma", "sin"},
		{"__fma_fma3", "fma"},
		{"__floorf_c", "floorf"},
		{"__ieee754_exp_fma4", "ieee754_exp"},
		{"__gmpn_mul_1_coreihwl", "gmpn_mul_1"},
		{"__strlen_evex@@GLIBC_2.34", "strlen"},
		{"__strlen_evex.cold", "strlen"},
		{"sum.avx2", "sum"},
		{"sum.avx2.0", "sum"},
		{"sum.arch_x86_64_v3.1", "sum"},
		{"sum.sse4_2", "sum"},
		{"sum.default", "sum"},
		{"sum._MsveMdotprod", "sum"},
		{"__strlen", NULL},
		{"__fma", NULL},
		{"__sse2", NULL},
		{"__erms_avx2", NULL},
		{"__strcasecmp_l_nonascii", NULL},
		{"__strcpy_chk", NULL},
		{"__statx_generic", NULL},
		{"__libc_c", NULL},
		{"__put_back", NULL},
		{"__list_no", NULL},
		{"sum_avx2", NULL},
		{"_sum_avx2", NULL},
		{"__foo(int)_avx2", NULL},
		{"main.(*T).avx2", NULL},
		{"sum.AVX2", NULL},
		{".avx2", NULL},
		{NULL, NULL},
	};

	check(examples);
}

static void
tiers_of_jits_fold(void)
{
	static const struct example examples[] = {
		{"LazyCompile:*fn file.js:1:2", "JS:fn file.js:1:2"},
		{"LazyCompile:~fn file.js:1:2", "JS:fn file.js:1:2"},
		{"Function:~fn file.js:1:2", "JS:fn file.js:1:2"},
		{"JS:*fn file.js:1:2", "JS:fn file.js:1:2"},
		{"JS:^fn file.js:1:2", "JS:fn file.js:1:2"},
		{"JS:+fn file.js:1:2", "JS:fn file.js:1:2"},
		{"JS:~ file.js:1:2", "JS: file.js:1:2"},
		{"JS:fn file.js:1:2", NULL},
		{"JS:fn part.cold", NULL},
		{"JS:*", NULL},
		{"Builtin:ArrayPrototypePush", NULL},
		{"Script:~file.js", NULL},
		{"java.lang.String.hashCode_[0]", "java.lang.String.hashCode"},
		{"java.lang.String.hashCode_[1]", "java.lang.String.hashCode"},
		{"void [System.Private.CoreLib] System.Foo::Bar()[OptimizedTier1]",
			"void [System.Private.CoreLib] System.Foo::Bar()"},
		{"foo[Tier]", NULL},
		{NULL, NULL},
	};

	check(examples);
}

static void
names_of_other_languages_and_lambdas_stay(void)
{
	static const struct example examples[] = {
		{"", NULL},
		{".", NULL},
		{"operator.", NULL},
		{"foo.bar", NULL},
		{"foo.part", NULL},
		{"foo.isra", NULL},
		{"foo.isra.0x", NULL},
		{"foo.isra.", NULL},
		{"foo.0", NULL},
		{".cold", NULL},
		{".isra.0", NULL},
		{"runtime.mallocgc", NULL},
		{"main.(*T).cold", NULL},
		{"main.thing.resolver", NULL},
		{"github.com/x/y.cold", NULL},
		{"camlStdlib__List.map_321", NULL},
		{"foo()::{lambda(int)#1}::operator()(int) const", NULL},
		{"(anonymous namespace)::foo(int)", NULL},
		{"[unknown]", NULL},
		{"[libc.so.6]", NULL},
		{FRAME_TRUNCATED, NULL},
		{NULL, NULL},
	};

	check(examples);
}

/* Pieces that the rules look for, in every order: what is canonical stays so. */
static void
a_canonical_name_is_its_own(void)
{
	static const char *const pieces[] = {"foo", ".cold", ".cold.1", ".isra.0", "JS:", "*", "~",
		"Function:", "@@V_1", "@", "::h0123456789abcdef", " [clone .part.0]", " (.llvm.1)",
		"_[0]", "/", ".bar", "(int)", "[Optimized]", "__", "_avx2", ".avx2",
		"[12345678]::"};
	const size_t n = sizeof(pieces) / sizeof(pieces[0]);
	struct buf name = {0};
	struct buf once = {0};
	struct buf twice = {0};

	for (size_t i = 0; i < n * n * n * n; i++) {
		buf_clear(&name);
		for (size_t k = 0, left = i; k < 4; k++, left /= n)
			buf_puts(&name, pieces[left % n]);
		canonical_name(buf_text(&name), name.len, &once);
		bool again = canonical_name(buf_text(&once), once.len, &twice);

		if (again || once.len == 0)
			UNIT_STR_EQ(buf_text(&name), "a name whose canonical name is not its own");
	}
	buf_release(&name);
	buf_release(&once);
	buf_release(&twice);
	CU_PASS("looked at all");
}

/* Quadratic time would be hours. */
static void
a_megabyte_of_suffixes_is_soon_read(void)
{
	static const char *const ends[] = {".cold", " [clone .cold]", "@", "1", ".part.0", "::h0"};
	struct buf name = {0};
	struct buf out = {0};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		buf_clear(&name);
		buf_puts(&name, "a.b");
		while (name.len < (1 << 20))
			buf_puts(&name, ends[i]);

		canonical_name(buf_text(&name), name.len, &out);
		CU_ASSERT_TRUE(out.len <= name.len);
	}
	buf_release(&name);
	buf_release(&out);
}

static void
any_bytes_are_taken(void)
{
	static const char name[] = "a\0b.cold";
	struct buf out = {0};

	CU_ASSERT_TRUE(canonical_name(name, sizeof(name) - 1, &out));
	CU_ASSERT_EQUAL(out.len, 3);
	CU_ASSERT_FALSE(canonical_name("JS:\0x", 5, &out));
	CU_ASSERT_EQUAL(out.len, 5);
	buf_release(&out);
}

void
suite_profile_canonical(void)
{
	static const struct unit_case cases[] = {
		{"clones_of_gcc_and_llvm_fold", clones_of_gcc_and_llvm_fold},
		{"chains_of_suffixes_fold", chains_of_suffixes_fold},
		{"notes_of_demanglers_fold", notes_of_demanglers_fold},
		{"symbol_versions_fold_and_plt_stays", symbol_versions_fold_and_plt_stays},
		{"hashes_of_rust_fold", hashes_of_rust_fold},
		{"variants_for_cpus_fold", variants_for_cpus_fold},
		{"tiers_of_jits_fold", tiers_of_jits_fold},
		{"names_of_other_languages_and_lambdas_stay",
			names_of_other_languages_and_lambdas_stay},
		{"a_canonical_name_is_its_own", a_canonical_name_is_its_own},
		{"a_megabyte_of_suffixes_is_soon_read", a_megabyte_of_suffixes_is_soon_read},
		{"any_bytes_are_taken", any_bytes_are_taken},
		{NULL, NULL},
	};

	unit_suite("profile/canonical", cases);
}
