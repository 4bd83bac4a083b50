/*
 * The data of a picture and where its boxes are. It stands in the <metadata> elements that
 * flamegraph/svg.h describes. Names in it come from anywhere: they reach the document as text only,
 * never as markup.
 *
 * The files flamegraph_*.js are parts of one function (assets.S) that runs in its own picture
 * and in a page with several. All that belongs to one picture is in its `graph`.
 */

const SVG = "http://www.w3.org/2000/svg";
const HTML = "http://www.w3.org/1999/xhtml";
const MARGIN = 10;
const LEAST_PX = 0.1;
const GATHERED = 0; /* the lines of the names that stand for no function */
const WHOLE = 1;

const share = (value, total) => (total > 0 ? value / total : 0);

function element(parent, name, attributes, text) {
	const made = document.createElementNS(SVG, name);

	for (const key of Object.keys(attributes)) {
		made.setAttribute(key, attributes[key]);
	}
	if (text !== undefined) {
		made.textContent = text;
	}
	parent.appendChild(made);
	return made;
}

const known = (field) => (field === undefined || field === "-" ? NaN : Number(field));

/* Class, costs, change, and its half width with what the interval is shifted by. */
const readChange = ([kind, before, after, ratio, interval]) => {
	const [half, skew] = (interval || "-").split(":");

	return { kind, before: Number(before), after: Number(after), ratio: known(ratio),
		half: known(half), skew: Number(skew || 0) };
};

const NOTHING_CHANGED = { kind: "z", before: 0, after: 0, ratio: NaN, half: NaN, skew: 0 };

/* A box from its fields; those of a difference may lack those of self. */
function readBox(mode, f) {
	const box = {
		depth: Math.abs(Number(f[0])),
		up: f[0].startsWith("-"),
		name: Number(f[1]),
		width: Number(f[2]),
		parent: 0,
		end: 0,
		x: 0,
	};

	if (mode !== "diff") {
		const self = f[mode === "chart" ? 4 : 3];

		box.gap = mode === "chart" ? Number(f[3]) : 0;
		box.self = self === undefined ? NaN : Number(self);
	} else if (box.name === GATHERED) {
		box.total = box.self = { ...NOTHING_CHANGED, kind: "o" };
	} else {
		box.total = readChange(f.slice(3, 8));
		box.self = f[8] === "=" ? box.total : f[8] ? readChange(f.slice(8)) : NOTHING_CHANGED;
	}
	return box;
}

/* Gives each box its parent and the end of its subtree: each stands before those above it. */
function link(boxes) {
	const open = [];

	boxes.forEach((box, i) => {
		box.parent = box.depth > 1 ? open[box.depth - 1] : 0;
		box.end = i + 1;
		open[box.depth] = i;
	});
	for (let i = boxes.length - 1; i > 0; i--) {
		const parent = boxes[boxes[i].parent];

		parent.end = Math.max(parent.end, boxes[i].end);
	}
	return boxes;
}

function readBoxes(mode, text) {
	const boxes = link(text.split("\n").map((line) => readBox(mode, line.split(" "))));

	boxes.forEach((box, i) => {
		/* What is not said: a leaf's self is all of it. */
		if (mode !== "diff" && Number.isNaN(box.self)) {
			box.self = box.end === i + 1 ? box.width : 0;
		}
	});
	return boxes;
}

/* By line of its name: what a function weighs where it is in no box, of each side. */
const readHidden = (text) => [[], []].concat(text.split("\n").filter(Boolean).map((line) =>
	line.split(" ").map(Number)));

function readGraph(svg) {
	const option = (name) => svg.getAttribute("data-" + name);
	const part = (selector) => svg.querySelector(selector);
	const diff = option("mode") === "diff";
	const width = svg.viewBox.baseVal.width;
	const alone = svg === document.documentElement;
	const [names, functions, numbers] = ["names", "functions", "boxes"].map((name) =>
		part("metadata." + name).textContent);
	const whole = { before: Number(option("before")), after: Number(option("after")) };
	/* Costs of one unit of width. */
	const barUnit = { before: Number(option("bar-before")), after: Number(option("bar-after")) };
	const packed = option("packed");
	const isPacked = diff && packed !== null;
	const [drift, wholeWidth] = (packed || "").split(" ").map(Number);
	const boxes = isPacked ? unpackBoxes(numbers, { whole, barUnit, drift, wholeWidth })
		: readBoxes(option("mode"), numbers);

	return {
		svg,
		alone,
		diff,
		chart: option("mode") === "chart",
		/* For a chart, in ns since the capture's start. */
		begin: Number(option("begin")),
		unit: option("unit"),
		per: option("per"),
		negate: option("negate") === "1",
		whole,
		/* What is all of it, of a picture that shows but a part. */
		all: Number(option("all")) || boxes[0].width,
		barUnit,
		/* In a page, the rows follow from the width there and the first zoom. */
		made: { width, top: Number(option("top")), rows: alone ? Number(option("rows")) : 0,
			fixed: option("fixed") === "1", icicle: option("icicle") === "1" },
		row: Number(option("row")),
		icicle: option("icicle") === "1",
		unlisted: Number(option("unlisted")),
		names: packed === null ? names.split("\n").map((line) => line.split("\t")) : unpackNames(names),
		hidden: isPacked ? unpackHidden(functions) : readHidden(functions),
		main: boxes,
		boxes,
		shapes: [],
		indices: new Map(),
		head: part("g.head"),
		tree: part("g.boxes"),
		slivers: part("g.slivers"),
		bars: part("g.bars"),
		axis: part("g.axis"),
		labels: part("g.labels"),
		/* Set by fit() and draw(). */
		width: 0,
		drawing: 0,
		top: 0,
		rows: 0,
		root: 0,
		base: 0,
		seen: new Set(),
		/* What the reader has asked for. */
		view: VIEWS[0],
		colour: COLOURS[0],
		sandwich: option("all") ? boxes[0].name : 0,
		zoomed: 0,
		focused: 0,
		legend: false,
		query: "",
		hits: null,
		matches: [],
		match: -1,
	};
}

const nameOf = (graph, box) => graph.names[box.name][0];

function valueOf(graph, box) {
	if (!graph.diff || graph.view === "difference") {
		return box.width;
	}
	return share(box.total[graph.view], graph.whole[graph.view]);
}

/*
 * The same packing as flamegraph/layout.c: children from the left edge of their parent, in a chart
 * behind their gaps. Callers and callees of a sandwich both begin at that of the function.
 */
function place(graph) {
	const next = [new Float64Array(graph.boxes.length), new Float64Array(graph.boxes.length)];

	graph.boxes.forEach((box, i) => {
		const side = next[Number(box.up)];

		box.x = i > 0 ? side[box.parent] + (box.gap || 0) : 0;
		next[0][i] = next[1][i] = box.x;
		if (i > 0) {
			side[box.parent] = box.x + valueOf(graph, box);
		}
	});
}

/* From the whole to box i, both included. */
function pathTo(graph, i) {
	const path = [i];

	for (; i > 0; i = graph.boxes[i].parent) {
		path.push(graph.boxes[i].parent);
	}
	return path.reverse();
}
