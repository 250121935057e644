package report

import "github.com/wcharczuk/go-chart/v2/drawing"

// colour is 0xRRGGBB.
type colour uint32

// The colours of what is not data.
const (
	white  colour = 0xffffff
	ink    colour = 0x1f2328
	muted  colour = 0x59636e
	border colour = 0xa0a8b2
	faint  colour = 0xe4e8ed
	alarm  colour = 0xc00020 // failures
	caveat colour = 0x8a5a00 // retries
	signal colour = 0xffd65c // the ground of the mark of a simulated run
)

// sheer is the colour with the given opacity, 0 to 255.
func (c colour) sheer(alpha uint8) drawing.Color {
	return drawing.Color{R: uint8(c >> 16), G: uint8(c >> 8), B: uint8(c), A: alpha}
}

// solid is the colour without transparency.
func (c colour) solid() drawing.Color { return c.sheer(255) }

// shape is the form of a marker; it tells targets apart without colour.
type shape int

const (
	disc shape = iota
	square
	triangle
	diamond
	shapes // how many there are
)

// look is how a target is drawn.
type look struct {
	colour colour
	shape  shape
}

// lookOf gives the n-th target, from 0, a colour of Okabe and Ito's palette,
// which readers who see few colours can tell apart, and a shape. The first 28
// looks differ.
func lookOf(n int) look {
	palette := [...]colour{
		0x0072b2, // blue
		0xd55e00, // vermillion
		0x009e73, // bluish green
		0xcc79a7, // reddish purple
		0xe69f00, // orange
		0x56b4e9, // sky blue
		0x000000, // black
	}
	return look{palette[n%len(palette)], shape(n % int(shapes))}
}
