/* Makes pictures live: the one that holds the script, or all of the page that does. */

function button(graph, text, end, act) {
	const made = element(graph.tools, "text",
		{ class: "button", x: end, y: 22, "text-anchor": "end", role: "button", tabindex: 0 }, text);

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
	const size = Math.min(380, graph.drawing);
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

function addTools(graph) {
	const right = graph.width - MARGIN;
	const views = ["difference", "before", "after"];

	graph.tools = element(graph.svg, "g", { class: "tools" });
	graph.details = element(graph.svg, "text",
		{ class: "details", x: MARGIN, y: graph.height - 10, role: "status", "aria-live": "polite" }, "");
	button(graph, "Search", right, () => openSearch(graph, true));
	graph.reset = button(graph, "Reset zoom", right - 56, () => zoom(graph, 0));
	graph.reset.setAttribute("display", "none");
	if (graph.diff) {
		graph.viewButton = button(graph, "Shown: difference", right - 140, () =>
			choose(graph, { view: views[(views.indexOf(graph.view) + 1) % 3] }));
		graph.colourButton = button(graph, "Colour: total", right - 270, () =>
			choose(graph, { colour: graph.colour === "total" ? "self" : "total" }));
	}
	addFinder(graph, right);
}

function listen(graph) {
	const indices = new Map(graph.shapes.map((shape, i) => [shape, i]));
	const indexOf = (target) => {
		const i = indices.get(target.closest ? target.closest("g.boxes > path") : null);

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
			element(graph.shapes[i], "title", {}, tooltip(graph, graph.boxes[i]));
		}
		say(graph, lines(graph, graph.boxes[i]).join("   "));
	});
	graph.tree.addEventListener("pointerleave", () => say(graph, ""));
	(graph.alone ? document : graph.svg).addEventListener("keydown", (event) => onKey(graph, event));
}

function start(svg) {
	const graph = readGraph(svg);

	place(graph);
	svg.classList.add("live");
	svg.setAttribute("role", "group");
	graph.tree.setAttribute("role", "tree");
	graph.tree.setAttribute("aria-label", "call tree");
	graph.shapes[0].setAttribute("tabindex", "0");
	addTools(graph);
	listen(graph);
	restore(graph);
}

const holder = document.currentScript && document.currentScript.ownerSVGElement;

(holder ? [holder] : Array.from(document.querySelectorAll("svg.flamegraph"))).forEach(start);
