package job

import (
	"math"
	"strconv"
	"time"
)

// longest is the largest time limit.
const longest = 7 * 24 * time.Hour

func (f *targetFile) duration(into *time.Duration) func(string, *page) {
	return func(path string, p *page) {
		d, err := time.ParseDuration(p.text)
		if p.kind != pageScalar || err != nil || d <= 0 || d > longest {
			f.refuse(p.line, path, f.scalar(p), "a duration from 1ns to 168h, such as 90s or 10m")
			return
		}
		*into = d
	}
}

func (f *targetFile) concurrency(path string, p *page) {
	n, err := strconv.Atoi(p.text)
	if p.kind != pageScalar || err != nil || n < 1 || n > 10_000 {
		f.refuse(p.line, path, f.scalar(p), "1 to 10000")
		return
	}
	f.target.Terms.MaxConcurrency = n
}

func (f *targetFile) price(into *float64) func(string, *page) {
	return func(path string, p *page) {
		price, err := strconv.ParseFloat(p.text, 64)
		if p.kind != pageScalar || err != nil || price < 0 || math.IsNaN(price) || math.IsInf(price, 0) {
			f.refuse(p.line, path, f.scalar(p), "a price of a million tokens, 0 or more")
			return
		}
		*into = price
	}
}

// scalar is a value for print.
func (f *targetFile) scalar(p *page) string {
	if p.kind != pageScalar {
		return string(p.kind)
	}
	return shown(p.text)
}
