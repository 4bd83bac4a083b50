/* Makes pictures live: the one that holds the script, or all of the page that does. */

const TOOL_COLUMN = 6.6;

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

function addFinder(graph) {
	const finder = document.createElementNS(HTML, "div");
	const field = document.createElementNS(HTML, "input");
	const result = document.createElementNS(HTML, "span");

	graph.holder = element(graph.tools, "foreignObject",
		{ height: FINDER, display: "none" });
	field.setAttribute("class", "field");
	field.setAttribute("type", "search");
	field.setAttribute("placeholder", "regular expression or =name");
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

/* The lines at the foot, and that for the path. */
function addLines(graph) {
	const line = () => element(graph.foot, "text", { class: "details", x: MARGIN }, "");

	graph.foot = element(graph.svg, "g", { role: "status", "aria-live": "polite" });
	graph.details = [line(), line()];
	graph.crumbs = element(graph.svg, "g",
		{ class: "crumbs", role: "navigation", "aria-label": "path of the zoomed frame" });
	graph.tip = element(graph.svg, "g", { class: "tip", display: "none", "aria-hidden": "true" });
}

/* From right to left. */
function addTools(graph) {
	const tool = (text, act) =>
		button(graph, graph.tools, text, { "text-anchor": "end" }, act);

	graph.tools = element(graph.svg, "g", { class: "tools" });
	tool("Search", () => openSearch(graph, true));
	graph.turnButton = tool("Icicle", () => turn(graph));
	if (graph.diff) {
		graph.viewButton = tool("Shown: difference", () =>
			choose(graph, { view: VIEWS[(VIEWS.indexOf(graph.view) + 1) % 3] }));
		graph.colourButton = tool("Colour: total", () =>
			choose(graph, { colour: COLOURS[1 - COLOURS.indexOf(graph.colour)] }));
	}
	graph.legendButton = tool("Legend", () => {
		graph.legend = !graph.legend;
		refit(graph);
	});
	graph.sandwichButton = tool("Sandwich", () => (graph.boxes === graph.main
		? enterSandwich(graph, graph.boxes[chosen(graph)].name) : leaveSandwich(graph)));
	graph.reset = tool("Reset zoom", () => goTo(graph, 0));
	addFinder(graph);
}

/* Puts the tools into as many lines as they take and returns the last one's height. */
function placeTools(graph) {
	const size = Math.min(620, graph.drawing);
	let x = graph.width - MARGIN;
	let y = 22;

	for (const each of Array.from(graph.tools.children)) {
		const width = each.localName === "text" ? TOOL_COLUMN * each.textContent.length + 12 : 0;

		if (width === 0 || each.getAttribute("display") === "none") {
			continue;
		}
		if (x - width < MARGIN) {
			x = graph.width - MARGIN;
			y += LINE;
		}
		setAttributes(each, { x: px(x), y: String(y) });
		x -= width;
	}
	setAttributes(graph.holder, { x: px(graph.width - MARGIN - size), y: String(y + 6),
		width: px(size) });
	return y;
}

/* Which tools there are, and what they are called now. */
function showTools(graph) {
	const show = (tool, on) => tool.setAttribute("display", on ? "inline" : "none");
	const inside = graph.boxes !== graph.main;

	show(graph.reset, graph.zoomed > 0);
	show(graph.turnButton, !graph.sandwich);
	show(graph.legendButton, canFold(graph));
	graph.legendButton.setAttribute("aria-expanded", String(graph.legend));
	show(graph.sandwichButton, inside || canSandwich(graph));
	graph.sandwichButton.textContent = inside ? "Leave sandwich" : "Sandwich";
	graph.turnButton.textContent = graph.icicle ? "Flame" : "Icicle";
	placeTools(graph);
}

/* The whole at the top instead of the bottom, and back. */
function turn(graph) {
	graph.icicle = !graph.icicle;
	redraw(graph);
	remember(graph);
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
		showTip(graph, i, event);
		say(graph, lines(graph, i));
	});
	graph.tree.addEventListener("pointermove", (event) => moveTip(graph, event));
	graph.tree.addEventListener("pointerout", () => hideTip(graph));
	graph.tree.addEventListener("pointerleave", () => say(graph, []));
	window.addEventListener("resize", () => {
		if (fit(graph)) {
			redraw(graph);
		}
	});
	(graph.alone ? document : graph.svg).addEventListener("keydown", (event) => onKey(graph, event));
}

/* Below its caller, the function's largest box stands beside what else that calls. */
function firstTarget(graph, name) {
	const found = graph.boxes.map((_, i) => i)
		.filter((i) => nameOf(graph, graph.boxes[i]) === name)
		.sort((a, b) => graph.boxes[b].width - graph.boxes[a].width);

	return found.length > 0 ? graph.boxes[found[0]].parent : 0;
}

function start(svg) {
	const graph = readGraph(svg);

	place(graph);
	svg.classList.add("live");
	svg.setAttribute("role", "group");
	setAttributes(graph.tree, { role: "tree", "aria-label": "call tree" });
	graph.tree.replaceChildren();
	addTools(graph);
	addLines(graph);
	fit(graph);
	listen(graph);
	redraw(graph);
	setAttributes(graph.shapes[0], { tabindex: "0", role: "treeitem", "aria-level": "1" });
	svg.addEventListener("weigh", (event) => weigh(graph, event.detail));
	if (!graph.alone && svg.dataset.zoom) {
		zoom(graph, firstTarget(graph, svg.dataset.zoom));
	}
	graph.made.rows = graph.made.rows || graph.rows;
	if (graph.alone) {
		window.addEventListener("hashchange", () => restore(graph));
		if (location.hash) {
			restore(graph);
		}
	}
}

const holder = document.currentScript && document.currentScript.ownerSVGElement;

(holder ? [holder] : Array.from(document.querySelectorAll("svg.flamegraph"))).forEach(start);
