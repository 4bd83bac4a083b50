#include "elf/demangle.h"

#include "base/buf.h"
#include "unit.h"

#include <stdlib.h>

void suite_elf_demangle(void);

static void
expect(const char *mangled, const char *expected)
{
	char *text = demangle(mangled);

	CU_ASSERT_PTR_NOT_NULL(text);
	if (text)
		UNIT_STR_EQ(text, expected);
	free(text);
}

static void
test_plain(void)
{
	CU_ASSERT_PTR_NULL(demangle("main"));
	CU_ASSERT_PTR_NULL(demangle("_Zwrong"));
	CU_ASSERT_PTR_NULL(demangle(""));
}

static void
test_parameters(void)
{
	expect("_Z3fooi", "foo");
	expect("_ZNK2ns3Box3runERKSt6vectorIiSaIiEE", "ns::Box::run");
	expect("_ZN12_GLOBAL__N_14anonEi", "(anonymous namespace)::anon");
	expect("_ZNK2ns2OpclEii", "ns::Op::operator()");
	expect("_ZNK2ns2OpcvbEv", "ns::Op::operator bool");
	expect("_Znwm", "operator new");
	expect("_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()");
	expect("_Z3fooi.constprop.0", "foo");
}

static void
test_return_type(void)
{
	expect("_ZN2ns3addIiEEvT_", "ns::add<int>");
	expect("_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
		"std::operator<< <std::char_traits<char> >");
}

/* Names as valgrind and gprof print them. */
static void
test_shorten(void)
{
	static const struct {
		const char *name;
		const char *expected;
	} names[] = {
		{"main", "main"},
		{"", ""},
		{"(below main)", "(below main)"},
		{"long work<int>(std::vector<int>, long) [clone .isra.0]", "work<int>"},
		{"a::S::operator()(long) const", "a::S::operator()"},
		{"a::S::operator int()", "a::S::operator int"},
		{"main::{lambda(int)#1}::operator()(int) const",
			"main::{lambda(int)#1}::operator()"},
		{"vtable for ns::Op", "vtable for ns::Op"},
		{"a::S::operator()", "a::S::operator()"},
		{"core::fmt::write::h0123456789abcdef", "core::fmt::write"},
		{"main.(*T).Run", "main.(*T).Run"},
		{"x)", "x)"},
		{" [clone ]", " [clone ]"},
		{"foo (int)", "foo "},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *text = demangle_shorten(names[i].name, strlen(names[i].name));

		UNIT_STR_EQ(text, names[i].expected);
		free(text);
	}
}

static void
test_special(void)
{
	expect("_ZTVN2ns2OpE", "vtable for ns::Op");
	expect("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write");
}

/* Names that rustc 1.95 gave, by its old scheme and by v0. */
static void
test_rust(void)
{
	expect("_ZN1r10W$LT$T$GT$4show17hecdbe34e266ee4d0E", "r::W<T>::show");
	expect("_ZN3std2rt10lang_start28_$u7b$$u7b$closure$u7d$$u7d$17ha86af84d9cc65291E",
		"std::rt::lang_start::{{closure}}");
	expect("_ZN79_$LT$hashbrown..raw..RawTable$LT$T$C$A$GT$$u20$as$u20$core..ops..drop..Drop$GT"
	       "$4drop17h65b7a6fa6ecce5d7E",
		"<hashbrown::raw::RawTable<T,A> as core::ops::drop::Drop>::drop");
	expect("_RINvCs6GmmlP4bgsG_1r5applyNCNvB2_4main0EB2_", "r::apply::<r::main::{closure#0}>");
	expect("_RNvXso_NtCslNYArtu3iFV_5alloc3vecINtB5_3VechENtNtNtCsgEmfK2I1SDS_4core3ops4drop4Dr"
	       "op4dropCsduwmD7cSIQq_5gimli",
		"<alloc::vec::Vec<u8> as core::ops::drop::Drop>::drop");
	expect("_RNvNtCs3nilrLLJwz5_1gu9gre_6ka8l7saluton.llvm.12718055276841443353",
		"g::gr\303\274\303\237e::saluton");
	CU_ASSERT_PTR_NULL(demangle("_Rwrong"));
	CU_ASSERT_PTR_NULL(demangle("_R"));
}

static void
expect_none(const struct buf *name)
{
	char *text = demangle(buf_text(name));

	CU_ASSERT_PTR_NULL(text);
	free(text);
}

/* Each of these names would take its demangler for ever, or all of the stack. */
static void
test_hostile(void)
{
	struct buf name = {0};

	/* Each type is a pair of the type before: 2^37 ints. */
	buf_puts(&name, "_Z1f1AIiiE");
	for (const char *at = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"; *at; at++)
		buf_printf(&name, "S_IS%c_S%c_E", *at, *at);
	expect_none(&name);
	buf_clear(&name);
	buf_puts(&name, "_Z1f");
	for (int i = 0; i < 65536; i++)
		buf_puts(&name, "1AI");
	expect_none(&name);
	buf_clear(&name);
	buf_puts(&name, "_RIC1a");
	for (int i = 0; i < 65536; i++)
		buf_puts(&name, "INtC1a1b");
	expect_none(&name);
	buf_clear(&name);
	/* Tuples of two references to the tuple before. */
	buf_puts(&name, "_RIC1aTaaE");
	buf_puts(&name, "TB4_B4_ETB8_B8_ETBg_Bg_ETBo_Bo_ETBw_Bw_ETBE_BE_ETBM_BM_ETBU_BU_E");
	buf_puts(&name, "E");
	free(demangle(buf_text(&name)));
	buf_release(&name);
}

/* The library would be silent for years: no limit on its output could stop it. */
static void
test_silent(void)
{
	struct buf name = {0};

	/* A pack is looked for in pairs of pairs, 2^36 of them. */
	buf_puts(&name, "_Z1fIiEvDp");
	for (int i = 0; i < 36; i++)
		buf_puts(&name, "Fi");
	buf_puts(&name, "FiiE");
	for (const char *at = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"; *at; at++)
		buf_printf(&name, "S%c_E", *at);
	expect_none(&name);
	buf_clear(&name);
	/* Arguments that may belong to the type of a conversion are parsed twice, each of 2^60. */
	buf_puts(&name, "_ZN1AcvT_I");
	for (int i = 0; i < 60; i++)
		buf_puts(&name, "T_I");
	buf_puts(&name, "i");
	for (int i = 0; i < 62; i++)
		buf_puts(&name, "E");
	buf_puts(&name, "Ev");
	expect_none(&name);
	buf_clear(&name);
	/* 2^53 lifetimes in what is not printed: an implementation's path, and a copy's crate. */
	buf_puts(&name, "_RNvMINtC1a1bFGzzzzzzzzz_EuENtC1a1c1d");
	expect_none(&name);
	buf_clear(&name);
	buf_puts(&name, "_RNvC1a1bINtC1a1bDGzzzzzzzzz_EL_E");
	expect_none(&name);
	buf_release(&name);
}

/* Names that gdc 12 gave. */
static void
test_d(void)
{
	expect("_Dmain", "D main");
	expect("_D3app1C3runMFiZd", "app.C.run");
	expect("_D3app4mainFZ__T9__lambda7TiZQnFNaNbNiNfiZi",
		"app.main().__lambda7!(int).__lambda7");
	expect("_D3app__T4addtTdZQiFNaNbNiNfdiZd", "app.addt!(double).addt");
	expect("_D3app__T1STlZQf3addMxFNaNbNiNfixlZl", "app.S!(long).S.add");
	CU_ASSERT_PTR_NULL(demangle("_D"));
	CU_ASSERT_PTR_NULL(demangle("_Data"));
	CU_ASSERT_PTR_NULL(demangle("_D3app"));
}

static void
test_d_hostile(void)
{
	struct buf name = {0};

	/* Each parameter is a table from the one before to the same: 2^60 in the last. */
	buf_puts(&name, "_D1aF");
	for (int i = 0; i < 60; i++)
		buf_puts(&name, i == 0 ? "Hii" : i == 1 ? "HQeQg" : "HQgQi");
	buf_puts(&name, "Zv");
	expect_none(&name);
	buf_clear(&name);
	buf_puts(&name, "_D1aF");
	for (int i = 0; i < 200000; i++)
		buf_puts(&name, "P");
	buf_puts(&name, "iZv");
	expect_none(&name);
	buf_release(&name);
}

static void
test_ocaml(void)
{
	/* ocamlopt 4.13 */
	expect("camlStdlib__List__map_253", "Stdlib.List.map");
	expect("camlW__$2b$2b_88", "W.++");
	expect("camlW__fun_204", "W.fun_204");
	expect("camlW__entry", "W.entry");
	/* 5.1 */
	expect("camlStdlib__Array.fold_left_521", "Stdlib.Array.fold_left");
	expect("camlDune__exe__Main.anon_fn$5bmain$2eml$3a3$2c4$2d$2d9$5d_12",
		"Dune.exe.Main.anon_fn[main.ml:3,4--9]");
	/* The runtime is C. */
	CU_ASSERT_PTR_NULL(demangle("caml_alloc_string"));
	CU_ASSERT_PTR_NULL(demangle("camlPlain"));
	CU_ASSERT_PTR_NULL(demangle("camlW$zz"));
}

static void
check(const char *name, const char *expected)
{
	struct buf text = {0};

	CU_ASSERT_EQUAL(java_name(name, &text), expected[0] != '\0');
	UNIT_STR_EQ(buf_text(&text), expected);
	buf_release(&text);
}

/* As `java -XX:+DumpPerfMapAtExit` writes the same methods. */
static void
test_methods(void)
{
	check("LTruth;seven(D)V", "void Truth.seven(double)");
	check("LTruth;main([Ljava/lang/String;)V", "void Truth.main(java.lang.String[])");
	check("Lorg/a/B;add([[IJLjava/util/List;Z)[B",
		"byte[] org.a.B.add(int[][], long, java.util.List, boolean)");
	check("Ljava/lang/Object;<init>()V", "void java.lang.Object.<init>()");
	check("La/B$C;lambda$run$0(CSF)La/B$C;", "a.B$C a.B$C.lambda$run$0(char, short, float)");
}

static void
test_others(void)
{
	check("", "");
	check("L", "");
	check("Interpreter", "");
	check("StubRoutines (1)", "");
	check("LazyCompile:*f a.js:1", "");
	check("void Truth.seven(double)", "");
	check("LTruth;seven", "");
	check("LTruth;seven(D", "");
	check("LTruth;seven(D)", "");
	check("LTruth;seven(D)VV", "");
	check("LTruth;seven(Q)V", "");
	check("LTruth;(D)V", "");
	check("L;seven(D)V", "");
	check("LTruth;seven(Ljava/lang)V;)V", "");
	check("LTruth;seven([)V", "");
	check("Lseven(LTruth;)V", "");
}

void
suite_elf_demangle(void)
{
	static const struct unit_case cases[] = {
		{"names_of_other_tools_are_shortened", test_shorten},
		{"what_is_not_mangled_is_left_alone", test_plain},
		{"parameters_and_qualifiers_are_cut_off", test_parameters},
		{"return_types_of_templates_are_cut_off", test_return_type},
		{"tables_keep_their_words_and_rust_loses_its_hash", test_special},
		{"rust_names_of_both_schemes_are_read", test_rust},
		{"names_made_to_exhaust_us_are_left_alone", test_hostile},
		{"names_that_keep_their_demangler_silent_are_left_alone", test_silent},
		{"names_of_d_lose_their_parameters", test_d},
		{"names_of_d_made_to_exhaust_us_are_left_alone", test_d_hostile},
		{"names_of_ocaml_lose_their_numbers", test_ocaml},
		{"methods_are_named_as_the_jvm_names_them", test_methods},
		{"other_names_are_not_changed", test_others},
		{NULL, NULL},
	};

	unit_suite("elf/demangle", cases);
}
