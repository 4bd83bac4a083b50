/*
 * Choosing a range of time in a heat map: the flame graph of the page is then of that range. Names
 * in the page come from anywhere and stay text.
 */
(function () {
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const NS = 1e9;
const map = document.querySelector("svg.heatmap");
const graph = document.querySelector("svg.flamegraph");
const status = document.querySelector(".range");
const command = document.querySelector("[data-command]");
const number = (name) => Number(map.getAttribute("data-" + name));
const rows = number("rows");
const cells = number("columns") * rows;
const cellNs = number("column-ns") / rows;
const unit = map.getAttribute("data-unit");
const boxes = graph.querySelector("metadata.boxes").textContent.split("\n").length;

/* By cell: [box, weight] pairs. */
const contents = new Map(map.querySelector("metadata.cells").textContent.split("\n").filter(Boolean)
	.map((line) => {
		const [cell, ...items] = line.split(" ");

		return [Number(cell), items.map((item) => {
			const [box, weight] = item.split(":");

			return [Number(box), weight === undefined ? 1 : Number(weight)];
		})];
	}));
const weightOf = (cell) => (contents.get(cell) || []).reduce((sum, [, weight]) => sum + weight, 0);
const whole = Array.from(contents.keys()).reduce((sum, cell) => sum + weightOf(cell), 0);

/* Cells from `from` on, before `to`; `cursor` is where the keyboard is. */
const range = { from: 0, to: cells };
let anchor = 0;
let cursor = 0;

function element(name, attributes) {
	const made = document.createElementNS(SVG, name);

	Object.keys(attributes).forEach((key) => made.setAttribute(key, attributes[key]));
	map.appendChild(made);
	return made;
}

const left = (cell) => number("x") + Math.floor(cell / rows) * number("column-px");
const top = (cell) => number("y") + cell % rows * number("row-px");
const chosen = element("path", { class: "chosen", d: "" });
const mark = element("path", { class: "cursor", d: "" });
const area = element("path", { class: "catch", d: "M" + number("x") + " " + number("y") +
	"h" + number("columns") * number("column-px") + "v" + rows * number("row-px") +
	"h" + -number("columns") * number("column-px") + "z" });

/* Exact, and without needless digits. */
const seconds = (cell) => String(Number(((number("begin-ns") + cell * cellNs) / NS).toFixed(7)));
const amount = (weight) => (unit === "ns" ? Number((weight / 1e6).toPrecision(4)) + " ms"
	: Number(weight.toPrecision(6)) + " " + unit);
const isAll = () => range.from === 0 && range.to === cells;

/* The outline of the cells of a range: part of its first column, whole ones, part of its last. */
function outline(from, to) {
	const width = number("column-px");
	const height = number("row-px");
	let d = "";

	for (let at = from; at < to;) {
		const end = at % rows === 0 && to - at >= rows
			? at + Math.floor((to - at) / rows) * rows
			: Math.min(to, (Math.floor(at / rows) + 1) * rows);
		const columns = Math.max(1, Math.floor((end - at) / rows));
		const tall = Math.min(end - at, rows);

		d += "M" + left(at) + " " + top(at) + "h" + columns * width + "v" + tall * height +
			"h" + -columns * width + "z";
		at = end;
	}
	return d;
}

/* The weights of the range by box, and their sum. */
function weigh() {
	const self = new Float64Array(boxes);
	let sum = 0;

	contents.forEach((items, cell) => {
		if (cell >= range.from && cell < range.to) {
			items.forEach(([box, weight]) => {
				self[box] += weight;
				sum += weight;
			});
		}
	});
	return { self, sum };
}

function describe(sum) {
	return seconds(range.from) + " s to " + seconds(range.to) + " s: " + amount(sum) + ", " +
		(whole > 0 ? (100 * sum / whole).toFixed(1) : "0") + " %";
}

function remember() {
	try {
		history.replaceState(null, "", isAll() ? "#" :
			"#range=" + seconds(range.from) + "-" + seconds(range.to));
	} catch (refused) {
		/* Some embeddings refuse it; the state is a convenience. */
	}
}

function drawRange() {
	chosen.setAttribute("d", isAll() ? "" : outline(range.from, range.to));
}

/* Shows the flame graph of the range. */
function show() {
	drawRange();
	if (isAll()) {
		status.textContent = "All of the time is shown.";
		graph.dispatchEvent(new CustomEvent("weigh"));
	} else {
		const { self, sum } = weigh();

		status.textContent = describe(sum);
		graph.dispatchEvent(new CustomEvent("weigh", { detail: { self, text: describe(sum) } }));
	}
	command.textContent = command.getAttribute("data-command") + (isAll() ? ""
		: " --from " + seconds(range.from) + " --to " + seconds(range.to));
	remember();
}

function choose(from, to) {
	range.from = Math.max(0, Math.min(from, cells - 1));
	range.to = Math.max(range.from + 1, Math.min(to, cells));
}

const extend = (cell) => choose(Math.min(anchor, cell), Math.max(anchor, cell) + 1);

/* The cell at a pointer. */
function cellAt(event) {
	const point = map.createSVGPoint();
	const clamp = (value, most) => Math.max(0, Math.min(most, Math.floor(value)));

	point.x = event.clientX;
	point.y = event.clientY;
	const at = point.matrixTransform(map.getScreenCTM().inverse());

	return clamp((at.x - number("x")) / number("column-px"), number("columns") - 1) * rows +
		clamp((at.y - number("y")) / number("row-px"), rows - 1);
}

function setCursor(cell) {
	cursor = Math.max(0, Math.min(cell, cells - 1));
	mark.setAttribute("d", outline(cursor, cursor + 1));
	status.textContent = seconds(cursor) + " s: " + amount(weightOf(cursor)) +
		(isAll() ? "" : ". Chosen: " + describe(weigh().sum));
}

function listenToPointer() {
	let drags = false;

	area.addEventListener("pointerdown", (event) => {
		const cell = cellAt(event);

		map.focus();
		area.setPointerCapture(event.pointerId);
		anchor = event.shiftKey ? anchor : cell;
		drags = true;
		extend(cell);
		drawRange();
	});
	area.addEventListener("pointermove", (event) => {
		if (drags) {
			extend(cellAt(event));
			drawRange();
		}
		setCursor(cellAt(event));
	});
	area.addEventListener("pointerup", (event) => {
		if (drags) {
			drags = false;
			extend(cellAt(event));
			show();
		}
	});
	area.addEventListener("pointercancel", () => {
		drags = false;
		show();
	});
}

const STEPS = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -rows, ArrowRight: rows };

function onKey(event) {
	if (event.ctrlKey || event.metaKey || event.altKey) {
		return;
	}
	if (event.key === "Escape") {
		range.from = 0;
		range.to = cells;
		show();
	} else if (event.key === "Enter" || event.key === " ") {
		anchor = cursor;
		extend(cursor);
		show();
	} else if (event.key in STEPS || event.key === "Home" || event.key === "End") {
		if (!event.shiftKey) {
			anchor = -1;
		} else if (anchor < 0 || isAll()) {
			anchor = cursor;
		}
		setCursor(event.key === "Home" ? 0 : event.key === "End" ? cells - 1
			: cursor + STEPS[event.key]);
		if (event.shiftKey) {
			extend(cursor);
			show();
		}
	} else {
		return;
	}
	event.preventDefault();
}

const cellOf = (ns) => Math.round((ns - number("begin-ns")) / cellNs);

function addPhases() {
	document.querySelectorAll(".phases li").forEach((item) => {
		const button = document.createElement("button");

		button.type = "button";
		button.textContent = "Show";
		button.addEventListener("click", () => {
			choose(cellOf(Number(item.dataset.from)), cellOf(Number(item.dataset.to)));
			show();
		});
		item.prepend(button);
	});
}

/* The range of the address, if it has one. */
function restore() {
	const found = /^#range=([\d.]+)-([\d.]+)$/.exec(location.hash);

	if (found) {
		choose(cellOf(Number(found[1]) * NS), cellOf(Number(found[2]) * NS));
		show();
	}
}

map.setAttribute("role", "application");
map.setAttribute("tabindex", "0");
map.setAttribute("aria-label",
	"Heat map: arrows move, with Shift they choose a range of time, Escape chooses all");
map.addEventListener("keydown", onKey);
listenToPointer();
addPhases();
window.addEventListener("hashchange", restore);
restore();
}());
