#include "compare/effect.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
	effect_put_change(effect->change, out);
	buf_printf(out, " [%.1f, %.1f]  p ", effect->low * 100, effect->high * 100);
	effect_put_p(isnan(effect->p_adjusted) ? effect->p : effect->p_adjusted, out);
	if (isfinite(effect->detectable)) {
		buf_puts(out, "  could see ");
		effect_put_ratio(effect->detectable, out);
	}
}
