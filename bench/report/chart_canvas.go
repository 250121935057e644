package report

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"math"
	"strings"

	"github.com/golang/freetype/truetype"
	gochart "github.com/wcharczuk/go-chart/v2"
	"github.com/wcharczuk/go-chart/v2/drawing"
	"golang.org/x/image/math/fixed"
)

//go:embed font/wqy-microhei-subset.ttf font/LICENSE font/NOTICE
var fontFiles embed.FS

// typeface is the one face of all chart text, Latin and Chinese. Written, where
// set, is told of every text that is drawn and of the box that it takes.
type typeface struct {
	font    *truetype.Font
	written func(text string, b box)
}

func loadTypeface() (*typeface, error) {
	data, err := fontFiles.ReadFile("font/wqy-microhei-subset.ttf")
	if err != nil {
		return nil, fmt.Errorf("read the chart font: %w", err)
	}
	font, err := truetype.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("parse the chart font: %w", err)
	}
	return &typeface{font: font}, nil
}

// printable replaces what the face has no glyph for.
func (f *typeface) printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case f.font.Index(r) != 0:
			return r
		case r == '–' || r == '—' || r == '−':
			return '-'
		case r == '·':
			return '.'
		}
		return '?'
	}, text)
}

// width of text in pixels at the given size.
func (f *typeface) width(text string, size int) int {
	var sum fixed.Int26_6
	for _, r := range f.printable(text) {
		sum += f.font.HMetric(fixed.I(size), f.font.Index(r)).AdvanceWidth
	}
	return sum.Ceil()
}

// fit cuts text so that it is at most room pixels wide. The cut, marked "…",
// leaves two thirds of the rest before it and one behind, since names of
// models differ at both ends.
func (f *typeface) fit(text string, size, room int) string {
	if f.width(text, size) <= room {
		return text
	}
	runes := []rune(text)
	for n := len(runes) - 1; n > 0; n-- {
		tail := n / 3
		cut := strings.TrimSpace(string(runes[:n-tail])) + "…" + strings.TrimSpace(string(runes[len(runes)-tail:]))
		if f.width(cut, size) <= room {
			return cut
		}
	}
	return ""
}

// align says which end of a text stands at its x.
type align int

const (
	leftAt align = iota
	centreAt
	rightAt
)

// spot is a place on the canvas, in pixels from its top left corner.
type spot struct{ x, y int }

// canvas is a white picture that is drawn on in pixels.
type canvas struct {
	*typeface
	r     gochart.Renderer
	image *image.RGBA // what r draws on
}

// picked receives the image of a renderer.
type picked struct{ image *image.RGBA }

// SetRGBA implements the renderer's interface for handing its image over.
func (p *picked) SetRGBA(i *image.RGBA) { p.image = i }

// Write implements [io.Writer]; nothing is written where the image is handed over.
func (p *picked) Write(data []byte) (int, error) { return len(data), nil }

func newCanvas(face *typeface, width, height int) (*canvas, error) {
	r, err := gochart.PNG(width, height)
	if err != nil {
		return nil, fmt.Errorf("start a picture of %d × %d: %w", width, height, err)
	}
	r.SetDPI(64) // one point of font size is one pixel
	r.SetFont(face.font)
	var own picked
	if err := r.Save(&own); err != nil || own.image == nil {
		return nil, fmt.Errorf("reach the picture's pixels: %w", cmp.Or(err, errors.ErrUnsupported))
	}
	draw.Draw(own.image, own.image.Bounds(), image.White, image.Point{}, draw.Src)
	return &canvas{face, r, own.image}, nil
}

// png encodes the picture.
func (c *canvas) png() ([]byte, error) {
	file, err := pngOf(c.image)
	if err != nil {
		return nil, fmt.Errorf("encode the picture: %w", err)
	}
	return file, nil
}

// text writes a line whose baseline is at y.
func (c *canvas) text(text string, x, y, size int, how align, ink colour) {
	switch how {
	case centreAt:
		x -= c.typeface.width(text, size) / 2
	case rightAt:
		x -= c.typeface.width(text, size)
	}
	if c.written != nil && text != "" {
		c.written(text, box{x, y - size*4/5, x + c.typeface.width(text, size), y + size/5})
	}
	c.r.SetFontSize(float64(size))
	c.r.SetFontColor(ink.solid())
	c.r.Text(c.printable(text), x, y)
}

// middle writes a line that is centred vertically on y.
func (c *canvas) middle(text string, x, y, size int, how align, ink colour) {
	c.text(text, x, y+size*36/100, size, how, ink)
}

// stroke is how a line is drawn.
type stroke struct {
	colour drawing.Color
	width  float64
	dash   []float64
}

// path draws a line through the spots; one spot alone leaves nothing.
func (c *canvas) path(s stroke, spots ...spot) {
	c.r.SetStrokeColor(s.colour)
	c.r.SetStrokeWidth(s.width)
	for _, part := range dashes(spots, s.dash) {
		if len(part) > 1 {
			c.trace(part)
			c.r.Stroke()
		}
	}
}

// polygon fills the polygon with the spots as its corners.
func (c *canvas) polygon(fill drawing.Color, spots ...spot) {
	if len(spots) < 3 {
		return
	}
	c.trace(spots)
	c.r.Close()
	c.r.SetFillColor(fill)
	c.r.Fill()
}

func (c *canvas) trace(spots []spot) {
	c.r.MoveTo(spots[0].x, spots[0].y)
	before := spots[0]
	for _, at := range spots[1:] {
		if at != before {
			c.r.LineTo(at.x, at.y)
		}
		before = at
	}
}

func (c *canvas) rect(b box, fill drawing.Color) {
	c.polygon(fill, spot{b.left, b.top}, spot{b.right, b.top}, spot{b.right, b.bottom}, spot{b.left, b.bottom})
}

// marker draws a shape of the given radius with a white rim, so that markers
// which overlap can be told apart; small ones have none, as it would cut the line under them. A hollow one is white with a coloured rim.
func (c *canvas) marker(l look, at spot, radius int, hollow bool) {
	if hollow {
		c.shape(l.shape, at, radius, l.colour.solid())
		c.shape(l.shape, at, radius-3, white.solid())
		return
	}
	if radius >= 6 {
		c.shape(l.shape, at, radius+2, white.sheer(200))
	}
	c.shape(l.shape, at, radius, l.colour.solid())
}

func (c *canvas) shape(s shape, at spot, radius int, fill drawing.Color) {
	x, y := at.x, at.y
	switch s {
	case square:
		d := radius * 9 / 10
		c.polygon(fill, spot{x - d, y - d}, spot{x + d, y - d}, spot{x + d, y + d}, spot{x - d, y + d})
	case triangle:
		d := radius * 12 / 10
		c.polygon(fill, spot{x, y - d}, spot{x + d, y + d*8/10}, spot{x - d, y + d*8/10})
	case diamond:
		d := radius * 13 / 10
		c.polygon(fill, spot{x, y - d}, spot{x + d, y}, spot{x, y + d}, spot{x - d, y})
	default:
		c.r.SetFillColor(fill)
		c.disc(at, radius)
		c.r.Fill()
	}
}

// disc traces a circle.
func (c *canvas) disc(at spot, radius int) {
	c.r.MoveTo(at.x+radius, at.y)
	c.r.ArcTo(at.x, at.y, float64(radius), float64(radius), 0, 2*math.Pi)
	c.r.Close()
}

// cross draws the mark of a failure.
func (c *canvas) cross(at spot, radius int, ink colour) {
	s := stroke{colour: ink.solid(), width: 4}
	c.path(s, spot{at.x - radius, at.y - radius}, spot{at.x + radius, at.y + radius})
	c.path(s, spot{at.x - radius, at.y + radius}, spot{at.x + radius, at.y - radius})
}
