package report

import "math"

// dashes cuts a line into pieces that are drawn, by turns as long as the
// pattern's even entries and as far apart as its odd ones. The pattern goes on
// over the corners, so that it stays whole on lines of many short parts. No
// pattern leaves the line in one piece.
func dashes(spots []spot, pattern []float64) [][]spot {
	if len(pattern) == 0 || len(spots) < 2 {
		return [][]spot{spots}
	}
	d := dasher{pattern: pattern, left: pattern[0], piece: []spot{spots[0]}}
	for i, to := range spots[1:] {
		d.along(spots[i], to)
	}
	d.end()
	return d.pieces
}

// dasher walks along a line.
type dasher struct {
	pattern []float64
	at      int     // entry of the pattern; the line is drawn in the even ones
	left    float64 // of that entry, in pixels
	piece   []spot  // being drawn
	pieces  [][]spot
}

func (d *dasher) along(from, to spot) {
	length := math.Hypot(float64(to.x-from.x), float64(to.y-from.y))
	for done := 0.0; ; {
		if length-done < d.left {
			d.left -= length - done
			d.reach(to)
			return
		}
		done += d.left
		part := done / length
		d.reach(spot{from.x + int(math.Round(part*float64(to.x-from.x))), from.y + int(math.Round(part*float64(to.y-from.y)))})
		d.turn()
	}
}

// reach goes to a spot, drawing or not.
func (d *dasher) reach(at spot) {
	if d.at%2 == 0 {
		d.piece = append(d.piece, at)
	} else {
		d.piece = []spot{at}
	}
}

// turn goes on to the next entry of the pattern.
func (d *dasher) turn() {
	if d.at%2 == 0 {
		d.end()
		d.piece = d.piece[len(d.piece)-1:]
	}
	d.at = (d.at + 1) % len(d.pattern)
	d.left = max(d.pattern[d.at], 1)
}

func (d *dasher) end() {
	if d.at%2 == 0 && len(d.piece) > 1 {
		d.pieces = append(d.pieces, d.piece)
	}
}
