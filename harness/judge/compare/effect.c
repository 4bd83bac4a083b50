#include "compare/effect.h"

#include "format/figures.h"

#include <math.h>

void
effect_clear(struct effect *effect)
{
	*effect = (struct effect){
		.before_cost = NAN,
		.after_cost = NAN,
		.before_share = NAN,
		.after_share = NAN,
		.change = NAN,
		.alpha = NAN,
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

bool
effect_is_exact(const struct effect *effect)
{
	return effect->tested && effect->standard_error == 0 && effect->low == effect->high;
}

bool
effect_excludes_none(const struct effect *effect)
{
	return effect->low > 0 || effect->high < 0;
}

void
effect_put_change(const struct effect *effect, struct buf *out)
{
	if (effect_is_exact(effect) && effect->change == 0)
		buf_puts(out, "0 %");
	else
		format_estimate(out, effect->change, effect->low, effect->high);
}

void
effect_put_interval(const struct effect *effect, struct buf *out)
{
	format_interval(out, effect->change, effect->low, effect->high);
}

void
effect_put_p(const struct effect *effect, struct buf *out)
{
	format_p(out, isnan(effect->p_adjusted) ? effect->p : effect->p_adjusted);
}

void
effect_put_estimate(const struct effect *effect, struct buf *out)
{
	if (effect_is_exact(effect)) {
		effect_put_change(effect, out);
		buf_puts(out, ", the same in every run");
	} else {
		format_estimate_words(
			out, effect->change, effect->low, effect->high, 1 - effect->alpha);
	}
}

void
effect_put_most(const struct effect *effect, const char *slower, struct buf *out)
{
	if (!isfinite(effect->high)) {
		buf_printf(out, "%s by any amount", slower);
	} else if (effect->high <= 0) {
		buf_printf(out, "not %s", slower);
	} else {
		buf_puts(out, "at most ");
		format_percent(out, effect->high);
		buf_printf(out, " %s", slower);
	}
}

static void
put_shares(const struct effect *effect, struct buf *out)
{
	if (isfinite(effect->before_share)) {
		format_percent(out, effect->before_share);
		buf_puts(out, " -> ");
	}
	if (isfinite(effect->after_share)) {
		format_percent(out, effect->after_share);
		buf_puts(out, " of the whole");
	}
}

void
effect_describe(const struct effect *effect, struct buf *out)
{
	if (!effect->tested) {
		put_shares(effect, out);
		return;
	}
	effect_put_estimate(effect, out);
	if (effect_is_exact(effect))
		return;
	buf_puts(out, ", p ");
	effect_put_p(effect, out);
	if (isfinite(effect->detectable)) {
		buf_puts(out, ", detectable from ");
		format_percent(out, effect->detectable);
	}
}
