#include "gate/verdict.h"

#include "base/mem.h"
#include "unit.h"

#include <math.h>

void suite_gate_verdict(void);

static struct finding
of(enum finding_rule rule, enum status status, const char *subject, double change, double share)
{
	struct finding finding = finding_of(rule, subject);

	finding.status = status;
	finding.effect.tested = !isnan(change);
	finding.effect.change = change;
	finding.effect.before_share = share;
	return finding;
}

/* Its findings are copied, as verdict_end() wants them to be its own. */
static void
end(struct verdict *verdict, const struct finding *findings, size_t count)
{
	struct finding *own = mem_zalloc(count + 1, sizeof(*own));

	verdict_init(verdict);
	for (size_t i = 0; i < count; i++)
		own[i] = findings[i];
	verdict_end(verdict, own, count);
}

static void
findings_are_listed_by_severity_rule_and_worth(void)
{
	struct finding added = of(FINDING_FUNCTIONS, STATUS_WARN, "added", NAN, NAN);
	struct finding twice = of(FINDING_VALIDITY, STATUS_WARN, "runs", NAN, NAN);
	const char *const order[] = {"errors", "slower", "worth 12 %", "worth 6 %", "whole program",
		"undecided", "runs", "runs", "added", "a", "b", "nothing", "passes"};
	const size_t count = sizeof(order) / sizeof(order[0]);
	struct verdict verdict;

	added.effect.after_share = 0.05;
	twice.reason = "another";
	const struct finding findings[] = {
		of(FINDING_FUNCTIONS, STATUS_PASS, "passes", 0, 0.5),
		of(FINDING_FUNCTIONS, STATUS_WARN, "b", 0.1, 0.1),
		of(FINDING_FUNCTIONS, STATUS_WARN, "nothing", NAN, 0.9),
		of(FINDING_FUNCTIONS, STATUS_WARN, "a", 0.1, 0.1),
		added,
		of(FINDING_FUNCTIONS, STATUS_FAIL, "worth 6 %", 0.6, 0.1),
		of(FINDING_TOTAL, STATUS_FAIL, "whole program", 0.9, 1),
		of(FINDING_FUNCTIONS, STATUS_FAIL, "worth 12 %", 0.3, 0.4),
		twice,
		of(FINDING_VALIDITY, STATUS_WARN, "runs", NAN, NAN),
		of(FINDING_MEASUREMENT, STATUS_ERROR, "errors", NAN, NAN),
		of(FINDING_COUNTERS, STATUS_INCONCLUSIVE, "undecided", 0.1, NAN),
		of(FINDING_SELF_CHECK, STATUS_FAIL, "slower", NAN, NAN),
	};

	end(&verdict, findings, count);
	for (size_t i = 0; i < count; i++)
		UNIT_STR_EQ(verdict.findings[i].subject, order[i]);
	UNIT_STR_EQ(verdict.findings[6].reason, "");
	UNIT_STR_EQ(verdict.findings[7].reason, "another");
	CU_ASSERT_EQUAL(verdict.status, STATUS_ERROR);
	CU_ASSERT_EQUAL(verdict_findings_with(&verdict, STATUS_FAIL), 4);
	CU_ASSERT_EQUAL(verdict_findings_with(&verdict, STATUS_SKIPPED), 0);
	CU_ASSERT_EQUAL(verdict.ntested, 7);
	verdict_release(&verdict);
}

static void
the_least_sensitive_test_is_told(void)
{
	struct finding findings[4];
	struct verdict verdict;

	for (size_t i = 0; i < 4; i++) {
		findings[i] = of(FINDING_FUNCTIONS, STATUS_PASS, "f", 0, 0.1);
		findings[i].asked = 0.2;
		findings[i].effect.detectable = i == 1 ? 0.3 : 0.1;
	}
	/* Neither without a threshold, nor untested. */
	findings[2].asked = NAN;
	findings[2].effect.detectable = 9;
	findings[3].effect.tested = false;
	findings[3].effect.detectable = 9;
	end(&verdict, findings, 4);
	UNIT_NEAR(verdict.detectable, 1.5, 1e-12);
	CU_ASSERT_EQUAL(verdict.ntested, 3);
	CU_ASSERT_FALSE(verdict.unconfirmed);
	verdict_release(&verdict);
	findings[0].unconfirmed = true;
	end(&verdict, findings, 1);
	CU_ASSERT(verdict.unconfirmed);
	UNIT_NEAR(verdict.detectable, 0.5, 1e-12);
	verdict_release(&verdict);
}

static void
without_findings_a_verdict_passes(void)
{
	struct verdict verdict;

	end(&verdict, NULL, 0);
	CU_ASSERT_EQUAL(verdict.status, STATUS_PASS);
	CU_ASSERT(isnan(verdict.detectable));
	UNIT_STR_EQ(verdict.mode, "none");
	verdict_release(&verdict);
	/* Again, as of one that is empty. */
	verdict_release(&verdict);
}

static void
an_accepted_finding_is_called_so(void)
{
	struct finding finding = of(FINDING_FUNCTIONS, STATUS_PASS, "f", 0.2, 0.1);

	UNIT_STR_EQ(finding_verdict(&finding), "pass");
	finding = finding_of(FINDING_FUNCTIONS, "f");
	CU_ASSERT(isnan(finding.effect.change) && isnan(finding.first.change));
	CU_ASSERT(isnan(finding.effect.before_share) && isnan(finding.fail_at));
	finding.accepted = true;
	UNIT_STR_EQ(finding_verdict(&finding), "accepted");
	UNIT_STR_EQ(quantity_name(QUANTITY_SELF), "self");
	UNIT_STR_EQ(quantity_name(QUANTITY_TOTAL), "total");
	UNIT_STR_EQ(finding_rule_name(FINDING_NAMED), "rule");
}

void
suite_gate_verdict(void)
{
	static const struct unit_case cases[] = {
		{"findings_are_listed_by_severity_rule_and_worth",
			findings_are_listed_by_severity_rule_and_worth},
		{"the_least_sensitive_test_is_told", the_least_sensitive_test_is_told},
		{"without_findings_a_verdict_passes", without_findings_a_verdict_passes},
		{"an_accepted_finding_is_called_so", an_accepted_finding_is_called_so},
		{NULL, NULL},
	};

	unit_suite("gate/verdict", cases);
}
