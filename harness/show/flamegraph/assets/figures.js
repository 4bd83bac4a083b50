/* What is said of a box: in the line below the picture, in tooltips and to a screen reader. */

/* Numbers by the rules of format/figures.h. */

const number = (value) => value.toLocaleString("en-US", {
	maximumFractionDigits: Number.isInteger(value) || Math.abs(value) >= 99.9995 ? 0 : 3 });

/* As printf rounds: of two that are as near, to the even one. */
function fixed(value, decimals) {
	const scaled = Math.abs(value) * 10 ** decimals;
	const below = Math.floor(scaled);

	return (scaled - below === 0.5 && below % 2 === 0 ? Math.sign(value) * below / 10 ** decimals
		: value).toFixed(decimals);
}

function percent(ratio) {
	const size = Math.abs(ratio * 100);

	return fixed(ratio * 100, ratio === 0 || Math.abs(size - 100) < 1e-7 ? 0
		: size >= 0.995 ? 1 : size >= 0.0995 ? 2 : 3) + " %";
}

const decimalsOfThree = (value) => (value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);

const SCALES = {
	ns: [1000, "ns", "us", "ms", "s"],
	bytes: [1024, "B", "KiB", "MiB", "GiB", "TiB"],
	B: [1024, "B", "KiB", "MiB", "GiB", "TiB"],
};

function cost(value, unit) {
	const scale = SCALES[unit];
	let i = 1;

	if (!scale) {
		return number(value) + " " + unit;
	}
	if (value === 0) {
		return "0";
	}
	if (unit === "ns" && value >= 99.95e9) {
		const seconds = Math.round(value / 1e9);

		return number(Math.floor(seconds / 60)) + " min " + seconds % 60 + " s";
	}
	for (; i + 1 < scale.length && value >= scale[0] * 0.9995; i++) {
		value /= scale[0];
	}
	return (i === 1 && Number.isInteger(value) || value >= 999.5 ? number(value)
		: fixed(value, decimalsOfThree(value))) + " " + scale[i];
}

const costs = (before, after, unit) =>
	(unit in SCALES ? cost(before, unit) : number(before)) + " \u2192 " + cost(after, unit);

/* From this change on, 9 being 10x, the ratio is one over almost nothing: format/figures.h. */
const FACTOR_MOST = 9;

/* `half` and `skew` as flamegraph/svg.h has them; a half of 0 and NaN: none. */
function ratioText(ratio, half, skew) {
	const [low, high] = [-1, 1].map((sign) =>
		(1 + ratio) * Math.exp((skew + sign * half) / 100) - 1);
	const size = Math.abs(ratio);
	const decimals = ratio >= 2 ? decimalsOfThree(1 + ratio)
		: !(high - low < 0.0005) || size >= 0.1 ? 1 : size >= 0.01 ? 2 : 3;
	const end = (value) => (value > FACTOR_MOST && half > 0 ? "any" : ratio < 2 ? fixed(value * 100, decimals)
		: decimals > 0 ? fixed(1 + value, decimals) : number(Math.round(1 + value)));

	if (ratio > FACTOR_MOST && half !== 0) {
		return ">" + (FACTOR_MOST + 1) + "x";
	}
	return (ratio < 2 ? (ratio < 0 ? "" : "+") + end(ratio) + " %" : end(ratio) + "x") +
		(half > 0 ? " [" + end(low) + ", " + end(high) + "]" : "");
}

/* The words of flamegraph/svg.h. */
function change(graph, title, side, verdict) {
	const [before, after] = ["before", "after"].map((which) => share(side[which], graph.whole[which]));
	const text = title + " " + percent(before) + " \u2192 " + percent(after) + ", " +
		costs(side.before, side.after, graph.unit) + (graph.per ? " per " + graph.per : "");

	if (!verdict) {
		return text;
	}
	return text + ", " + (before > 0 && after > 0 ? ratioText(side.ratio, side.half, side.skew)
		: after > 0 ? "new" : "gone") + ", " + verdict;
}

const verdictOf = (kind) => (/^[zqo]/.test(kind) ? "within noise" : "significant");

/* "of parse", where that is zoomed to and not all. */
const partOf = (graph, value) => (graph.zoomed === 0 && !graph.sandwich ? ""
	: ", " + percent(share(value, graph.boxes[graph.zoomed].width)) + " of " +
		label(nameOf(graph, graph.boxes[graph.zoomed]), 40));

/* Name, total, self. */
function lines(graph, i) {
	const box = graph.boxes[i];
	const name = nameOf(graph, box);
	const weight = (value) => cost(value, graph.unit) + ", " + percent(share(value, graph.all)) +
		(i === graph.zoomed ? "" : partOf(graph, value));

	if (graph.diff && box.name === GATHERED) {
		return [name];
	}
	if (graph.diff) {
		const hasSelf = box.self.before > 0 || box.self.after > 0;
		const verdict = (kind) => (i > 0 ? verdictOf(kind) : "");

		return [name, change(graph, "total", box.total, verdict(box.total.kind))].concat(hasSelf
			? change(graph, "self", box.self, verdict(box.self.kind)) : []);
	}
	if (box.name === GATHERED) {
		return [box.self + " called function" + (box.self === 1 ? "" : "s") + " too small to draw",
			weight(box.width)];
	}
	return [name, weight(box.width)].concat(box.self > 0 ? "self " + weight(box.self) : []);
}

/* The lines of a tooltip: with module and place. */
function tooltip(graph, i) {
	const where = graph.names[graph.boxes[i].name].slice(2).filter(Boolean).join("  ");

	return lines(graph, i).concat(where || []);
}
