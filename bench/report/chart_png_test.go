package report

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"
)

func TestAPictureIsDecodedAsItWasDrawn(t *testing.T) {
	for _, size := range []image.Point{{1, 1}, {3, 2}, {700, 90}} {
		drawn := image.NewRGBA(image.Rectangle{Max: size})
		for y := range size.Y {
			for x := range size.X {
				drawn.Set(x, y, color.RGBA{uint8(x), uint8(y), uint8(x * y), 255})
			}
		}
		file, err := pngOf(drawn)
		if err != nil {
			t.Fatal(err)
		}
		got, err := png.Decode(bytes.NewReader(file))
		if err != nil || got.Bounds() != drawn.Bounds() {
			t.Fatalf("%v came to %v", size, err)
		}
		for y := range size.Y {
			for x := range size.X {
				if color.RGBAModel.Convert(got.At(x, y)) != drawn.At(x, y) {
					t.Fatalf("at %d, %d of %v it is %v, drawn was %v", x, y, size, got.At(x, y), drawn.At(x, y))
				}
			}
		}
	}
}
