/* What is said of a box: in the line below the picture, in tooltips and to a screen reader. */

const number = (value) => value.toLocaleString("en-US", { maximumFractionDigits: 3 });

function percent(ratio) {
	const size = Math.abs(ratio * 100);

	if (size > 0 && size < 0.005) {
		return "<0.01 %";
	}
	return (ratio * 100).toFixed(size >= 99.95 ? 0 : size >= 0.995 || size === 0 ? 1 : 2) + " %";
}

const SCALES = {
	ns: [1000, "ns", "\u00b5s", "ms", "s"],
	bytes: [1024, "B", "KiB", "MiB", "GiB", "TiB"],
	B: [1024, "B", "KiB", "MiB", "GiB", "TiB"],
};

function cost(value, unit) {
	const scale = SCALES[unit];
	let i = 1;

	if (!scale) {
		return number(Math.abs(value) < 100 ? value : Math.round(value)) + " " + unit;
	}
	for (; i + 1 < scale.length && Math.abs(value) >= scale[0] * 0.9995; i++) {
		value /= scale[0];
	}
	const size = Math.abs(value);

	return value.toFixed(size >= 99.95 || size === 0 ? 0 : size >= 9.995 ? 1 : 2) + " " + scale[i];
}

const costs = (before, after, unit) =>
	cost(before, unit).replace(unit in SCALES ? "" : " " + unit, "") + " \u2192 " + cost(after, unit);

/* +7.2 %, or a factor where that reads better. */
function ratioText(ratio) {
	const size = Math.abs(ratio) * 100;

	if (ratio >= 2) {
		return "\u00d7" + (ratio + 1).toFixed(ratio < 9 ? 1 : 0);
	}
	return (ratio < 0 ? "\u2212" : "+") + size.toFixed(size < 10 ? 1 : 0) + " %";
}

/* `half` is 100 times the half width of the interval of the ratio's logarithm. */
function intervalText(ratio, half) {
	const end = (sign) => {
		const factor = (1 + ratio) * Math.exp(sign * half / 100);
		/* Where the change is one, so are the ends. */
		const value = ratio >= 2 ? factor : (factor - 1) * 100;

		return (value < 0 ? "\u2212" : "") + Math.abs(value).toFixed(Math.abs(value) < 9.95 ? 1 : 0);
	};

	return half > 0 ? " [" + end(-1) + ", " + end(1) + "]" : "";
}

/* The words of flamegraph/svg.h. */
function change(graph, title, side, verdict) {
	const [before, after] = ["before", "after"].map((which) => share(side[which], graph.whole[which]));
	const ratio = after / before / graph.drift - 1;
	const text = title + " " + percent(before) + " \u2192 " + percent(after) + ", " +
		costs(side.before, side.after, graph.unit) + (graph.several ? " a run" : "");

	if (!verdict) {
		return text;
	}
	return text + ", " + (before > 0 && after > 0 ? ratioText(ratio) + intervalText(ratio, side.half)
		: after > 0 ? "new" : "gone") + ", " + verdict;
}

const verdictOf = (kind) => (/^[zqo]/.test(kind) ? "within noise" : "significant");

/* Name, total, self. */
function lines(graph, i) {
	const box = graph.boxes[i];
	const name = nameOf(graph, box);
	const { unit } = graph;
	const weight = (value) => (unit in SCALES ? cost(value, unit) : number(value) + " " + unit) + ", " +
		percent(share(value, graph.boxes[0].width));

	if (graph.diff && box.name === GATHERED) {
		return [name];
	}
	if (graph.diff) {
		const hasSelf = box.self.before > 0 || box.self.after > 0;
		const verdict = (kind) => (i > 0 ? verdictOf(kind) : "");

		classOf(graph, box, i);
		return [name, change(graph, "total", box.total, verdict(box.base))].concat(hasSelf
			? change(graph, "self", box.self, verdict(box.selfClass)) : []);
	}
	if (box.name === GATHERED) {
		return [box.self + " called function" + (box.self === 1 ? "" : "s") + " too small to draw",
			weight(box.width)];
	}
	return [name, weight(box.width)].concat(box.self > 0 ? "self " + weight(box.self) : []);
}

function tooltip(graph, i) {
	const where = graph.names[graph.boxes[i].name].slice(1).filter(Boolean).join("  ");

	return lines(graph, i).concat(where || []).join("\n");
}
