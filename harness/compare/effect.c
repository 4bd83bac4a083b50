#include "compare/effect.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* An interval that is narrower says more than tenths of a percent. */
#define NARROW 0.0005

void
effect_clear(struct effect *effect)
{
	*effect = (struct effect){
		.before_cost = NAN,
		.after_cost = NAN,
		.before_share = NAN,
		.after_share = NAN,
		.change = NAN,
		.low = NAN,
		.high = NAN,
		.p = NAN,
		.p_adjusted = NAN,
		.detectable = NAN,
		.overdispersion = NAN,
		.standard_error = NAN,
		.df = NAN,
		.spread = NAN,
	};
}

void
effect_put_change(double change, struct buf *out)
{
	if (!isfinite(change))
		buf_putc(out, '-');
	else if (change >= 10)
		buf_printf(out, "%.3g times", 1 + change);
	else
		buf_printf(out, "%+.1f %%", change * 100);
}

bool
effect_is_exact(const struct effect *effect)
{
	return effect->tested && effect->standard_error == 0 && effect->low == effect->high;
}

int
effect_decimals(double size, double width)
{
	if (!(width < NARROW) || fabs(size) >= 0.1)
		return 1;
	return fabs(size) >= 0.01 ? 2 : 3;
}

void
effect_put_own_change(const struct effect *effect, struct buf *out)
{
	double change = effect->change;

	if (effect_is_exact(effect) && change == 0)
		buf_puts(out, "0 %");
	else if (!isfinite(change) || change >= 10)
		effect_put_change(change, out);
	else
		buf_printf(out, "%+.*f %%", effect_decimals(change, effect->high - effect->low),
			change * 100);
}

void
effect_put_p(double p, struct buf *out)
{
	char text[32];

	if (isnan(p)) {
		buf_putc(out, '-');
		return;
	}
	if (p >= 0.00995) {
		buf_printf(out, "%.2f", p);
		return;
	}
	if (p < 1e-99) {
		buf_puts(out, "< 1e-99");
		return;
	}
	snprintf(text, sizeof(text), "%.0e", p);
	/* "4e-04" reads worse than "4e-4". */
	char *zero = strstr(text, "e-0");

	if (zero)
		memmove(zero + 2, zero + 3, strlen(zero + 3) + 1);
	buf_puts(out, text);
}

void
effect_put_ratio(double ratio, struct buf *out)
{
	if (!isfinite(ratio))
		buf_putc(out, '-');
	else
		buf_printf(out, "%.1f %%", ratio * 100);
}

void
effect_describe(const struct effect *effect, struct buf *out)
{
	if (!effect->tested) {
		buf_puts(out, "not tested");
		return;
	}
	effect_put_own_change(effect, out);
	if (effect_is_exact(effect)) {
		buf_puts(out, ", the same in every run");
		return;
	}
	int decimals = effect_decimals(effect->change, effect->high - effect->low);

	buf_printf(out, " [%.*f, %.*f]  p ", decimals, effect->low * 100, decimals,
		effect->high * 100);
	effect_put_p(isnan(effect->p_adjusted) ? effect->p : effect->p_adjusted, out);
	if (isfinite(effect->detectable)) {
		buf_puts(out, "  could see ");
		effect_put_ratio(effect->detectable, out);
	}
}
