/*
 * Other weights for the boxes there are: a page's heat map shows a part of the time. An event "weigh"
 * at the picture brings the weight of each box without what it calls, by its number in the data, and
 * a line of text; without these, the picture is as it was made.
 */

function boxesOf(graph, self) {
	const width = Float64Array.from(self);

	for (let i = width.length - 1; i > 0; i--) {
		width[graph.made.boxes[i].parent] += width[i];
	}
	return link(graph.made.boxes.map((box, i) =>
		({ ...box, width: width[i], self: self[i] })).filter((box, i) => i === 0 || box.width > 0));
}

function setFacts(graph, text) {
	const facts = (graph.made.head || []).map(([child]) => child).concat(
		Array.from(graph.head.children)).filter((child) => child.classList.contains("facts"));

	facts.forEach((each) => {
		graph.made.facts = graph.made.facts || each.textContent;
		each.textContent = text || graph.made.facts;
	});
}

function weigh(graph, wanted) {
	graph.made.boxes = graph.made.boxes || graph.main;
	graph.made.hidden = graph.made.hidden || graph.hidden;
	graph.main = wanted ? boxesOf(graph, wanted.self) : graph.made.boxes;
	/* Functions that have no box are in their callers' weights. */
	graph.hidden = wanted ? readHidden("") : graph.made.hidden;
	graph.all = graph.main[0].width;
	setFacts(graph, wanted && wanted.text);
	setBoxes(graph, graph.main, 0);
}
