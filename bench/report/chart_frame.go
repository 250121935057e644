package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// The measures of a picture, in pixels. It is meant to be shown at half its size.
const (
	pictureWidth = 1800
	margin       = 48

	titleSize    = 38
	subtitleSize = 26
	detailSize   = 21
	legendSize   = 22
	labelSize    = 20
	smallSize    = 18

	keyWidth  = 56 // of a legend's sample
	legendRow = 38
)

// key is one entry of a legend: a sample, drawn around the middle of its left edge, and its text.
type key struct {
	sample func(c *canvas, left spot)
	names  []string // of a target; cut where they are too long
	text   string   // follows the names, and is never cut
	apart  bool     // begins a line
}

// frame is what surrounds the data of every picture.
type frame struct {
	title    string
	subtitle []string // names; none leaves the line out
	details  []string
	badges   []string // what must not be overlooked
	keys     []key
}

// newFrame is the frame of a picture of the result: what was measured, when, and how it ended.
func newFrame(w *chartWords, result *bench.Result, title string) frame {
	if state := w.unfinished(result.State); state != "" {
		title = w.withUnit(title, state)
	}
	f := frame{title: title, badges: w.badges(result)}
	if len(result.Targets) == 1 {
		t := &result.Targets[0]
		f.subtitle = namesOf(&t.Target)
		f.details = []string{w.outcome(t.Summary.Requests)}
	}
	f.details = append(f.details, w.workload(result)+" | "+startOf(result))
	return f
}

func startOf(result *bench.Result) string {
	return result.Began.Format(time.DateTime + " -0700")
}

// namesOf is the label, and the model where that says more.
func namesOf(t *bench.Target) []string {
	label, model := bench.Clean(t.Label, 200), bench.Clean(t.Model, 200)
	switch {
	case label == "" || label == model:
		return []string{model}
	case model == "":
		return []string{label}
	}
	return []string{label, model}
}

const between = " | " // the parts of a line

// fitNames joins names in room pixels. Where they are too long, those that
// take more than their share are cut, so that none pushes another out.
func (f *typeface) fitNames(names []string, size, room int) string {
	room -= (len(names) - 1) * f.width(between, size)
	fitted := make([]string, len(names))
	order := make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(f.width(names[a], size), f.width(names[b], size)) })
	for done, i := range order { // the shortest first: what it leaves is for the others
		fitted[i] = f.fit(names[i], size, room/(len(names)-done))
		room -= f.width(fitted[i], size)
	}
	return strings.Join(fitted, between)
}

// targetKeys are the legend's entries that tell several targets apart; none for one.
func targetKeys(w *chartWords, result *bench.Result) []key {
	if len(result.Targets) < 2 {
		return nil
	}
	var keys []key
	for i := range result.Targets {
		t := &result.Targets[i]
		keys = append(keys, key{sample: lineSample(lookOf(i)), names: namesOf(&t.Target), text: between + w.standing(t)})
	}
	return keys
}

// row is the entries of one line of a legend, and where each begins.
type row struct {
	keys []key
	at   []int
}

// rows breaks the legend into lines no wider than the picture.
func (f *frame) rows(face *typeface) []row {
	room := pictureWidth - 2*margin
	var rows []row
	x := room + 1
	for _, k := range f.keys {
		if len(k.names) > 0 {
			k.text = face.fitNames(k.names, legendSize, room-keyWidth-face.width(k.text, legendSize)) + k.text
		}
		need := keyWidth + face.width(k.text, legendSize)
		if k.apart || x+need > room {
			rows, x = append(rows, row{}), 0
		}
		last := &rows[len(rows)-1]
		last.keys, last.at = append(last.keys, k), append(last.at, margin+x)
		x += need + 36
	}
	return rows
}

// subtitles are the names in one line, or in one each where they are too long for that.
func (f *frame) subtitles(face *typeface) []string {
	room := pictureWidth - 2*margin
	if together := strings.Join(f.subtitle, between); face.width(together, subtitleSize) <= room && together != "" {
		return []string{together}
	}
	var lines []string
	for _, name := range f.subtitle {
		lines = append(lines, face.fit(name, subtitleSize, room))
	}
	return lines
}

// height is how much the frame takes at the top of the picture.
func (f *frame) height(face *typeface) int {
	h := f.lift() + 76 + len(f.details)*32 + len(f.rows(face))*legendRow + 22
	return h + len(f.subtitles(face))*40
}

// draw writes the frame at the top of the canvas.
func (f *frame) draw(c *canvas) {
	right := pictureWidth - margin
	room := right - margin
	switch len(f.badges) {
	case 0:
	case 1:
		room = f.drawBadge(c, f.badges[0], right-f.badgeWidth(c, f.badges[0])) - 32 - margin
	default:
		for i, left := 0, margin; i < len(f.badges); i++ {
			left = f.drawBadge(c, f.badges[i], left) + f.badgeWidth(c, f.badges[i]) + 16
		}
	}
	y := f.lift() + 66
	c.text(c.fit(f.title, titleSize, room), margin, y, titleSize, leftAt, ink)
	for _, line := range f.subtitles(c.typeface) {
		y += 40
		c.text(line, margin, y, subtitleSize, leftAt, ink)
	}
	for _, line := range f.details {
		y += 32
		c.text(c.fit(line, detailSize, right-margin), margin, y, detailSize, leftAt, muted)
	}
	y += 40
	for _, r := range f.rows(c.typeface) {
		for i, k := range r.keys {
			k.sample(c, spot{r.at[i], y})
			c.middle(k.text, r.at[i]+keyWidth, y, legendSize, leftAt, ink)
		}
		y += legendRow
	}
}

// The measures of a badge.
const (
	badgeSize = 26
	badgePad  = 18
)

// lift is what a line of several badges takes above the title; a single one
// stands beside it.
func (f *frame) lift() int {
	if len(f.badges) > 1 {
		return 60
	}
	return 0
}

func (f *frame) badgeWidth(c *canvas, badge string) int {
	return c.typeface.width(badge, badgeSize) + 2*badgePad
}

// drawBadge draws a badge at the top and returns its left edge.
func (f *frame) drawBadge(c *canvas, badge string, left int) int {
	c.rect(box{left, 28, left + f.badgeWidth(c, badge), 76}, signal.solid())
	c.middle(badge, left+badgePad, 52, badgeSize, leftAt, ink)
	return left
}

func lineSample(l look) func(*canvas, spot) {
	return func(c *canvas, left spot) {
		c.path(stroke{colour: l.colour.solid(), width: 4}, left, spot{left.x + 44, left.y})
		c.shape(l.shape, spot{left.x + 22, left.y}, 9, l.colour.solid())
	}
}

func markerSample(l look, hollow bool) func(*canvas, spot) {
	return func(c *canvas, left spot) { c.marker(l, spot{left.x + 28, left.y}, 9, hollow) }
}

func bandSample(ground colour) func(*canvas, spot) {
	return func(c *canvas, left spot) {
		c.rect(box{left.x, left.y - 11, left.x + 44, left.y + 11}, ground.sheer(bandAlpha))
	}
}

func strokeSample(s stroke) func(*canvas, spot) {
	return func(c *canvas, left spot) { c.path(s, left, spot{left.x + 46, left.y}) }
}

func crossSample(ink colour) func(*canvas, spot) {
	return func(c *canvas, left spot) { c.cross(spot{left.x + 28, left.y}, 8, ink) }
}
