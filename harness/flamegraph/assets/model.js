/*
 * The data of a picture and where its boxes are. It stands in three <metadata> elements that
 * flamegraph/svg.h describes. Names in it come from anywhere: they reach the document as text only,
 * never as markup.
 *
 * The files flamegraph_*.js are parts of one function (assets.S) that runs in a picture of its own
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

const half = (field) => (field === undefined || field === "-" ? NaN : Number(field));

/* A box from its fields; those of a difference may lack the last two. */
function readBox(diff, f) {
	const box = {
		depth: Number(f[0]),
		name: Number(f[1]),
		width: Number(f[2]),
		parent: 0,
		end: 0,
		x: 0,
		next: 0,
	};

	if (diff) {
		box.total = { before: Number(f[3]), after: Number(f[4]), half: half(f[8]) };
		box.self = { before: Number(f[5]), after: Number(f[6]), half: half(f[9]) };
		box.selfClass = f[7];
	} else {
		box.self = Number(f[3]);
	}
	return box;
}

/* All boxes, each before those above it; those of its subtree end before `end`. */
function readBoxes(diff, text) {
	const open = [];
	const boxes = text.split("\n").map((line, i) => {
		const box = readBox(diff, line.split(" "));

		box.parent = box.depth > 0 ? open[box.depth - 1] : 0;
		box.end = i + 1;
		open[box.depth] = i;
		return box;
	});

	for (let i = boxes.length - 1; i > 0; i--) {
		const parent = boxes[boxes[i].parent];

		parent.end = Math.max(parent.end, boxes[i].end);
	}
	return boxes;
}

/* Gives each box its class or its shape: boxes that nobody can point at are drawn together. */
function readShapes(graph, text) {
	const shapes = graph.tree.children;
	let next = 0;

	for (const line of text.split("\n").filter(Boolean)) {
		const [kind, ...steps] = line.split(" ");
		let i = 0;

		for (const step of steps) {
			i += Number(step);
			graph.boxes[i].base = kind;
		}
	}
	graph.shapes = graph.boxes.map((box) => (box.base ? null : shapes[next++]));
	graph.indices = new Map();
	graph.shapes.forEach((shape, i) => shape && graph.indices.set(shape, i));
}

function readGraph(svg) {
	const option = (name) => svg.getAttribute("data-" + name);
	const part = (selector) => svg.querySelector(selector);
	const diff = option("mode") === "diff";
	const width = svg.viewBox.baseVal.width;

	const graph = {
		svg,
		alone: svg === document.documentElement,
		diff,
		unit: option("unit"),
		several: option("several") === "1",
		drift: Number(option("drift")) || 1,
		negate: option("negate") === "1",
		whole: { before: Number(option("before")), after: Number(option("after")) },
		/* Costs of one unit of width. */
		barUnit: { before: Number(option("bar-before")), after: Number(option("bar-after")) },
		top: Number(option("top")),
		row: Number(option("row")),
		levels: Number(option("levels")),
		icicle: option("icicle") === "1",
		hides: option("hides") === "1",
		width,
		height: svg.viewBox.baseVal.height,
		drawing: width - 2 * MARGIN,
		names: part("metadata.names").textContent.split("\n").map((line) => line.split("\t")),
		boxes: readBoxes(diff, part("metadata.boxes").textContent),
		tree: part("g.boxes"),
		slivers: part("g.slivers"),
		bars: part("g.bars"),
		labels: part("g.labels"),
		/* What the reader has asked for. */
		view: VIEWS[0],
		colour: COLOURS[0],
		zoomed: 0,
		focused: 0,
		query: "",
		hits: null,
	};

	readShapes(graph, part("metadata.slivers").textContent);
	return graph;
}

const nameOf = (graph, box) => graph.names[box.name][0];

function valueOf(graph, box) {
	if (!graph.diff || graph.view === "difference") {
		return box.width;
	}
	return share(box.total[graph.view], graph.whole[graph.view]);
}

/* The same packing as flamegraph/layout.c: children from the left edge of their parent. */
function place(graph) {
	graph.boxes.forEach((box, i) => {
		const parent = graph.boxes[box.parent];

		box.x = i > 0 ? parent.next : 0;
		box.next = box.x;
		if (i > 0) {
			parent.next += valueOf(graph, box);
		}
	});
}

/* From the whole to box i, both included. */
function pathTo(graph, i) {
	const path = [i];

	for (; i > 0; i = graph.boxes[i].parent) {
		path.unshift(graph.boxes[i].parent);
	}
	return path;
}
