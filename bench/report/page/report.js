(() => {
"use strict";

const root = document.documentElement;
const themeButton = document.getElementById("theme");
const dark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : dark.matches;
themeButton.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  themeButton.setAttribute("aria-pressed", String(isDark()));
});
addEventListener("beforeprint", () => {
  for (const d of document.querySelectorAll("details:not([open])")) { d.open = true; d.dataset.closed = "1"; }
});
addEventListener("afterprint", () => {
  for (const d of document.querySelectorAll("details[data-closed]")) { d.open = false; delete d.dataset.closed; }
});

const source = document.getElementById("data");
if (!source) return;
const data = JSON.parse(source.textContent);
const W = data.words;
const spoken = document.getElementById("spoken");

// ---- numbers: printed as in the tables of the report

const grouped = (v) => Math.round(v).toLocaleString("en-US");
function significant(v) {
  if (v === 0) return "0";
  const a = Math.abs(v);
  const digits = a >= 99.95 ? 0 : a >= 9.995 ? 1 : a >= 0.9995 ? 2 : a >= 0.09995 ? 3 : 4;
  return digits === 0 ? grouped(v) : v.toFixed(digits);
}
function duration(ms) {
  const a = Math.abs(ms);
  if (a < 999.5) return significant(ms) + " ms";
  if (a < 99950) return significant(ms / 1000) + " s";
  let s = Math.round(ms / 1000);
  const parts = [];
  for (const [unit, name] of [[3600, "h"], [60, "min"], [1, "s"]]) {
    if (s >= unit) { parts.push(grouped(Math.floor(s / unit)) + " " + name); s %= unit; }
  }
  return parts.join(" ");
}
const percent = (share) => (100 * share).toFixed(1) + " %";
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => name in values ? values[name] : whole);

// percentile interpolates between the closest ranks of ascending values.
function percentile(sorted, p) {
  const rank = p / 100 * (sorted.length - 1), low = Math.floor(rank), high = Math.min(low + 1, sorted.length - 1);
  return sorted[low] + (rank - low) * (sorted[high] - sorted[low]);
}
const mean = (values) => values.reduce((sum, v) => sum + v, 0) / values.length;
const known = (rows, name) => rows.map((r) => r[name]).filter((v) => v !== null && v !== undefined);
const ascending = (values) => values.sort((a, b) => a - b);

function ticks(low, high, most) {
  if (!(high > low)) high = low + 1;
  let size = 10 ** Math.floor(Math.log10((high - low) / most));
  for (const m of [1, 2, 5, 10, 20, 50, 100]) {
    if (Math.ceil(high / (size * m) - 1e-9) - Math.floor(low / (size * m) + 1e-9) + 1 <= most) { size *= m; break; }
  }
  const first = Math.floor(low / size + 1e-9), last = Math.ceil(high / size - 1e-9), out = [];
  const digits = Math.max(0, -Math.floor(Math.log10(size) + 1e-9));
  for (let i = first; i <= last; i++) out.push({ value: i * size, label: (i * size).toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits }) });
  return out;
}
// timeScale keeps milliseconds while they have at most four digits.
const timeScale = (most) => most >= 10000 ? { unit: W.s, per: 1000 } : { unit: W.ms, per: 1 };

// ---- the requests

const series = data.series.map((s, i) => {
  const r = s.rows, rows = [];
  for (let j = 0; j < (r.key || []).length; j++) {
    rows.push({
      series: i, key: r.key[j], session: r.session[j], start: r.start[j], end: r.end[j], ttft: r.ttft[j], tpot: r.tpot[j], e2e: r.e2e[j],
      wait: r.wait ? r.wait[j] : null, prompt: r.prompt[j], cached: r.cached[j], kind: r.kind[j], id: r.id[j],
      per1k: r.ttft[j] !== null && r.prompt[j] > 0 ? r.ttft[j] * 1000 / r.prompt[j] : null,
    });
  }
  return { ...s, index: i, rows };
});
const keys = series.flatMap((s) => s.rows.map((r) => r.key));
const lowest = keys.length ? keys.reduce((a, b) => Math.min(a, b)) : 1;
const highest = keys.length ? keys.reduce((a, b) => Math.max(a, b)) : 1;
const unique = (values) => [...new Set(values)];
const targets = unique(series.map((s) => s.target));
const loads = unique(series.map((s) => s.load || ""));
// A look is a colour, from 0 to 6, and a marker, from 0 to 3: both tell series
// apart. Of several targets at several loads the colour is the target's, the marker the load's.
const lookOf = (colour, marker) => colour % 7 + 7 * (marker % 4);
const hue = (look) => "c" + look % 7;
for (const s of series) s.look = targets.length > 1 && loads.length > 1 ? lookOf(targets.indexOf(s.target), loads.indexOf(s.load)) : lookOf(s.index, s.index);

const filter = { targets: new Set(targets), loads: new Set(loads), from: lowest, to: highest };
const chosen = () => series.filter((s) => filter.targets.has(s.target) && filter.loads.has(s.load || ""))
  .map((s) => ({ ...s, rows: s.rows.filter((r) => r.key >= filter.from && r.key <= filter.to) }));

function hitRate(rows) {
  const ok = rows.filter((r) => r.kind === "" && r.prompt !== null);
  if (!ok.some((r) => r.cached !== null)) return null;
  const prompt = ok.reduce((sum, r) => sum + r.prompt, 0);
  return prompt > 0 ? ok.reduce((sum, r) => sum + (r.cached || 0), 0) / prompt : null;
}

// ---- elements

function element(name, attributes, ...children) {
  const e = document.createElement(name);
  for (const [k, v] of Object.entries(attributes || {})) { if (v !== undefined && v !== false) e.setAttribute(k, v === true ? "" : v); }
  e.append(...children.filter((c) => c !== null && c !== undefined));
  return e;
}
function shape(name, attributes, text) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [k, v] of Object.entries(attributes || {})) e.setAttribute(k, v);
  if (text !== undefined) e.textContent = text;
  return e;
}
function swatch(look) {
  const svg = shape("svg", { width: 22, height: 12, "aria-hidden": "true", class: hue(look) });
  svg.append(shape("path", { d: "M1 6H21", class: "curve ink" }), shape("path", { d: glyph(look, 11, 6, 4), class: "fill" }));
  return svg;
}
// glyph is the marker of a look, so that series differ without colour.
function glyph(look, x, y, r) {
  switch (Math.floor(look / 7)) {
    case 1: return `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`;
    case 2: return `M${x} ${y - r * 1.2}L${x + r * 1.2} ${y + r}H${x - r * 1.2}z`;
    case 3: return `M${x} ${y - r * 1.3}L${x + r * 1.3} ${y}L${x} ${y + r * 1.3}L${x - r * 1.3} ${y}z`;
  }
  return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
}

// ---- a panel: axes, curves, and a cursor that pointer and keys move

const panelHeight = 250;
const space = { left: 52, right: 16, top: 14, bottom: 44 };

// badgeLines breaks the badges into lines no wider than room pixels.
function badgeLines(room) {
  const lines = [], width = (s) => [...s].reduce((n, c) => n + (c < "\u2e80" ? 7 : 10), 0);
  for (const badge of data.badges || []) {
    const longer = lines.length ? lines[lines.length - 1] + " · " + badge : "";
    if (longer && width(longer) <= room) lines[lines.length - 1] = longer; else lines.push(badge);
  }
  return lines;
}

class Panel {
  // spec: title, note, width, x {low, high, ticks, label}, y {low, high, ticks}, label, steps, at(step), read(step), nearest(x, y)
  constructor(host, spec) {
    this.spec = spec;
    this.width = spec.width;
    this.height = spec.height || panelHeight;
    const right = spec.second ? 54 : space.right;
    this.badges = badgeLines(this.width - 8);
    const above = this.badges.length ? 13 * this.badges.length + 8 : 0;
    this.height += above;
    this.box = { left: space.left, right: this.width - right, top: space.top + above, bottom: this.height - space.bottom };
    const caption = element("figcaption", {}, element("span", {}, spec.title, spec.unit ? element("small", {}, " " + spec.unit) : ""), element("small", {}, spec.note || ""));
    this.figure = element("figure", { class: "panel" }, caption);
    this.svg = shape("svg", { class: "plot", viewBox: `0 0 ${this.width} ${this.height}`, tabindex: "0", role: "img", "aria-label": [spec.title, spec.unit, spec.note].filter(Boolean).join(", ") + ". " + W.plot_help });
    this.tip = element("div", { class: "tip", hidden: true });
    this.figure.append(this.svg, this.tip);
    host.append(this.figure);
    this.axes();
  }
  x(v) { const { low, high, log } = this.spec.x, f = log ? Math.log : (n) => n; return this.box.left + (f(v) - f(low)) / (f(high) - f(low) || 1) * (this.box.right - this.box.left); }
  y(v) { const { low, high } = this.spec.y; return this.box.bottom - (v - low) / (high - low || 1) * (this.box.bottom - this.box.top); }
  y2(v) { return this.box.bottom - v / this.spec.second.high * (this.box.bottom - this.box.top); }
  add(name, attributes, text) { const e = shape(name, attributes, text); this.svg.append(e); return e; }
  axes() {
    const b = this.box, s = this.spec;
    for (const t of s.y.ticks) {
      const y = this.y(t.value);
      this.add("path", { d: `M${b.left} ${y}H${b.right}`, class: "grid" });
      this.add("text", { x: b.left - 7, y: y + 4, "text-anchor": "end" }, t.label);
    }
    for (const t of s.second ? s.second.ticks : []) this.add("text", { x: b.right + 7, y: this.y2(t.value) + 4 }, t.label);
    this.add("path", { d: `M${b.left} ${b.bottom}H${b.right}`, class: "axis" });
    let edge = -Infinity;
    for (const t of s.x.ticks) {
      const x = this.x(t.value), half = t.label.length * 3.4 + 3;
      if (x - half < edge || x > b.right + 1) continue;
      edge = x + half;
      this.add("path", { d: `M${x} ${b.bottom}v5`, class: "axis" });
      const outside = x + half > this.width; // a label of many digits at the right edge
      this.add("text", { x: outside ? this.width - 2 : x, y: b.bottom + 18, "text-anchor": outside ? "end" : "middle" }, t.label);
    }
    this.add("text", { x: (b.left + b.right) / 2, y: this.height - 7, "text-anchor": "middle" }, s.x.label);
    this.badges.forEach((text, i) => this.add("text", { x: this.width - 4, y: 11 + 13 * i, "text-anchor": "end", class: "simulated" }, text));
  }
  line(points, attributes) {
    const d = points.map(([x, y], i) => (i ? "L" : "M") + x.toFixed(1) + " " + y.toFixed(1)).join("");
    if (d) this.add("path", { d: points.length === 1 ? d + "h0" : d, ...attributes });
  }
  // finish lets the reader move a cursor over the values.
  finish() {
    const s = this.spec;
    if (!s.steps) { this.add("text", { x: (this.box.left + this.box.right) / 2, y: (this.box.top + this.box.bottom) / 2, "text-anchor": "middle" }, W.no_data); this.figure.classList.add("empty"); return; }
    this.cursor = this.add("path", { class: "cursor" });
    this.marks = shape("g", {});
    this.svg.append(this.marks);
    this.step = -1;
    this.svg.addEventListener("pointermove", (e) => this.point(e));
    this.svg.addEventListener("pointerdown", (e) => this.point(e));
    this.svg.addEventListener("pointerleave", () => this.hide());
    this.svg.addEventListener("blur", () => this.hide());
    this.svg.addEventListener("keydown", (e) => this.press(e));
  }
  point(e) {
    const r = this.svg.getBoundingClientRect(), k = this.width / r.width;
    const step = this.spec.nearest((e.clientX - r.left) * k, (e.clientY - r.top) * k, this);
    if (step < 0) this.hide(); else this.show(step, false);
  }
  press(e) {
    const last = this.spec.steps - 1, big = Math.max(1, Math.round(this.spec.steps / 20));
    const to = { ArrowRight: this.step + 1, ArrowUp: this.step + 1, ArrowLeft: this.step - 1, ArrowDown: this.step - 1, PageUp: this.step + big, PageDown: this.step - big, Home: 0, End: last }[e.key];
    if (e.key === "Escape") { this.hide(); return; }
    if (to === undefined) return;
    e.preventDefault();
    this.show(Math.max(0, Math.min(last, to)), true);
  }
  show(step, aloud) {
    this.step = step;
    const reading = this.spec.read(step, this);
    this.cursor.setAttribute("d", reading.cursor);
    this.cursor.style.visibility = "visible";
    this.marks.replaceChildren(...reading.marks.map((m) => { const e = shape("path", { d: glyph(m.look, m.x, m.y, 5), class: "mark fill " + hue(m.look) }); e.style.visibility = "visible"; return e; }));
    this.tip.replaceChildren(element("b", {}, reading.title), ...reading.lines.map((l) => element("span", {}, element("i", { class: l.look === undefined ? "" : hue(l.look) }), element("span", {}, l.text))));
    this.tip.hidden = false;
    this.place(reading.x, reading.y);
    if (aloud) spoken.textContent = [reading.title, ...reading.lines.map((l) => l.text)].join(". ");
  }
  place(x, y) {
    const outer = this.figure.getBoundingClientRect(), inner = this.svg.getBoundingClientRect(), k = inner.width / this.width;
    const w = this.tip.offsetWidth, h = this.tip.offsetHeight;
    const at = inner.left - outer.left + x * k, from = inner.top - outer.top + y * k, above = from - h - 12;
    this.tip.style.left = Math.max(4, Math.min(at - w / 2, this.figure.clientWidth - w - 4)) + "px";
    this.tip.style.top = Math.max(4, above >= 4 ? above : Math.min(from + 14, this.figure.clientHeight - h - 4)) + "px";
  }
  hide() {
    this.step = -1;
    this.tip.hidden = true;
    this.cursor.style.visibility = "hidden";
    this.marks.replaceChildren();
  }
}

const upright = (panel, x) => `M${x.toFixed(1)} ${panel.box.top}V${panel.box.bottom}`;
const closest = (values, v) => values.reduce((best, c, i) => Math.abs(c - v) < Math.abs(values[best] - v) ? i : best, 0);
const named = (all, s, text) => all.length > 1 ? s.name + ": " + text : text;

// ---- figures by reuse ordinal or turn

function groupsOf(rows, figure) {
  const by = new Map();
  for (const r of rows) { if (!by.has(r.key)) by.set(r.key, []); by.get(r.key).push(r); }
  const out = [];
  for (const [key, of] of by) { const g = figure(of); if (g) out.push({ key, ...g }); }
  return out.sort((a, b) => a.key - b.key);
}
function latencyGroup(name) {
  return (rows) => {
    const values = ascending(known(rows, name));
    return values.length ? { mean: mean(values), low: percentile(values, 5), high: percentile(values, 95), n: values.length } : null;
  };
}
function hitGroup(rows) {
  const rate = hitRate(rows);
  return rate === null ? null : { mean: 100 * rate, low: 100 * rate, high: 100 * rate, n: rows.filter((r) => r.kind === "" && r.prompt !== null).length };
}
function contextGroup(rows) {
  const values = known(rows, "prompt");
  return values.length ? { mean: mean(values), n: values.length } : null;
}
function groupPanel(host, all, title, kind, figure, width) {
  const curves = all.map((s) => ({ ...s, groups: groupsOf(s.rows, figure) }));
  const hits = kind === "hits", every = curves.flatMap((c) => c.groups);
  const top = hits ? 100 : every.reduce((m, g) => Math.max(m, g.high, g.mean), 0);
  const scale = hits ? { unit: "%", per: 1 } : timeScale(top);
  const yTicks = ticks(0, (top || 1) / scale.per * (hits ? 1 : 1.03), 6);
  const steps = ascending(unique(every.map((g) => g.key)));
  const withContext = data.scenario === "multiturn" && kind !== "tpot" && kind !== "per1k";
  const contexts = withContext ? all.map((s) => ({ ...s, groups: groupsOf(s.rows, contextGroup) })) : [];
  const topContext = contexts.flatMap((c) => c.groups).reduce((m, g) => Math.max(m, g.mean), 0);
  const secondTicks = topContext ? ticks(0, topContext * 1.03, 6) : [];
  const p = new Panel(host, {
    title, unit: scale.unit, note: secondTicks.length ? W.context + " (" + W.tokens + ")" : "", width,
    x: { low: filter.from - 0.5, high: filter.to + 0.5, ticks: keyTicks(), label: W[data.key] },
    y: { low: 0, high: yTicks.at(-1).value, ticks: yTicks },
    second: secondTicks.length ? { high: secondTicks.at(-1).value, ticks: secondTicks } : null,
    steps: steps.length,
    nearest: (x, y, p) => closest(steps.map((k) => p.x(k)), x),
    read: (i, p) => {
      const key = steps[i], x = p.x(key), lines = [], marks = [];
      for (const c of curves) {
        const g = c.groups.find((g) => g.key === key);
        if (!g) continue;
        const text = hits ? g.mean.toFixed(1) + " %" : duration(g.mean) + " (P5–P95 " + duration(g.low) + " – " + duration(g.high) + ")";
        lines.push({ look: c.look, text: named(all, c, text + ", n = " + g.n) });
        marks.push({ x, y: p.y(g.mean / scale.per), look: c.look });
        const best = hits && c.ceiling.find((q) => q[0] === key);
        if (best) lines.push({ text: named(all, c, W.best + " " + best[1].toFixed(1) + " %") });
        const context = contexts.find((d) => d.index === c.index);
        const tokens = context && context.groups.find((h) => h.key === key);
        if (tokens) lines.push({ text: named(all, c, W.context + " " + grouped(tokens.mean) + " " + W.tokens) });
      }
      return { title: W.key_name + " " + key, lines, marks, x, y: marks.length ? marks[0].y : p.box.top, cursor: upright(p, x) };
    },
  });
  drawGroups(p, curves, contexts, scale, hits);
  p.finish();
}
function keyTicks() {
  const out = [], step = Math.max(1, ticks(0, filter.to - filter.from + 1, 12)[1].value);
  const labelled = (k) => step <= 2 ? (k - filter.from) % step === 0 : k === filter.from || k % step === 0;
  for (let k = filter.from; k <= filter.to; k++) if (labelled(k)) out.push({ value: k, label: String(k) });
  return out;
}
function drawGroups(p, curves, contexts, scale, hits) {
  if (!hits && curves.length <= 3) {
    for (const c of curves) {
      const edge = [...c.groups.map((g) => [p.x(g.key), p.y(g.high / scale.per)]), ...c.groups.toReversed().map((g) => [p.x(g.key), p.y(g.low / scale.per)])];
      if (c.groups.length > 1) p.line(edge, { class: "band fill " + hue(c.look) });
    }
  }
  for (const c of contexts) p.line(c.groups.map((g) => [p.x(g.key), p.y2(g.mean)]), { class: "curve second ink " + hue(c.look) });
  for (const c of curves) {
    p.line(c.groups.map((g) => [p.x(g.key), p.y(g.mean / scale.per)]), { class: "curve ink " + hue(c.look) });
    const r = c.groups.length <= 40 ? 3.6 : 0;
    if (r) p.add("path", { d: c.groups.map((g) => glyph(c.look, p.x(g.key), p.y(g.mean / scale.per), r)).join(""), class: "fill " + hue(c.look) });
  }
  if (hits) {
    const limits = data.scenario === "multiturn" ? curves : curves.slice(0, 1);
    for (const c of limits) p.line(c.ceiling.filter((q) => q[0] >= filter.from && q[0] <= filter.to).map((q) => [p.x(q[0]), p.y(q[1])]), { class: "limit" });
  }
}

// ---- distributions

function spreadPanel(host, all, title, name, width) {
  const curves = all.map((s) => ({ ...s, values: ascending(known(s.rows, name)) })).filter((c) => c.values.length);
  const low = curves.reduce((m, c) => Math.min(m, c.values[0]), Infinity), high = curves.reduce((m, c) => Math.max(m, c.values.at(-1)), 0);
  const scale = timeScale(high), xTicks = curves.length ? ticks(low / scale.per, high / scale.per, 6) : ticks(0, 1, 5);
  const p = new Panel(host, {
    title, note: "", width,
    x: { low: xTicks[0].value, high: xTicks.at(-1).value, ticks: xTicks, label: title + " (" + scale.unit + ")" },
    y: { low: 0, high: 100, ticks: ticks(0, 100, 6).map((t) => ({ value: t.value, label: t.label + " %" })) },
    steps: curves.length ? 101 : 0,
    nearest: (x, y, p) => Math.max(0, Math.min(100, Math.round((p.box.bottom - y) / (p.box.bottom - p.box.top) * 100))),
    read: (q, p) => {
      const marks = curves.map((c) => ({ x: p.x(percentile(c.values, q) / scale.per), y: p.y(q), look: c.look }));
      return {
        title: "P" + q, marks, x: Math.max(...marks.map((m) => m.x)), y: p.y(q), cursor: `M${p.box.left} ${p.y(q).toFixed(1)}H${p.box.right}`,
        lines: curves.map((c) => ({ look: c.look, text: named(all, c, duration(percentile(c.values, q)) + ", n = " + grouped(c.values.length)) })),
      };
    },
  });
  for (const c of curves) {
    const n = c.values.length, every = Math.ceil(n / 1500);
    const points = [[p.x(c.values[0] / scale.per), p.y(0)]];
    c.values.forEach((v, i) => { if (i % every === 0 || i === n - 1) points.push([p.x(v / scale.per), p.y(n > 1 ? 100 * i / (n - 1) : 100)]); });
    p.line(points, { class: "curve ink " + hue(c.look) });
    for (const q of [50, 99]) p.add("path", { d: glyph(c.look, p.x(percentile(c.values, q) / scale.per), p.y(q), 4), class: "fill " + hue(c.look) });
  }
  p.finish();
}

// ---- timeline

function clock(end) {
  if (end > 300 * 60000) return { unit: W.h, per: 3600000 };
  if (end > 10 * 60000) return { unit: W.min, per: 60000 };
  return { unit: W.s, per: 1000 };
}
function requestLines(all, r) {
  const lines = [{ look: series[r.series].look, text: series[r.series].name }];
  if (r.kind) lines.push({ text: W[r.kind] });
  const add = (name, v, how) => { if (v !== null) lines.push({ text: name + " " + how(v) }); };
  add("TTFT", r.ttft, duration); add("TPOT", r.tpot, duration); add("E2E", r.e2e, duration); add(W.queue, r.wait, duration);
  add(W.prompt, r.prompt, (v) => grouped(v) + " " + W.tokens); add(W.cached, r.cached, (v) => grouped(v) + " " + W.tokens);
  add(W.started, r.start, (v) => duration(v));
  if (r.id) lines.push({ text: r.id });
  return lines;
}
const requestName = (r) => data.scenario === "multiturn" ? `${W.session} ${r.session}, ${W.turn_of} ${r.key}` : `${W.request} ${r.session}, ${W.use_of} ${r.key}`;

function timelinePanel(host, all, width) {
  const rows = all.flatMap((s) => s.rows).filter((r) => r.start !== null).sort((a, b) => a.start - b.start);
  const end = series.flatMap((s) => s.rows).reduce((m, r) => Math.max(m, r.end || 0, r.start || 0), 0), time = clock(end);
  const top = rows.reduce((m, r) => Math.max(m, r.ttft || 0), 0), scale = timeScale(top);
  const yTicks = ticks(0, (top || 1) / scale.per * 1.03, 6), xTicks = ticks(0, end / time.per, 10);
  const shown = rows.filter((r) => r.ttft !== null || r.kind);
  const at = (p, r) => [p.x(r.start / time.per), r.ttft === null ? p.box.bottom - 7 : p.y(r.ttft / scale.per)];
  let places = null;
  const p = new Panel(host, {
    title: W.timeline, unit: scale.unit, width, height: 280,
    x: { low: 0, high: end / time.per, ticks: xTicks, label: W.clock + " (" + time.unit + ")" }, y: { low: 0, high: yTicks.at(-1).value, ticks: yTicks },
    steps: shown.length,
    nearest: (x, y, p) => {
      places = places || shown.map((r) => at(p, r));
      let best = -1, least = 900;
      places.forEach(([px, py], i) => { const d = (px - x) ** 2 + (py - y) ** 2; if (d < least) { least = d; best = i; } });
      return best;
    },
    read: (i, p) => { const [x, y] = at(p, shown[i]); return { title: requestName(shown[i]), lines: requestLines(all, shown[i]), marks: [{ x, y, look: series[shown[i].series].look }], x, y, cursor: upright(p, x) }; },
  });
  const r = rows.length > 2000 ? 2 : 3.4, first = (row) => row.key === 1;
  for (const s of all) {
    const ok = s.rows.filter((row) => row.start !== null && row.ttft !== null && !row.kind);
    p.add("path", { d: ok.filter((row) => !first(row)).map((row) => glyph(s.look, ...at(p, row), r)).join(""), class: "fill " + hue(s.look) });
    p.add("path", { d: ok.filter(first).map((row) => glyph(s.look, ...at(p, row), r)).join(""), class: "ring ink " + hue(s.look) });
    for (const kind of ["failed", "retried", "canceled"]) {
      const d = s.rows.filter((row) => row.kind === kind && row.start !== null).map((row) => { const [x, y] = at(p, row); return `M${x - 4} ${y - 4}l8 8M${x - 4} ${y + 4}l8 -8`; }).join("");
      if (d) p.add("path", { d, class: "crosses " + kind });
    }
  }
  p.finish();
  flightPanel(host, all, width, end, time, xTicks);
}
function flights(rows) {
  const changes = rows.filter((r) => r.start !== null && r.end !== null).flatMap((r) => [[r.start, 1], [r.end, -1]]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const levels = [];
  let n = 0;
  changes.forEach(([t, by], i) => { n += by; if (i + 1 === changes.length || changes[i + 1][0] !== t) levels.push([t, n]); });
  return levels;
}
function flightPanel(host, all, width, end, time, xTicks) {
  const curves = all.map((s) => ({ ...s, levels: flights(series[s.index].rows) }));
  const asked = all.length ? Math.max(...all.map((s) => s.asked)) : 1;
  const reached = curves.flatMap((c) => c.levels).reduce((m, l) => Math.max(m, l[1]), 1), beyond = asked > 4 * reached, peak = beyond ? reached : Math.max(reached, asked);
  const moments = 400;
  const yTicks = ticks(0, peak, 6).filter((t) => Number.isInteger(t.value)).map((t) => ({ value: t.value, label: grouped(t.value) }));
  const level = (c, t) => { let n = 0; for (const [at, m] of c.levels) { if (at > t) break; n = m; } return n; };
  const p = new Panel(host, {
    title: W.flying, note: asked ? W.asked + ": " + unique(all.map((s) => s.asked)).map(grouped).join(", ") + (beyond ? W.beyond : "") : "", width, height: 170,
    x: { low: 0, high: end / time.per, ticks: xTicks, label: W.clock + " (" + time.unit + ")" }, y: { low: 0, high: yTicks.at(-1).value, ticks: yTicks },
    steps: curves.some((c) => c.levels.length) ? moments + 1 : 0,
    nearest: (x, y, p) => Math.max(0, Math.min(moments, Math.round((x - p.box.left) / (p.box.right - p.box.left) * moments))),
    read: (i, p) => {
      const t = end * i / moments, x = p.x(t / time.per);
      const lines = curves.map((c) => ({ look: c.look, text: named(all, c, level(c, t) + " " + W.in_flight) }));
      return { title: duration(t), lines, marks: curves.map((c) => ({ x, y: p.y(level(c, t)), look: c.look })), x, y: p.box.top + 20, cursor: upright(p, x) };
    },
  });
  for (const c of curves) {
    const points = [];
    let before = 0;
    for (const [t, n] of c.levels) { const x = p.x(t / time.per); points.push([x, p.y(before)], [x, p.y(n)]); before = n; }
    p.line(points, { class: "curve ink " + hue(c.look) });
  }
  if (loads.length === 1 && asked && !beyond) p.line([[p.box.left, p.y(asked)], [p.box.right, p.y(asked)]], { class: "limit" });
  p.finish();
}

// ---- a sweep: latency and throughput against load

function loadPanel(host, title, main, tail, width, kind) {
  const all = data.loads.map((l, i) => ({ ...l, look: lookOf(i, i), name: l.target })).filter((l) => filter.targets.has(l.target));
  const xs = ascending(unique(all.flatMap((l) => l.x))), values = all.flatMap((l) => [...l[main], ...(tail ? l[tail] : [])]).filter((v) => v !== null && v !== undefined);
  const top = values.reduce((m, v) => Math.max(m, v), 0), scale = kind === "rate" ? { unit: "", per: 1 } : timeScale(top);
  const yTicks = ticks(0, (top || 1) / scale.per * 1.03, 6), log = xs.length > 2 && xs.at(-1) / xs[0] >= 8;
  const print = (v) => v === null || v === undefined ? "–" : kind === "rate" ? significant(v) + " /s" : duration(v);
  const room = log ? [xs[0] / 1.15, xs.at(-1) * 1.15] : [xs[0] - (xs.at(-1) - xs[0]) * .06 - (xs.length < 2 ? 1 : 0), xs.at(-1) + (xs.at(-1) - xs[0]) * .06 + (xs.length < 2 ? 1 : 0)];
  const p = new Panel(host, {
    title, unit: scale.unit, width,
    x: { low: room[0], high: room[1], log, ticks: xs.map((x) => ({ value: x, label: String(x) })), label: data.load_name }, y: { low: 0, high: yTicks.at(-1).value, ticks: yTicks },
    steps: values.length ? xs.length : 0,
    nearest: (x, y, p) => closest(xs.map((v) => p.x(v)), x),
    read: (i, p) => {
      const x = p.x(xs[i]), lines = [], marks = [];
      for (const l of all) {
        const j = l.x.indexOf(xs[i]);
        if (j < 0) continue;
        lines.push({ look: l.look, text: named(all, l, (tail ? "P50 " + print(l[main][j]) + ", P99 " + print(l[tail][j]) : print(l[main][j])) + ", n = " + l.n[j]) });
        if (typeof l[main][j] === "number") marks.push({ x, y: p.y(l[main][j] / scale.per), look: l.look });
      }
      return { title: data.load_name + " " + xs[i], lines, marks, x, y: marks.length ? marks[0].y : p.box.top, cursor: upright(p, x) };
    },
  });
  for (const l of all) {
    const points = (name) => l.x.map((x, j) => [x, l[name][j]]).filter((q) => typeof q[1] === "number").map(([x, v]) => [p.x(x), p.y(v / scale.per)]);
    if (tail) p.line(points(tail), { class: "curve tail ink " + hue(l.look) });
    p.line(points(main), { class: "curve ink " + hue(l.look) });
    p.add("path", { d: [...points(main), ...(tail ? points(tail) : [])].map(([x, y]) => glyph(l.look, x, y, 4)).join(""), class: "fill " + hue(l.look) });
  }
  p.finish();
}

// ---- the page

function legend(entries) {
  const list = element("ul", { class: "legend" });
  for (const [sample, text] of entries) list.append(element("li", {}, sample, text));
  return list;
}
function sample(...paths) {
  const svg = shape("svg", { width: 26, height: 12, "aria-hidden": "true", class: "c0" });
  for (const [d, cls] of paths) svg.append(shape("path", { d, class: cls }));
  return svg;
}
const seriesKeys = (all) => all.length > 1 ? all.map((s) => [swatch(s.look), s.name]) : [];
function heading(host, text) { host.append(element("h3", {}, text)); }
function panelsIn(host, kind) { const e = element("div", { class: "panels " + kind }); host.append(e); return e; }

// groupPanels draw the figures by reuse ordinal or turn.
function groupPanels(host, all, half) {
  heading(host, W.title_groups);
  const marks = [...seriesKeys(all), [sample(["M1 6H25", "curve ink"]), W.mean]];
  if (all.length <= 3) marks.push([sample(["M1 1H25V11H1z", "band fill"]), W.band]);
  marks.push([sample(["M1 6H25", "limit"]), W.best]);
  if (data.scenario === "multiturn") marks.push([sample(["M1 6H25", "curve second ink"]), W.context]);
  host.append(legend(marks));
  const groups = panelsIn(host, "");
  groupPanel(groups, all, W.ttft, "ttft", latencyGroup("ttft"), half);
  groupPanel(groups, all, W.per1k, "per1k", latencyGroup("per1k"), half);
  groupPanel(groups, all, W.tpot, "tpot", latencyGroup("tpot"), half);
  groupPanel(groups, all, W.hits, "hits", hitGroup, half);
}
// spreadPanels draw the distributions.
function spreadPanels(host, all, third) {
  heading(host, W.title_spread);
  host.append(legend([...seriesKeys(all), [sample([glyph(0, 13, 6, 4), "fill"]), W.p50 + ", " + W.p99], ["", W.share_of]]));
  const spreads = panelsIn(host, "three");
  spreadPanel(spreads, all, W.ttft, "ttft", third);
  spreadPanel(spreads, all, W.tpot, "tpot", third);
  spreadPanel(spreads, all, W.e2e, "e2e", third);
}

function draw() {
  const host = document.getElementById("plots"), all = chosen();
  host.replaceChildren();
  const whole = Math.max(300, host.clientWidth || 900), wide = whole - 24;
  const half = whole > 830 ? (whole - 16) / 2 - 24 : wide, third = whole > 920 ? (whole - 32) / 3 - 24 : half;
  host.append(element("h3", {}, W.selection), selectionTable(all));
  if (data.loads) {
    heading(host, W.title_load);
    host.append(legend([...(data.loads.length > 1 ? data.loads.map((l, i) => [swatch(lookOf(i, i)), l.target]) : []), [sample(["M1 6H25", "curve ink"]), W.p50], [sample(["M1 6H25", "curve tail ink"]), W.p99]]));
    const panels = panelsIn(host, "");
    loadPanel(panels, W.ttft, "ttft_p50", "ttft_p99", half);
    loadPanel(panels, W.output, "output", null, half, "rate");
    loadPanel(panels, W.tpot, "tpot_p50", "tpot_p99", half);
    loadPanel(panels, W.e2e, "e2e_p50", "e2e_p99", half);
    if (data.loads[0].wait_p99) { loadPanel(panels, W.queue + " P99", "wait_p99", null, half); loadPanel(panels, W.requests, "rate", null, half, "rate"); }
  }
  if (series.some((s) => s.rows.some((r) => r.ttft !== null))) { groupPanels(host, all, half); spreadPanels(host, all, third); }
  heading(host, W.title_timeline);
  const kinds = ["failed", "retried", "canceled"].filter((k) => series.some((s) => s.rows.some((r) => r.kind === k)));
  host.append(legend([...seriesKeys(all), [sample([glyph(0, 13, 6, 4), "ring ink"]), W.first], [sample([glyph(0, 13, 6, 4), "fill"]), W.later], ...kinds.map((k) => [sample(["M9 2l8 8M9 10l8 -8", "crosses " + k]), W[k]])]));
  timelinePanel(panelsIn(host, "wide"), all, wide);
  tally(all);
}

// selectionTable recomputes the figures over what the filter leaves.
function selectionTable(all) {
  const head = [W.series, "n", "TTFT P50", "TTFT P99", "TPOT P50", "E2E P50", W.hit_rate];
  const body = all.map((s) => {
    const at = (name, q) => { const v = ascending(known(s.rows, name)); return v.length ? duration(percentile(v, q)) : "–"; };
    const rate = hitRate(s.rows);
    return [s.name, grouped(known(s.rows, "ttft").length), at("ttft", 50), at("ttft", 99), at("tpot", 50), at("e2e", 50), rate === null ? W.not_reported : percent(rate)];
  });
  const cells = (row, tag) => row.map((c, i) => element(i === 0 || tag === "th" ? "th" : "td", { class: i ? "num" : false, scope: tag === "th" ? "col" : i ? false : "row" }, c));
  const table = element("table", { id: "selection" }, element("thead", {}, element("tr", {}, ...cells(head, "th"))), element("tbody", {}, ...body.map((r) => element("tr", {}, ...cells(r, "td")))));
  return element("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": W.selection }, table);
}
function tally(all) {
  const n = all.reduce((sum, s) => sum + s.rows.length, 0), every = series.reduce((sum, s) => sum + s.rows.length, 0);
  const left = series.reduce((sum, s) => sum + (s.left || 0), 0);
  document.getElementById("tally").textContent = fill(W.selected, { n: grouped(n), all: grouped(every) }) + (left ? " · " + fill(W.left, { n: grouped(left) }) : "");
}

// ---- the filter

function checkboxes(title, names, set, looks) {
  const field = element("fieldset", {}, element("legend", {}, title));
  names.forEach((name, i) => {
    const box = element("input", { type: "checkbox", checked: true, value: name });
    box.addEventListener("change", () => { if (box.checked) set.add(name); else set.delete(name); draw(); });
    field.append(element("label", {}, box, looks ? swatch(looks[i]) : null, name));
  });
  return field;
}
function filterForm() {
  const form = document.getElementById("tools"), single = loads.length === 1;
  form.addEventListener("submit", (e) => e.preventDefault());
  if (targets.length > 1) form.append(checkboxes(W.targets, targets, filter.targets, single ? targets.map((t) => series.find((s) => s.target === t).look) : null));
  if (!single) form.append(checkboxes(W.loads, loads, filter.loads, targets.length === 1 ? loads.map((l) => series.find((s) => (s.load || "") === l).look) : null));
  if (highest > lowest) form.append(rangeField());
  form.append(element("output", { id: "tally", "aria-live": "polite" }));
  form.hidden = false;
}
function rangeField() {
  const number = (id, value) => element("input", { type: "number", id, min: lowest, max: highest, value, inputmode: "numeric" });
  const from = number("from", lowest), to = number("to", highest);
  const apply = () => {
    const bound = (v, otherwise) => Number.isFinite(v) ? Math.max(lowest, Math.min(highest, Math.round(v))) : otherwise;
    const a = bound(from.valueAsNumber, lowest), b = bound(to.valueAsNumber, highest);
    filter.from = Math.min(a, b); filter.to = Math.max(a, b);
    draw();
  };
  const preset = (text, a, b) => { const e = element("button", { type: "button" }, text); e.addEventListener("click", () => { from.value = a; to.value = b; apply(); }); return e; };
  from.addEventListener("change", apply); to.addEventListener("change", apply);
  const name = W.key_name;
  return element("fieldset", {}, element("legend", {}, name), element("label", {}, W.from, from), element("label", {}, W.to, to),
    preset(W.all, lowest, highest), preset(W.only_first, lowest, lowest), preset(W.only_later, lowest + 1, highest));
}

filterForm();
draw();
let drawn = innerWidth, pending = 0;
addEventListener("resize", () => {
  if (Math.abs(innerWidth - drawn) < 8) return;
  clearTimeout(pending);
  pending = setTimeout(() => { drawn = innerWidth; draw(); }, 120);
});
})();
