/* What a flame graph does in a browser. Prints one result line a claim; run by tests/browser/run. */
"use strict";

const { chromium } = require("playwright-core");
const crypto = require("crypto");
const fs = require("fs");
const path = require("path");

const folder = process.argv[2];
const url = (name, state, extension) =>
	"file://" + path.join(folder, name + "." + (extension || "svg")) + (state ? "#" + state : "");
const claims = [];
const claim = (text, picture, check, options) => claims.push({ text, picture, check, options: options || {} });

function expect(actual, expected, what) {
	if (JSON.stringify(actual) !== JSON.stringify(expected)) {
		throw new Error(what + ": expected " + JSON.stringify(expected) + ", found " + JSON.stringify(actual));
	}
}

function holds(condition, what) {
	if (!condition) {
		throw new Error(what);
	}
}

/* In the page: the boxes to be seen, as name, left edge and width. */
const shown = (page) => page.evaluate(() =>
	Array.from(document.querySelectorAll("g.boxes > path")).map((box) => {
		const at = /^M([\d.]+) ([\d.]+)h([\d.]+)/.exec(box.getAttribute("d"));

		return {
			name: box.getAttribute("aria-label") || box.textContent.split("\n")[0],
			x: Number(at[1]),
			width: Number(at[3]),
			class: box.getAttribute("class"),
		};
	}));
const named = async (page, name) => (await shown(page)).find((box) => box.name === name);
const labels = (page) => page.evaluate(() =>
	Array.from(document.querySelectorAll("g.labels text")).map((label) => label.textContent));
const text = (page, selector) => page.evaluate((s) => document.querySelector(s).textContent, selector);
/* page.url() may still be the one before. */
const href = (page) => page.evaluate(() => location.href);
const box = (page, name) => page.locator(`g.boxes > path[aria-label="${name}"]`).first();
const button = (page, name) => page.locator("text.button", { hasText: name });

claim("a click zooms, reset undoes it", "simple", async (page) => {
	const before = await shown(page);

	await box(page, "parse").click();
	const zoomed = await named(page, "parse");

	expect([zoomed.x, zoomed.width], [10, 1180], "parse over the whole width");
	expect(await named(page, "print"), undefined, "print is out of sight");
	holds((await named(page, "main")).class.includes("above"), "main is shown as a caller");
	await button(page, "Reset zoom").click();
	expect((await shown(page)).map((b) => [b.name, b.x, b.width]),
		before.map((b) => [b.name, b.x, b.width]), "all boxes as before");
});

for (const picture of ["simple", "hostile", "diff", "cut"]) {
	claim("the script draws what the file showed: " + picture, picture, async (page) => {
		const before = await shown(page);
		const words = await labels(page);

		await box(page, "main").click();
		await page.keyboard.press("Escape");
		expect((await shown(page)).map((b) => [b.name, b.x, b.width, b.class]),
			before.map((b) => [b.name, b.x, b.width, b.class]), "boxes");
		expect(await labels(page), words, "labels");
	});
}

claim("the keyboard moves, zooms and returns", "simple", async (page) => {
	await page.keyboard.press("Tab");
	expect(await page.evaluate(() => [document.activeElement.getAttribute("role"), document.activeElement.getAttribute("aria-label")]),
		["treeitem", "all"], "where Tab leads to");
	await page.keyboard.press("ArrowUp");
	await page.keyboard.press("ArrowUp");
	await page.keyboard.press("ArrowUp");
	await page.keyboard.press("ArrowRight");
	expect(await page.evaluate(() => ["label", "description"].map((each) =>
		document.activeElement.getAttribute("aria-" + each))),
	["print", "300 samples, 30.0 %, self 300 samples, 30.0 %"], "what a screen reader hears");
	await page.keyboard.press("Enter");
	expect((await named(page, "print")).width, 1180, "Enter zooms");
	await page.keyboard.press("Escape");
	expect((await named(page, "print")).width, 354, "Escape returns");
});

claim("search counts recursion once and marks every match", "simple", async (page) => {
	await page.keyboard.press("/");
	await page.keyboard.type("^parse$");
	expect(await text(page, ".result"), "matched 60.0 %, 2 frames", "the share");
	expect((await shown(page)).filter((b) => b.class.includes("match")).length, 2, "marked boxes");
	await page.keyboard.press("Escape");
	expect((await shown(page)).filter((b) => b.class.includes("match")).length, 0, "after Escape");
});

claim("a wrong regular expression is said and harms nothing", "simple", async (page) => {
	await page.keyboard.press("Control+f");
	await page.keyboard.type("pa(");
	expect(await text(page, ".result"), "not a regular expression", "the result");
	await page.keyboard.press("Backspace");
	expect(await text(page, ".result"), "matched 60.0 %, 2 frames", "after correcting it");
});

claim("the address holds the state", "simple", async (page) => {
	await box(page, "parse").click();
	await page.keyboard.press("/");
	await page.keyboard.type("read");
	const address = await href(page);

	holds(address.includes("zoom=") && address.includes("search=read"), "address " + address);
	await page.goto("about:blank");
	await page.goto(address);
	expect((await named(page, "parse")).width, 1180, "zoomed again");
	expect(await text(page, ".result"), "matched 60.0 %, 100 % of parse, 2 frames", "searched again");
});

claim("an address that changes under an open picture is followed", "diff", async (page) => {
	const go = (state) => page.evaluate((hash) => new Promise((done) => {
		window.addEventListener("hashchange", () => setTimeout(done), { once: true });
		location.hash = hash;
	}), state);

	await box(page, "main").click();
	const zoom = new URL(await href(page)).hash.slice(1);

	await go("search=helper&view=before&colour=self");
	expect(await text(page, ".result"), "matched 30.0 % \u2192 4.8 %, 1 frame", "searched");
	holds(!(await named(page, "new_way")), "before: new_way is not there");
	holds(await button(page, "Colour: self").count() === 1, "colours of own cost");
	await go(zoom);
	expect(await text(page, ".result"), "", "no search");
	holds(await named(page, "new_way"), "the difference again");
	expect(await page.locator(".crumbs .button").count(), 3, "zoomed");
	await go("x");
	expect(await page.locator(".crumbs .button").count(), 0, "and not zoomed any more");
});

claim("an address that makes no sense is ignored", "simple", async (page) => {
	expect((await named(page, "main")).width, 1180, "main");
}, { state: "zoom=99999&search=%28%28&view=x&colour=y" });

claim("hostile names run no script", "hostile", async (page) => {
	await page.keyboard.press("/");
	await page.keyboard.type("script");
	for (let i = 0; i < await page.locator("g.boxes > path").count(); i++) {
		await page.locator("g.boxes > path").nth(i).hover({ force: true });
		await page.locator("g.boxes > path").nth(i).click({ force: true });
		await page.keyboard.press("Escape");
	}
	expect(await page.evaluate(() => window.hacked), undefined, "window.hacked");
	expect(await page.evaluate(() => document.querySelectorAll("img, script").length), 1, "elements");
});

claim("hostile names are shown as they are", "hostile", async (page) => {
	const all = await page.locator("g.labels text").allTextContents();

	holds(all.some((label) => label.startsWith("<script>window")), "the label is text");
}, { javaScript: false });

claim("a difference shows what is gone, what is new and what grew", "diff", async (page) => {
	expect((await named(page, "old_way")).class, "gone w", "old_way");
	expect((await named(page, "new_way")).class, "new w", "new_way");
	holds(/^g/.test((await named(page, "print")).class), "print grew");
	await button(page, "Shown:").click();
	holds(!(await named(page, "new_way")), "before: new_way is not there");
	expect((await named(page, "old_way")).width, 354, "before: 30 % are old_way");
	await button(page, "Shown:").click();
	holds(!(await named(page, "old_way")), "after: old_way is not there");
	await button(page, "Shown:").click();
	await button(page, "Colour:").click();
	expect((await named(page, "new_way")).class, "z w", "by own cost new_way is neutral");
	expect((await named(page, "main")).class, "z w", "and so is main");
});

claim("a search in a difference gives both shares", "diff", async (page) => {
	await page.keyboard.press("/");
	await page.keyboard.type("helper");
	expect(await text(page, ".result"), "matched 30.0 % \u2192 4.8 %, 2 frames", "the shares");
});

for (const [name, words] of [
	["simple", ["1,000 samples", "program", "main", "print"]],
	["diff", ["normalised to equal totals", "before: 10,000 samples", "after: 10,510 samples",
		"Grew most", "Shrank most", "\u25b2 print", "\u25bc gone", "within noise"]],
]) {
	claim(name + " is readable without a script", name, async (page) => {
		const all = await page.locator("svg text").allTextContents();

		for (const word of words) {
			holds(all.some((line) => line.includes(word)), "no text says " + word);
		}
		expect(await page.locator("text.button").count(), 0, "buttons that would do nothing");
	}, { javaScript: false });
}

claim("negated, growth is blue and shrinking red, and the signs stay", "negated", async (page) => {
	expect((await named(page, "old_way")).class, "new w", "old_way is red");
	holds(/^s/.test((await named(page, "print")).class), "print is blue");
	const signs = (await labels(page)).filter((label) => /[\u25b2\u25bc]/.test(label));

	expect(signs, ["\u25bcgone old_way", "\u25bcgone helper", "\u25b2print"], "signs in the file");
	await box(page, "main").click();
	expect((await labels(page)).filter((label) => /[\u25b2\u25bc]/.test(label)), signs, "signs drawn anew");
	holds((await page.locator("g.head text").allTextContents()).includes("\u25b2 new"), "legend");
});

claim("two weights a line make a difference", "two_columns", async (page) => {
	expect((await shown(page)).map((b) => [b.name, b.class]),
		[["all", "z w"], ["prog", "s2 w"], ["left", "gone w"], ["stays", "z w"]], "boxes");
});

claim("what has no room is counted, and weighs in its callers", "large", async (page) => {
	const said = (await page.locator("g.head text").allTextContents()).join(" ");

	holds(/[\d,]+ frames, the smallest, are left out of this file; the weight is in the callers\. Search finds their functions\. Search does not find [\d,]+ small functions\./.test(said), said);
	holds(fs.statSync(path.join(folder, "large.svg")).size <= 1200000, "the size");
	expect(await page.locator("g.boxes > path").first().textContent(),
		"all\n252,990 samples, 100 %", "the whole");
}, { javaScript: false });

claim("tooltips have module and place", "places", async (page) => {
	await box(page, "func1").hover();
	expect(await page.locator(".tip text").allTextContents(), ["func1", "400 instructions, 48.8 %",
		"self 100 instructions, 12.2 %", "/opt/app  file1.c"], "the tooltip");
});

claim("paper is white whatever the screen is", "diff", async (page) => {
	const ground = () => page.evaluate(() => getComputedStyle(document.querySelector(".back")).fill);

	holds(await ground() !== "rgb(255, 255, 255)", "dark on the screen");
	await page.emulateMedia({ media: "print" });
	expect(await ground(), "rgb(255, 255, 255)", "on paper");
}, { themes: ["dark"] });

claim("kinds and modules can be distinguished by the colour-blind", "simple", async (page) => {
	const close = await page.evaluate(() => {
		/* Machado, Oliveira, Fernandes (2009): protanopia, deuteranopia, tritanopia. */
		const views = [[1, 0, 0, 0, 1, 0, 0, 0, 1],
			[0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
			[0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
			[1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039]];
		const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
		const product = (m, v) => [0, 3, 6].map((row) =>
			m.slice(row, row + 3).reduce((sum, each, k) => sum + each * v[k], 0));
		/* CIE 1976 L*a*b*, of D65. */
		const lab = (rgb) => {
			const [x, y, z] = product([0.4339, 0.3762, 0.1899, 0.2126, 0.7152, 0.0722, 0.0177, 0.1095, 0.8729],
				rgb.map((v) => Math.min(1, Math.max(0, v))))
				.map((t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116));

			return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
		};
		const probe = document.querySelector("g.boxes > path");
		const colours = Array.from("uljkxiac", (kind) => {
			probe.setAttribute("class", kind + "2");
			return [kind, getComputedStyle(probe).fill.match(/[\d.]+/g).slice(0, 3).map((v) => linear(v / 255))];
		});

		return views.flatMap((view) => colours.flatMap(([one, a], i) => colours.slice(i + 1).map(([other, b]) =>
			[one + other, Math.hypot(...lab(product(view, a)).map((v, k) => v - lab(product(view, b))[k]))])))
			.filter(([, distance]) => distance < 11);
	});

	expect(close, [], "colours that are close");
}, { themes: ["light", "dark"] });

claim("labels are legible in both themes", "simple", async (page) => {
	const worst = await page.evaluate(() => {
		const luminance = (colour) => {
			const [r, g, b] = colour.match(/[\d.]+/g).slice(0, 3).map((v) => v / 255)
				.map((v) => (v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4)));

			return 0.2126 * r + 0.7152 * g + 0.0722 * b;
		};
		const fill = (element) => luminance(getComputedStyle(element).fill);
		const label = fill(document.querySelector("g.labels text"));
		const probe = document.querySelector("g.boxes > path");
		const kinds = Array.from("uljkxiachgs", (kind) => Array.from({ length: kind === "h" ? 10 : 5 },
			(_, shade) => kind + shade)).flat().filter((kind) => kind !== "g0" && kind !== "s0");
		let least = 99;

		for (const kind of [...kinds, "z", "match", "tone-rest", "tone-gone", "tone-new"]) {
			probe.setAttribute("class", kind);
			const [high, low] = [fill(probe), label].sort((a, b) => b - a);

			least = Math.min(least, (high + 0.05) / (low + 0.05));
		}
		return least;
	});

	holds(worst >= 4.5, "contrast " + worst);
}, { themes: ["light", "dark"] });

require("./flamegraph_found.js")({ claim, expect, holds, folder,
	folded: fs.readdirSync(folder).filter((each) => each.endsWith(".svg")).map((each) => each.slice(0, -4))
		.filter((each) => !["hostile", "two_columns"].includes(each) && fs.existsSync(path.join(folder, each + ".folded"))) });
require("./flamegraph_ways.js")({ claim, expect, holds, url, shown, named, labels, text, box, button, href, folder });

async function run(browser, { text: words, picture, check, options }) {
	for (const theme of options.themes || ["light"]) {
		const context = await browser.newContext({
			colorScheme: theme,
			viewport: options.viewport || (options.phone ? { width: 390, height: 800 } : { width: 1200, height: 900 }),
			isMobile: Boolean(options.phone),
			hasTouch: Boolean(options.phone),
			javaScriptEnabled: options.javaScript !== false,
		});
		const page = await context.newPage();
		const errors = [];

		page.setDefaultTimeout(60000);
		page.on("pageerror", (error) => errors.push(error.message));
		page.on("request", (request) => {
			if (!request.url().startsWith("file://")) {
				errors.push("asked for " + request.url());
			}
		});
		try {
			await page.goto(url(picture, options.state, options.extension));
			await check(page);
			expect(errors, [], "errors in the page");
		} finally {
			await context.close();
		}
	}
	console.log("pass browser flamegraph: " + words);
}

/* A page that holds the shared parts once and two pictures, under a strict policy. */
function makePage() {
	const whole = fs.readFileSync(path.join(folder, "simple.svg"), "utf8");
	const cut = (from, to) => whole.slice(whole.indexOf(from) + from.length, whole.indexOf(to));
	const style = cut("<style>", "</style>");
	const script = cut("<script><![CDATA[", "]]></script>");
	const picture = whole.slice(whole.indexOf("<svg"), whole.indexOf("<style>")) +
		cut("</defs>", "<script>") + "</svg>";
	const hash = (content) => "'sha256-" + crypto.createHash("sha256").update(content).digest("base64") + "'";

	fs.writeFileSync(path.join(folder, "page.html"), `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>page</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${hash(style)}; script-src ${hash(script)}">
<style>${style}</style></head><body>
<svg width="0" height="0"><defs>${cut("<defs>", "</defs>")}</defs></svg>
${picture}${picture}<script>${script}</script></body></html>`);
}

(async () => {
	makePage();
	const browser = await chromium.launch({
		executablePath: process.env.CHROMIUM,
		args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
			"--disable-background-networking", "--disable-component-update", "--disable-sync"],
	});
	let failed = 0;

	for (const one of claims.filter((each) => each.text.match(process.env.CLAIMS || ""))) {
		try {
			await run(browser, one);
		} catch (error) {
			failed++;
			console.log("fail browser flamegraph: " + one.text + "\n  " + String(error.message).split("\n").join("\n  "));
		}
	}
	await browser.close();
	process.exit(failed > 0 ? 1 : 0);
})();
