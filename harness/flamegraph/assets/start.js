/* Makes pictures live: the one that holds the script, or all of the page that does. */

/* A text that does something, by mouse and by keyboard. */
function button(graph, parent, text, attributes, act) {
	const made = element(parent, "text",
		Object.assign({ class: "button", role: "button", tabindex: 0 }, attributes), text);

	made.addEventListener("click", act);
	made.addEventListener("keydown", (event) => {
		if (event.key === "Enter" || event.key === " ") {
			event.preventDefault();
			event.stopPropagation();
			act();
		}
	});
	return made;
}

function addFinder(graph, right) {
	const size = Math.min(440, graph.drawing);
	const finder = document.createElementNS(HTML, "div");
	const field = document.createElementNS(HTML, "input");
	const result = document.createElementNS(HTML, "span");

	graph.holder = element(graph.tools, "foreignObject",
		{ x: right - size, y: 28, width: size, height: 26, display: "none" });
	field.setAttribute("class", "field");
	field.setAttribute("type", "search");
	field.setAttribute("placeholder", "regular expression");
	field.setAttribute("aria-label", "search functions by regular expression");
	field.addEventListener("input", () => search(graph, field.value));
	finder.setAttribute("class", "finder");
	result.setAttribute("class", "result");
	result.setAttribute("role", "status");
	finder.append(field, result);
	graph.holder.appendChild(finder);
	graph.field = field;
	graph.result = result;
}

/* The lines at the foot, and that for the path, which is beside the root. */
function addLines(graph) {
	const line = (y) => element(graph.foot, "text", { class: "details", x: MARGIN, y }, "");

	graph.foot = element(graph.svg, "g", { role: "status", "aria-live": "polite" });
	graph.details = [line(graph.height - 24), line(graph.height - 8)];
	graph.crumbs = element(graph.svg, "g",
		{ class: "crumbs", role: "navigation", "aria-label": "path of the zoomed frame" });
	graph.crumbsY = graph.icicle ? graph.top - 6 : graph.top + graph.levels * graph.row + 13;
}

function addTools(graph) {
	const right = graph.width - MARGIN;
	const tool = (text, end, act) =>
		button(graph, graph.tools, text, { x: end, y: 22, "text-anchor": "end" }, act);

	graph.tools = element(graph.svg, "g", { class: "tools" });
	tool("Search", right, () => openSearch(graph, true));
	graph.reset = tool("Reset zoom", right - 56, () => goTo(graph, 0));
	graph.reset.setAttribute("display", "none");
	if (graph.diff) {
		graph.viewButton = tool("Shown: difference", right - 140, () =>
			choose(graph, { view: VIEWS[(VIEWS.indexOf(graph.view) + 1) % 3] }));
		graph.colourButton = tool("Colour: total", right - 270, () =>
			choose(graph, { colour: COLOURS[1 - COLOURS.indexOf(graph.colour)] }));
	}
	addFinder(graph, right);
}

function listen(graph) {
	const indexOf = (target) => {
		const i = graph.indices.get(target.closest ? target.closest("g.boxes > path") : null);

		return i === undefined ? -1 : i;
	};

	graph.tree.addEventListener("click", (event) => {
		const i = indexOf(event.target);

		if (i >= 0) {
			zoom(graph, i);
			focusOn(graph, i);
		}
	});
	graph.tree.addEventListener("pointerover", (event) => {
		const i = indexOf(event.target);

		if (i < 0) {
			return;
		}
		if (!graph.shapes[i].firstChild) {
			element(graph.shapes[i], "title", {}, tooltip(graph, i));
		}
		say(graph, lines(graph, i));
	});
	graph.tree.addEventListener("pointerleave", () => say(graph, []));
	(graph.alone ? document : graph.svg).addEventListener("keydown", (event) => onKey(graph, event));
}

function start(svg) {
	const graph = readGraph(svg);
	const made = graph.width;

	place(graph);
	svg.classList.add("live");
	svg.setAttribute("role", "group");
	graph.tree.setAttribute("role", "tree");
	graph.tree.setAttribute("aria-label", "call tree");
	setAttributes(graph.shapes[0], { tabindex: "0", role: "treeitem", "aria-level": "1" });
	fit(graph);
	addTools(graph);
	addLines(graph);
	listen(graph);
	if (graph.width !== made) {
		draw(graph);
	}
	if (graph.alone) {
		window.addEventListener("hashchange", () => restore(graph));
		if (location.hash) {
			restore(graph);
		}
	}
}

const holder = document.currentScript && document.currentScript.ownerSVGElement;

(holder ? [holder] : Array.from(document.querySelectorAll("svg.flamegraph"))).forEach(start);
