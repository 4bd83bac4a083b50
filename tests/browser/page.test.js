/*
 * What index.html does in a browser: from a file, from a server that forbids things, without
 * scripts, on a phone, on paper, by keyboard. Prints one result line a claim; run by
 * tests/browser/run.
 */
"use strict";

const fs = require("fs");
const http = require("http");
const path = require("path");
const { claim, expect, holds, runClaims } = require("./claims.js");
const claimLines = require("./page_lines.js");
const claimMany = require("./page_many.js");
const { claimRows, claimWidths } = require("./page_width.js");

const folder = process.argv[2];
const pages = ["fail", "pass", "unsure", "hostile"];
const file = (name) => "file://" + path.join(folder, name, "index.html");

/* What servers send with the files of a build: the second is what Jenkins does. */
const policies = {
	free: null,
	sandbox: "sandbox; default-src 'none'; img-src 'self'; style-src 'self';",
	strict: "default-src 'self'; object-src 'none'",
};

function serve() {
	return new Promise((resolve) => {
		const server = http.createServer((request, response) => {
			const [, policy, name] = request.url.split("/");

			if (!(policy in policies) || !pages.includes(name)) {
				response.writeHead(404).end();
				return;
			}
			response.setHeader("Content-Type", "text/html");
			if (policies[policy])
				response.setHeader("Content-Security-Policy", policies[policy]);
			response.end(fs.readFileSync(path.join(folder, name, "index.html")));
		});

		server.listen(0, "127.0.0.1", () => resolve(server));
	});
}

const names = (page, table) => page.evaluate((selector) =>
	Array.from(document.querySelector(selector).tBodies[0].rows, (row) =>
		row.querySelector("th code").textContent), table || "table.functions");
const column = (page, index) => page.evaluate((at) =>
	Array.from(document.querySelector("table.functions").tBodies[0].rows, (row) =>
		row.cells[at].dataset.v), index);
const sorts = (page) => page.evaluate(() =>
	Array.from(document.querySelector("table.functions").tHead.rows[0].cells, (cell) =>
		cell.getAttribute("aria-sort")));
const heading = (page, name) => page.locator("table.functions").first().getByRole("button", { name });

/* --- In the page: what the checks of its form look at. --- */

/* Text that can be seen, with its contrast to what is behind it. */
function poorContrasts() {
	const channel = (v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
	const luminance = (colour) => {
		const [r, g, b] = colour.match(/[\d.]+/g).slice(0, 3).map((v) => channel(v / 255));

		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const ground = (element) => {
		for (let at = element; at; at = at.parentElement) {
			const colour = getComputedStyle(at).backgroundColor;

			if (colour !== "rgba(0, 0, 0, 0)")
				return colour;
		}
		return "rgb(255, 255, 255)";
	};
	const poor = [];
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);

	document.querySelectorAll("details").forEach((details) => (details.open = true));
	for (let text = walker.nextNode(); text; text = walker.nextNode()) {
		const element = text.parentElement;
		const picture = element.closest("svg.flamegraph");

		if (!text.data.trim() || picture || !element.checkVisibility() || element.tagName === "title")
			continue;
		const style = getComputedStyle(element);
		const ink = element.namespaceURI.endsWith("svg") ? style.fill : style.color;
		const [high, low] = [luminance(ink), luminance(ground(element))].sort((a, b) => b - a);
		const contrast = (high + 0.05) / (low + 0.05);

		if (contrast < 4.5)
			poor.push(text.data.trim().slice(0, 40) + ": " + contrast.toFixed(2));
	}
	return poor;
}

/* What sticks out of the window, but for what scrolls by itself. */
function overflows() {
	document.querySelectorAll("details").forEach((details) => (details.open = true));
	return Array.from(document.body.querySelectorAll("*")).filter((element) =>
		element.getBoundingClientRect().right > innerWidth + 1 &&
		!element.closest(".scroll *") && !element.closest(".skip")).map((element) =>
		element.tagName + "." + element.className);
}

/* Headings as their levels, and what breaks the form of the page. */
function formOf() {
	const all = (selector) => Array.from(document.querySelectorAll(selector));
	const ids = all("[id]").map((element) => element.id);
	const levels = all("h1, h2, h3, h4").map((element) => Number(element.tagName[1]));
	const labels = all("[role=region]").map((element) => element.getAttribute("aria-label"));

	return {
		lang: document.documentElement.lang,
		mode: document.compatMode,
		landmarks: ["header", "nav", "main", "footer"].map((name) => all("body > " + name).length),
		titles: levels.filter((level) => level === 1).length,
		skipped: levels.filter((level, i) => i > 0 && level > levels[i - 1] + 1).length,
		repeatedIds: ids.length - new Set(ids).size,
		repeatedLabels: labels.length - new Set(labels).size,
		broken: all("a[href^='#']").filter((a) =>
			!document.getElementById(decodeURIComponent(a.getAttribute("href").slice(1)))).length,
		labelled: all("[aria-labelledby]").filter((element) =>
			!document.getElementById(element.getAttribute("aria-labelledby"))).length,
		bareTables: all("table").filter((table) => !table.caption).length,
		bareCells: all("thead th:not([scope=col]), tbody th:not([scope=row])").length,
		styles: all("[style]").filter((element) => !element.closest("svg.flamegraph")).length,
		handlers: all("*").filter((element) =>
			element.getAttributeNames().some((name) => name.startsWith("on"))).length,
	};
}

const goodForm = {
	lang: "en", mode: "CSS1Compat", landmarks: [1, 1, 1, 1], titles: 1, skipped: 0, repeatedIds: 0,
	repeatedLabels: 0, broken: 0, labelled: 0, bareTables: 0, bareCells: 0, styles: 0, handlers: 0,
};

/* --- Claims. --- */

function claimForm() {
	for (const name of pages) {
		claim(name + " has landmarks, headings in order, captions, and a tree that reads again",
			{ address: file(name) }, async (page) => {
				expect(await page.evaluate(formOf), goodForm, "form");
				const [once, again] = await page.evaluate(() => {
					const source = document.documentElement.outerHTML;
					const read = new DOMParser().parseFromString(source, "text/html");

					return [document, read].map((doc) => Array.from(doc.body.querySelectorAll("*"),
						(element) => element.tagName).join(" "));
				});

				expect(again, once, "elements");
			});
		claim(name + " fits a phone", { address: file(name), viewport: { width: 390, height: 844 } },
			async (page) => {
				expect(await page.evaluate(overflows), [], "what sticks out");
				expect(await page.evaluate(() => document.documentElement.scrollWidth), 390, "width");
			});
		claim(name + " shows verdict and findings on a small phone without scrolling sideways",
			{ address: file(name), viewport: { width: 360, height: 740 } }, async (page) => {
				const found = await page.evaluate(() => {
					const area = (element) => element.getBoundingClientRect();
					const wide = Array.from(document.querySelectorAll("h1, .overview *, .findings li"))
						.filter((each) => area(each).right > innerWidth || area(each).left < 0);
					const scroll = document.querySelector(".overview").parentElement;

					return [document.documentElement.scrollWidth, document.documentElement.clientWidth,
						scroll.scrollWidth - scroll.clientWidth, wide.map((each) => each.outerHTML)];
				});
				const first = await page.locator(".findings li, .overview td:last-child").first().boundingBox();

				expect(found, [360, 360, 0, []], "widths");
				holds(first.y + Math.min(first.height, 100) < 740, "what was found is at " + first.y);
			});
	}
	for (const name of pages.filter((each) => each === "fail" || each === "sample")) {
		claim(name + " has a contrast of 4.5 and more in both themes",
			{ address: file(name), themes: ["light", "dark"] }, async (page) => {
				expect(await page.evaluate(poorContrasts), [], "poor contrasts");
			});
	}
}

function claimTables() {
	claim("functions stand by verdict, then by change", { address: file("fail") }, async (page) => {
		expect((await names(page))[0], "parse", "the first");
		expect((await sorts(page))[1], "descending", "the verdict says so");
		expect((await names(page)).length, 5, "those worth a look");
		holds((await page.textContent("details.rest summary")).startsWith("95 more functions of less"),
			"the others are counted");
		holds(!await page.locator("details.rest table").isVisible(), "and folded away");
	});
	claim("a heading sorts, and sorts back", { address: file("fail") }, async (page) => {
		await heading(page, "After").click();
		const down = (await column(page, 3)).map(Number);

		expect(down, down.slice().sort((a, b) => b - a), "largest first");
		expect((await sorts(page)).filter((each) => each), ["descending"], "one is sorted by");
		await heading(page, "After").click();
		expect((await column(page, 3)).map(Number), down.slice().reverse(), "smallest first");
		expect((await sorts(page))[3], "ascending", "and said");
	});
	claim("a heading sorts by keyboard, names from a to z", { address: file("fail") }, async (page) => {
		await heading(page, "Function").focus();
		await page.keyboard.press("Enter");
		const found = await names(page);

		expect(found, found.slice().sort(), "names");
		await page.keyboard.press("Space");
		expect(await names(page), found.reverse(), "and back");
	});
	claim("functions are filtered by name", { address: file("fail") }, async (page) => {
		const shown = () => page.locator("table.functions >> nth=0 >> tbody tr:visible").count();

		await page.locator("input.filter").first().fill("PARSE");
		expect(await shown(), 1, "any case");
		await page.locator("input.filter").first().fill("");
		expect(await shown(), 5, "all of them again");
	});
	claim("what has no value stands last either way",
		{ address: file("fail"), viewport: { width: 1400, height: 900 } }, async (page) => {
		await page.evaluate(() => {
			document.querySelector("table.functions").tBodies[0].rows[2].cells[7].dataset.v = "";
		});
		for (let i = 0; i < 2; i++) {
			await heading(page, "p, corrected").click();
			expect((await column(page, 7)).pop(), "", "the last");
		}
	});
	claim("on a phone a function's name stays in sight",
		{ address: file("fail"), viewport: { width: 390, height: 844 } }, async (page) => {
			const left = await page.evaluate(() => {
				const table = document.querySelector("table.functions");

				table.parentElement.scrollLeft = 300;
				return table.tBodies[0].rows[0].cells[0].getBoundingClientRect().left -
					table.parentElement.getBoundingClientRect().left;
			});

			holds(Math.abs(left) < 1, "its left edge is at " + left);
		});
}

function claimKeyboard() {
	claim("the first key press offers to skip to the results", { address: file("fail") },
		async (page) => {
			await page.keyboard.press("Tab");
			expect(await page.evaluate(() => document.activeElement.className), "skip", "the first");
			holds(await page.evaluate(() =>
				document.activeElement.getBoundingClientRect().top >= 0), "it is to be seen");
			await page.keyboard.press("Enter");
			expect(await page.evaluate(() => document.activeElement.id), "main", "where it leads");
		});
	claim("whatever a key can reach shows that it was reached",
		{ address: file("fail"), themes: ["light", "dark"] }, async (page) => {
			for (let i = 0; i < 40; i++) {
				await page.keyboard.press("Tab");
				const bare = await page.evaluate(() => {
					const at = document.activeElement;
					const style = getComputedStyle(at);

					return at === document.body || at.closest("svg.flamegraph") ||
						(style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2)
						? null : at.outerHTML.slice(0, 80);
				});

				expect(bare, null, "without a mark");
			}
		});
	claim("a link to a workload that passed opens it", { address: file("pass") }, async (page) => {
		holds(!await page.locator("#w-pass table.functions").first().isVisible(), "closed at first");
		await page.locator("table.overview a").press("Enter");
		await page.locator("#w-pass table.functions").first().waitFor({ state: "visible" });
	});
}

function claimBareness(address) {
	const bare = { address: file("fail"), javaScript: false };

	claim("all is there without a script", bare, async (page) => {
		expect(await page.locator("button:visible").count(), 0, "buttons that would do nothing");
		expect((await names(page))[0], "parse", "the first function");
		await page.locator("details.rest summary").click();
		holds(await page.locator("details.rest table").isVisible(), "details open");
		holds((await page.textContent("svg.flamegraph")).includes("parse"), "the picture is here");
	});
	for (const [policy, refusals] of [["free", false], ["sandbox", true], ["strict", true]]) {
		claim("it is whole under a server's policy: " + policy,
			{ address: address(policy, "fail"), refusals, viewport: { width: 1400, height: 900 } }, async (page) => {
				holds((await page.textContent("h1")).includes("1 of 1 workload fails"), "verdict");
				holds((await page.textContent(".findings")).includes("+40.0 %"), "finding");
				expect((await names(page))[0], "parse", "the first function");
				await page.locator("details.rest summary").click();
				holds(await page.locator("details.rest table").isVisible(), "details open");
				expect(await page.evaluate(() => {
					const dots = document.querySelector("table.functions svg.dots");

					return [dots.getBoundingClientRect().width, dots.querySelectorAll("path").length];
				}), [120, 4], "the dots have their size");
				expect(await page.evaluate(() => getComputedStyle(
					document.querySelector("svg.flamegraph .back")).fill), "rgb(255, 255, 255)",
					"the picture is on white");
				expect(await page.locator("table.functions").first().getByRole("button").count(),
					policy === "free" ? 10 : 0, "buttons where they work, and only there");
			});
	}
}

function claimPaper() {
	for (const javaScript of [true, false]) {
		claim("paper shows what is folded away" + (javaScript ? "" : ", without a script"),
			{ address: file("pass"), javaScript, themes: ["light", "dark"] }, async (page) => {
				holds(!await page.locator("#w-pass table.functions").first().isVisible(), "closed");
				await page.emulateMedia({ media: "print" });
				holds(await page.locator("#w-pass table.functions").first().isVisible(), "functions");
				holds(await page.locator("table.runs").first().isVisible(), "every run");
				holds(!await page.locator("nav").isVisible(), "no navigation");
				expect(await page.locator("p.copy:visible").count(), 0, "no buttons to copy by");
				expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor),
					"rgb(255, 255, 255)", "white in any theme");
				expect(await page.evaluate(() => Array.from(document.querySelectorAll(".scroll"))
					.filter((each) => getComputedStyle(each).overflowX !== "visible").length), 0,
					"nothing that scrolls");
				const paper = await page.pdf({ format: "A4" });

				holds(paper.subarray(0, 5).toString() === "%PDF-" && paper.length > 20000, "a PDF");
			});
	}
	claim("after printing all is as it was", { address: file("pass") }, async (page) => {
		const open = () => page.evaluate(() => document.querySelectorAll("details[open]").length);
		const before = await open();

		await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
		holds(await open() > before, "opened");
		holds(!await page.locator("details.rest").evaluate((each) => each.open), "but no long list");
		await page.evaluate(() => dispatchEvent(new Event("afterprint")));
		expect(await open(), before, "closed again");
	});
}

function claimSafety(address) {
	claim("a script that is not the page's own does not run", { address: file("fail"), refusals: true },
		async (page) => {
			await page.evaluate(() => {
				const script = document.createElement("script");
				const image = document.createElement("p");

				script.textContent = "window.hacked = 1";
				image.setAttribute("onclick", "window.hacked = 1");
				document.body.append(script, image);
				image.click();
			});
			expect(await page.evaluate(() => window.hacked), undefined, "window.hacked");
		});
	for (const policy of [null, "free", "sandbox"]) {
		claim("hostile names are text" + (policy ? " under a server's policy: " + policy : ""),
			{ address: policy ? address(policy, "hostile") : file("hostile"), refusals: policy === "sandbox" },
			async (page) => {
				holds((await names(page)).includes("<script>window.hacked=1</script>"), "as it is");
				holds((await names(page)).includes("</svg></table></details><h1>broken out"), "and this");
				expect(await page.evaluate(() => window.hacked), undefined, "window.hacked");
				expect(await page.evaluate(() => ["script", "style", "img", "h1", "iframe", "object"]
					.map((name) => document.querySelectorAll(name).length)), [2, 2, 0, 1, 0, 0],
					"elements");
				holds(!/[\u202a-\u202e\u2066-\u2069]/.test(await page.content()), "no direction marks");
			});
	}
	claim("a command is copied whole", { address: address("free", "hostile"),
		permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
		await page.getByRole("button", { name: "Copy command" }).first().click();
		await page.getByRole("status").getByText("Copied").first().waitFor();
		expect(await page.evaluate(() => navigator.clipboard.readText()),
			await page.textContent("pre.command"), "the clipboard");
	});
}

/* In a picture: what search says, and the width of the matches that are drawn. */
const searched = () => [document.querySelector(".result").textContent,
	Array.from(document.querySelectorAll("g.boxes > path.match"), (box) =>
		Math.round(Number(/h([\d.]+)/.exec(box.getAttribute("d"))[1])))];

function claimLinks() {
	for (const name of ["fail", "hostile"]) {
		claim("findings and functions open the picture, searched and zoomed: " + name,
			{ address: file(name), follows: /\/diff\.svg/ }, async (page) => {
				const links = await page.evaluate(() => Array.from(
					document.querySelectorAll(".findings code a, .functions th code a"),
					(link) => [link.textContent, link.href]));

				expect(links.map(([, href]) => href.split("#")[0]).filter((href, i, all) => all.indexOf(href) === i),
					[file(name).replace("index.html", name + "/diff.svg")], "the pictures");
				holds(links.length > 5, "links");
				for (const [subject, href] of links.slice(0, 25)) {
					await page.goto("about:blank");
					await page.goto(href);
					const [said, widths] = await page.evaluate(searched);

					if (!href.includes("#")) {
						expect([subject, said], ["whole program", ""], "not searched");
						continue;
					}
					holds(said.startsWith("matched "), subject + " says " + said);
					expect(widths.includes(1180), true, subject + " zoomed: " + widths);
					expect(await page.evaluate(() => window.hacked), undefined, "window.hacked");
				}
			});
	}
}

function claimPictures() {
	claim("the flame graph is in the page, and zooms there", { address: file("fail") }, async (page) => {
		const box = page.locator("svg.flamegraph g.boxes > path[aria-label='parse']").first();
		const before = (await box.boundingBox()).width;

		await box.click();
		holds((await box.boundingBox()).width > before * 1.5, "it is wider than before");
	});
	claim("a page of one workload stays below 200 KB", { address: file("fail") }, async () => {
		const size = fs.statSync(path.join(folder, "fail", "index.html")).size;

		holds(size < 200000, "it has " + size + " bytes");
	});
}

(async () => {
	const server = await serve();
	const address = (policy, name) =>
		"http://127.0.0.1:" + server.address().port + "/" + policy + "/" + name;

	for (const extra of ["sample", "sample_hostile", "many"]) {
		if (fs.existsSync(path.join(folder, extra, "index.html")))
			pages.push(extra);
	}
	claimForm();
	claimTables();
	claimKeyboard();
	claimBareness(address);
	claimPaper();
	claimSafety(address);
	claimLinks();
	claimPictures();
	[claimLines, claimMany].forEach((claims) => claims(pages, file));
	claimWidths(pages, file);
	claimRows(file);
	const failed = await runClaims("page");

	server.close();
	process.exit(failed > 0 ? 1 : 0);
})();
