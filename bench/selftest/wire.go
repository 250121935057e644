package selftest

import (
	"fmt"
	"strconv"
	"strings"
)

// digits is the width of a time in a chunk; a blank follows.
const digits = 19

// width is what one chunk adds to an answer.
const width = digits + 1

// putTime writes a time into its place.
func putTime(place []byte, ns int64) {
	for i := digits - 1; i >= 0; i-- {
		place[i] = byte('0' + ns%10)
		ns /= 10
	}
}

// timesOf reads the times that an answer is made of.
func timesOf(answer string) ([]int64, error) {
	if len(answer)%width != 0 {
		return nil, fmt.Errorf("an answer of %d bytes, not a multiple of %d", len(answer), width)
	}
	times := make([]int64, 0, len(answer)/width)
	for ; answer != ""; answer = answer[width:] {
		ns, err := strconv.ParseInt(answer[:digits], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("an answer with %q for a time", answer[:digits])
		}
		times = append(times, ns)
	}
	return times, nil
}

const chunkTail = `"index":0}],"created":1790000000,"id":"selftest","model":"selftest","service_tier":"default","object":"chat.completion.chunk","usage":null}` + "\n\n"

// framed puts data into one piece of a chunked body.
func framed(data string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(data), data) }

// opening is the response's head and its role chunk. The time at which the
// request had arrived is the request's id.
func opening(arrived int64) string {
	return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-Request-Id: " + strconv.FormatInt(arrived, 10) + "\r\nTransfer-Encoding: chunked\r\n\r\n" +
		framed(`data: {"choices":[{"delta":{"content":"","role":"assistant"},`+chunkTail)
}

// tokenChunk is one token's piece of the body, and where its time goes.
func tokenChunk() (piece string, place int) {
	piece = framed(`data: {"choices":[{"delta":{"content":"` + strings.Repeat("0", digits) + ` ","role":"assistant"},` + chunkTail)
	return piece, strings.Index(piece, "000")
}

// closing ends the stream and the body.
func closing(tokens int) string {
	data := `data: {"choices":[{"delta":{},"finish_reason":"stop",` + chunkTail +
		fmt.Sprintf(`data: {"choices":[],"id":"selftest","model":"selftest","object":"chat.completion.chunk","usage":{"prompt_tokens":9,"completion_tokens":%d,"total_tokens":%d}}`, tokens, tokens+9) +
		"\n\ndata: [DONE]\n\n"
	return framed(data) + "0\r\n\r\n"
}
