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

const change = (graph, title, side) =>
	title + " " + percent(share(side.before, graph.whole.before)) + " \u2192 " +
	percent(share(side.after, graph.whole.after)) + ", " +
	costs(side.before, side.after, graph.unit) + (graph.several ? " a run" : "");

function lines(graph, box) {
	if (graph.diff) {
		const text = [nameOf(graph, box), change(graph, "total", box.total)];

		if (box.name !== GATHERED && (box.self.before > 0 || box.self.after > 0)) {
			text.push(change(graph, "self", box.self));
		}
		return text;
	}
	const weight = (value) => number(value) + " " + graph.unit + ", " +
		percent(share(value, graph.boxes[0].width));

	if (box.name === GATHERED) {
		return [box.self + " called functions too small to draw", weight(box.width)];
	}
	return box.self > 0
		? [nameOf(graph, box), weight(box.width), "self " + weight(box.self)]
		: [nameOf(graph, box), weight(box.width)];
}

function tooltip(graph, box) {
	const where = graph.names[box.name].slice(1).filter(Boolean).join("  ");

	return lines(graph, box).concat(where || []).join("\n");
}
