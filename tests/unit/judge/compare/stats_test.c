/* Reference values: tests/unit/judge/compare/reference.py. */
#include "compare/stats.h"

#include "unit.h"

#include <math.h>

void suite_compare_stats(void);

/* t, df, P(T > t) */
static const double survival[][3] = {
	{0, 1, 0.5},
	{0.001, 1, 0.49968169021991943},
	{0.5, 1, 0.35241638234956679},
	{1.3, 1, 0.20871440016015264},
	{2, 1, 0.14758361765043321},
	{3.5, 1, 0.088585532782904736},
	{6, 1, 0.052568456711253424},
	{12, 1, 0.026464676059589871},
	{40, 1, 0.007956089912025812},
	{0, 2.5, 0.5},
	{0.001, 2.5, 0.49963819136039245},
	{0.5, 2.5, 0.32884895993485741},
	{1.3, 2.5, 0.15024339463535397},
	{2, 2.5, 0.078695747878982994},
	{3.5, 2.5, 0.026172773480160158},
	{6, 2.5, 0.0076408649427614468},
	{12, 2.5, 0.0014181075150391613},
	{40, 2.5, 7.0978171452466926e-05},
	{0, 4, 0.5},
	{0.001, 4, 0.49962500007812499},
	{0.5, 4, 0.32166498159093165},
	{1.3, 4, 0.13172579823561206},
	{2, 4, 0.058058261758407753},
	{3.5, 4, 0.012448081730111376},
	{6, 4, 0.001941268523480256},
	{12, 4, 0.00013821427425148651},
	{40, 4, 1.1670081613006347e-06},
	{0, 9, 0.5},
	{0.001, 9, 0.49961196516298667},
	{0.5, 9, 0.31453564991301319},
	{1.3, 9, 0.11295318633652469},
	{2, 9, 0.038276411885350463},
	{3.5, 9, 0.0033617578815294761},
	{6, 9, 0.00010124966103382041},
	{12, 9, 3.8499431114928223e-07},
	{40, 9, 9.4914992246699174e-12},
	{0, 18, 0.5},
	{0.001, 18, 0.49960655755249361},
	{0.5, 18, 0.31156622864829314},
	{1.3, 18, 0.10500120953565502},
	{2, 18, 0.030410732834666266},
	{3.5, 18, 0.001278363683385743},
	{6, 18, 5.6349855530039284e-06},
	{12, 18, 2.5232555512818254e-10},
	{40, 18, 2.4326308461524985e-19},
	{0, 29.5, 0.5},
	{0.001, 29.5, 0.4996044237280779},
	{0.5, 29.5, 0.3103922453103366},
	{1.3, 29.5, 0.10183361559561332},
	{2, 29.5, 0.027390806292084548},
	{3.5, 29.5, 0.00075005624032928244},
	{6, 29.5, 7.4459811530876455e-07},
	{12, 29.5, 3.5498683290606483e-13},
	{40, 29.5, 1.4726701710179274e-27},
	{0, 31, 0.5},
	{0.001, 31, 0.49960426157324822},
	{0.5, 31, 0.31030297562385956},
	{1.3, 31, 0.10159218156829387},
	{2, 31, 0.027163607683587852},
	{3.5, 31, 0.00071652139387360801},
	{6, 31, 6.1354809764335023e-07},
	{12, 31, 1.7389634002098648e-13},
	{40, 31, 1.5090709622210238e-28},
	{0, 78, 0.5},
	{0.001, 78, 0.49960233436602308},
	{0.5, 78, 0.30924138452367345},
	{1.3, 78, 0.098714757323258934},
	{2, 78, 0.024490671546890462},
	{3.5, 78, 0.00038619854009719091},
	{6, 78, 2.9180974935061432e-08},
	{12, 78, 1.0678146962751304e-19},
	{40, 78, 4.8791679074624807e-54},
	{0, 400, 0.5},
	{0.001, 400, 0.49960130704697703},
	{0.5, 400, 0.3086750109517819},
	{1.3, 400, 0.097174785944076483},
	{2, 400, 0.023087972586784074},
	{3.5, 400, 0.00025880491464358929},
	{6, 400, 2.2112003409057481e-09},
	{12, 400, 7.5421316915329486e-29},
	{40, 400, 3.5792588561499217e-142},
	{0, 10000, 0.5},
	{0.001, 10000, 0.49960106775952628},
	{0.5, 10000, 0.30854303966161667},
	{1.3, 10000, 0.096815466091134339},
	{2, 10000, 0.022763630330717727},
	{3.5, 10000, 0.00023364224593346248},
	{6, 10000, 1.0208092364613102e-09},
	{12, 10000, 2.989889803905616e-33},
	{0, INFINITY, 0.5},
	{0.001, INFINITY, 0.49960105778608893},
	{0.5, INFINITY, 0.30853753872598688},
	{1.3, INFINITY, 0.096800484585610358},
	{2, INFINITY, 0.022750131948179195},
	{3.5, INFINITY, 0.00023262907903552502},
	{6, INFINITY, 9.8658764503769458e-10},
	{12, INFINITY, 1.776482112077653e-33},
};

/* f, df1, df2, P(F > f) */
static const double survival_f[][4] = {
	{0.1, 1, 1, 0.80501777095786331},
	{1, 1, 1, 0.5},
	{4, 1, 1, 0.29516723530086653},
	{12.5, 1, 1, 0.17547965609182181},
	{80, 1, 1, 0.070881891204920042},
	{0.1, 3, 4, 0.95585841048329623},
	{1, 3, 4, 0.47894911923242633},
	{4, 3, 4, 0.10691130234729765},
	{12.5, 3, 4, 0.016848900060914836},
	{80, 3, 4, 0.00050113474778678896},
	{0.1, 8, 8, 0.9980925399587246},
	{1, 8, 8, 0.5},
	{4, 8, 8, 0.033343999999999999},
	{12.5, 8, 8, 0.00087772638474261277},
	{80, 8, 8, 7.8922606984986872e-07},
	{0.1, 18, 8, 0.9999695250405588},
	{1, 18, 8, 0.5310496483787619},
	{4, 18, 8, 0.025637470164999999},
	{12.5, 18, 8, 0.00055103900426651295},
	{80, 18, 8, 4.4515432665627706e-07},
	{0.1, 8, 44.5, 0.99904943180000849},
	{1, 8, 44.5, 0.4495178652804826},
	{4, 8, 44.5, 0.0012129711400067403},
	{12.5, 8, 44.5, 3.4651262907376129e-09},
	{80, 8, 44.5, 7.5948035806111865e-24},
	{0.1, 100, 200, 1},
	{1, 100, 200, 0.49231461314045272},
	{4, 100, 200, 4.0314491718825719e-17},
	{12.5, 100, 200, 4.671450339196874e-50},
	{80, 100, 200, 1.0669307382978851e-122},
};

/* p, df, t */
static const double quantile[][3] = {
	{0.40000000000000002, 1, 0.32491969623290623},
	{0.050000000000000003, 1, 6.3137515146750429},
	{0.025000000000000001, 1, 12.706204736174705},
	{0.00033333333333333338, 1, 954.92930948549599},
	{1.0000000000000001e-09, 1, 318309886.18379062},
	{0.40000000000000002, 2.5, 0.28145951274854758},
	{0.050000000000000003, 2.5, 2.5582186141359364},
	{0.025000000000000001, 2.5, 3.574654842003683},
	{0.00033333333333333338, 2.5, 21.513552519461431},
	{1.0000000000000001e-09, 2.5, 3489.5833953699816},
	{0.40000000000000002, 4, 0.27072229470759734},
	{0.050000000000000003, 4, 2.1318467863266504},
	{0.025000000000000001, 4, 2.7764451051977943},
	{0.00033333333333333338, 4, 9.5678584012240346},
	{1.0000000000000001e-09, 4, 234.02761040611892},
	{0.40000000000000002, 9, 0.26095533647391095},
	{0.050000000000000003, 9, 1.8331129326562372},
	{0.025000000000000001, 9, 2.2621571627982053},
	{0.00033333333333333338, 9, 5.0757414187552214},
	{1.0000000000000001e-09, 9, 23.729919819378502},
	{0.40000000000000002, 18, 0.2571230426381706},
	{0.050000000000000003, 18, 1.7340636066175388},
	{0.025000000000000001, 18, 2.1009220402410387},
	{0.00033333333333333338, 18, 4.1037293936612036},
	{1.0000000000000001e-09, 18, 11.007224077510063},
	{0.40000000000000002, 29.5, 0.25564383324415657},
	{0.050000000000000003, 29.5, 1.6981776388380059},
	{0.025000000000000001, 29.5, 2.0437249667721233},
	{0.00033333333333333338, 29.5, 3.8033901206323382},
	{1.0000000000000001e-09, 29.5, 8.4999454198525939},
	{0.40000000000000002, 31, 0.25553216831752767},
	{0.050000000000000003, 31, 1.6955187825458655},
	{0.025000000000000001, 31, 2.0395134463964086},
	{0.00033333333333333338, 31, 3.7821544168387899},
	{1.0000000000000001e-09, 31, 8.344316303447016},
	{0.40000000000000002, 78, 0.25421296813061051},
	{0.050000000000000003, 78, 1.6646246445066153},
	{0.025000000000000001, 78, 1.9908470688116908},
	{0.00033333333333333338, 78, 3.5452844789655096},
	{1.0000000000000001e-09, 78, 6.7867057527262915},
	{0.40000000000000002, 400, 0.25351567483128667},
	{0.050000000000000003, 400, 1.6486719414654145},
	{0.025000000000000001, 400, 1.9659123432294632},
	{0.00033333333333333338, 400, 3.4298795726316134},
	{1.0000000000000001e-09, 400, 6.1392008917063778},
	{0.40000000000000002, 10000, 0.25335384344572681},
	{0.050000000000000003, 10000, 1.645006018069243},
	{0.025000000000000001, 10000, 1.9602012398906263},
	{0.00033333333333333338, 10000, 3.4040033581389517},
	{1.0000000000000001e-09, 10000, 6.0033554479471416},
	{0.40000000000000002, INFINITY, 0.25334710313579972},
	{0.050000000000000003, INFINITY, 1.6448536269514726},
	{0.025000000000000001, INFINITY, 1.9599639845400543},
	{0.00033333333333333338, INFINITY, 3.4029328353853043},
	{1.0000000000000001e-09, INFINITY, 5.9978070150076865},
};

static double
relative_error(double actual, double expected)
{
	return fabs(actual - expected) / fabs(expected);
}

static void
t_tail_agrees_with_the_reference_to_1e_12(void)
{
	for (size_t i = 0; i < sizeof(survival) / sizeof(survival[0]); i++) {
		const double *row = survival[i];

		CU_ASSERT(relative_error(stats_t_survival(row[0], row[1]), row[2]) < 1e-12);
		UNIT_NEAR(stats_t_survival(-row[0], row[1]), 1 - row[2], 1e-12);
	}
}

static void
t_quantile_agrees_with_the_reference(void)
{
	for (size_t i = 0; i < sizeof(quantile) / sizeof(quantile[0]); i++) {
		const double *row = quantile[i];

		CU_ASSERT(relative_error(stats_t_quantile(row[0], row[1]), row[2]) < 1e-11);
		if (row[0] > 0.01)
			UNIT_NEAR(stats_t_quantile(1 - row[0], row[1]), -row[2], 1e-12);
	}
}

/* From p to t and back, far out and with few degrees of freedom. */
static void
t_quantile_is_the_inverse_of_the_tail(void)
{
	static const double dfs[] = {0.5, 1, 3, 29.9, 30.1, 1000, 9e5, 2e6};

	for (size_t i = 0; i < sizeof(dfs) / sizeof(dfs[0]); i++) {
		double above = INFINITY;

		for (int power = 0; power < 71; power++) {
			const double p = 1e-60 * pow(7, power);
			const double t = stats_t_quantile(p, dfs[i]);

			CU_ASSERT(relative_error(stats_t_survival(t, dfs[i]), p) < 1e-9);
			CU_ASSERT(t > 0 && t < above);
			above = t;
		}
	}
}

static void
survival_of_f_is_that_of_the_reference(void)
{
	for (size_t i = 0; i < sizeof(survival_f) / sizeof(survival_f[0]); i++) {
		const double *row = survival_f[i];

		CU_ASSERT(relative_error(stats_f_survival(row[0], row[1], row[2]), row[3]) < 1e-10);
	}
	CU_ASSERT_EQUAL(stats_f_survival(-1, 3, 4), 1);
	CU_ASSERT_EQUAL(stats_f_survival(INFINITY, 3, 4), 0);
	CU_ASSERT(isnan(stats_f_survival(NAN, 3, 4)));
	CU_ASSERT(isnan(stats_f_survival(2, 0, 4)));
}

static void
values_that_are_no_numbers_give_none(void)
{
	CU_ASSERT(isnan(stats_t_survival(NAN, 3)));
	CU_ASSERT(isnan(stats_t_survival(1, 0)));
	CU_ASSERT(isnan(stats_t_quantile(0, 3)));
	CU_ASSERT(isnan(stats_t_quantile(0.1, NAN)));
	CU_ASSERT_EQUAL(stats_t_survival(INFINITY, 3), 0);
	CU_ASSERT_EQUAL(stats_t_survival(-INFINITY, 3), 1);
	UNIT_NEAR(stats_t_quantile(0.5, 7), 0, 1e-12);
}

/* Worked by hand: 4 * .01, then 3 * .02, then 2 * .03 under it, .2 last; the NAN does not count. */
static void
holm_steps_down(void)
{
	const double p[] = {0.03, 0.01, NAN, 0.2, 0.02};
	double adjusted[5];

	stats_holm(p, adjusted, 5, 0);
	UNIT_NEAR(adjusted[0], 0.06, 1e-15);
	UNIT_NEAR(adjusted[1], 0.04, 1e-15);
	CU_ASSERT(isnan(adjusted[2]));
	UNIT_NEAR(adjusted[3], 0.2, 1e-15);
	UNIT_NEAR(adjusted[4], 0.06, 1e-15);
}

/* By hand: of 7 tests, 7 * .01, then 6 * .02, then 5 * .03, 4 * .2. */
static void
holm_counts_tests_that_are_elsewhere(void)
{
	const double p[] = {0.03, 0.01, NAN, 0.2, 0.02};
	double adjusted[5];

	stats_holm(p, adjusted, 5, 3);
	UNIT_NEAR(adjusted[0], 0.15, 1e-15);
	UNIT_NEAR(adjusted[1], 0.07, 1e-15);
	CU_ASSERT(isnan(adjusted[2]));
	UNIT_NEAR(adjusted[3], 0.8, 1e-15);
	UNIT_NEAR(adjusted[4], 0.12, 1e-15);
}

/* Whatever those elsewhere are: over all of them, p is between the two. */
static void
holm_over_a_part_is_less_and_with_those_elsewhere_more(void)
{
	const double p[] = {0.004, 0.02, 0.3, 0.0005, 0.004, 0.019, 0.8, 0.01};
	double all[8];
	double part[4];
	double bound[4];

	stats_holm(p, all, 8, 0);
	stats_holm(p, part, 4, 0);
	stats_holm(p, bound, 4, 4);
	for (size_t i = 0; i < 4; i++)
		CU_ASSERT(part[i] <= all[i] && all[i] <= bound[i]);
}

static void
holm_is_at_most_one(void)
{
	const double p[] = {0.9, 0.8};
	double adjusted[2];

	stats_holm(p, adjusted, 2, 0);
	CU_ASSERT_EQUAL(adjusted[0], 1);
	CU_ASSERT_EQUAL(adjusted[1], 1);
	stats_holm(NULL, NULL, 0, 0);
}

static void
sum_does_not_depend_on_order(void)
{
	double a[] = {1e16, 1, -1e16, 0.1, 3};
	double b[] = {3, 0.1, 1, -1e16, 1e16};

	CU_ASSERT_EQUAL(stats_sum(a, 5), stats_sum(b, 5));
	CU_ASSERT_EQUAL(stats_sum(NULL, 0), 0);
}

static void
weighted_median_has_half_the_weight_below(void)
{
	struct stats_weighted items[] = {{3, 0.2}, {1, 0.3}, {2, 0.4}};
	struct stats_weighted even[] = {{1, 1}, {2, 1}};

	CU_ASSERT_EQUAL(stats_weighted_median(items, 3), 2);
	CU_ASSERT_EQUAL(stats_weighted_median(items, 1), 1);
	CU_ASSERT_EQUAL(stats_weighted_median(even, 2), 1.5);
	CU_ASSERT(isnan(stats_weighted_median(items, 0)));
	/* What weighs nothing is passed over, but where half of the weight lies on either side. */
	struct stats_weighted zeros[] = {{1, 0}, {2, 1}, {3, 0}, {4, 3}, {5, 0}};
	struct stats_weighted between[] = {{9, 2}, {1, 2}, {4, 0}};
	struct stats_weighted none[] = {{1, 0}, {2, 0}};

	CU_ASSERT_EQUAL(stats_weighted_median(zeros, 5), 4);
	CU_ASSERT_EQUAL(stats_weighted_median(between, 3), 2.5);
	CU_ASSERT(isnan(stats_weighted_median(none, 2)));
}

static void
medians_lie_in_the_middle(void)
{
	double odd[] = {5, -1, 3};
	double even[] = {8, 1, 4, 2};

	CU_ASSERT_EQUAL(stats_median(odd, 3), 3);
	CU_ASSERT_EQUAL(stats_median(even, 4), 3);
	CU_ASSERT_EQUAL(stats_median(odd, 1), -1);
	CU_ASSERT(isnan(stats_median(odd, 0)));
}

/* Equal variances of 9 degrees each make 18; a known variance adds none. */
static void
satterthwaite_adds_equal_degrees(void)
{
	UNIT_NEAR(stats_satterthwaite(2, 9, 2, 9), 18, 1e-12);
	UNIT_NEAR(stats_satterthwaite(1, 9, 1, INFINITY), 36, 1e-12);
	UNIT_NEAR(stats_satterthwaite(1, INFINITY, 3, 4), 16 * 4 / 9.0, 1e-12);
	/* (2 + 3)^2 / (4 / 5 + 9 / 6). */
	UNIT_NEAR(stats_satterthwaite(2, 5, 3, 6), 25 / 2.3, 1e-12);
	CU_ASSERT(isinf(stats_satterthwaite(0, 9, 0, 9)));
}

void
suite_compare_stats(void)
{
	static const struct unit_case cases[] = {
		{"t_tail_agrees_with_the_reference_to_1e_12",
			t_tail_agrees_with_the_reference_to_1e_12},
		{"t_quantile_agrees_with_the_reference", t_quantile_agrees_with_the_reference},
		{"t_quantile_is_the_inverse_of_the_tail", t_quantile_is_the_inverse_of_the_tail},
		{"medians_lie_in_the_middle", medians_lie_in_the_middle},
		{"survival_of_f_is_that_of_the_reference", survival_of_f_is_that_of_the_reference},
		{"values_that_are_no_numbers_give_none", values_that_are_no_numbers_give_none},
		{"holm_steps_down", holm_steps_down},
		{"holm_counts_tests_that_are_elsewhere", holm_counts_tests_that_are_elsewhere},
		{"holm_over_a_part_is_less_and_with_those_elsewhere_more",
			holm_over_a_part_is_less_and_with_those_elsewhere_more},
		{"holm_is_at_most_one", holm_is_at_most_one},
		{"sum_does_not_depend_on_order", sum_does_not_depend_on_order},
		{"weighted_median_has_half_the_weight_below",
			weighted_median_has_half_the_weight_below},
		{"satterthwaite_adds_equal_degrees", satterthwaite_adds_equal_degrees},
		{NULL, NULL},
	};

	unit_suite("compare/stats", cases);
}
