package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/llm-bench/llm-bench/bench"
)

// folded is what a stream amounts to, arrival times left out.
func folded(parts [][]byte) string {
	var f fold
	framer := framer{sink: &f}
	for i, part := range parts {
		if err := framer.feed(part, time.Duration(i), i); err != nil {
			return err.Error()
		}
	}
	name, data, tail := framer.end(0, 0)
	var kinds []byte
	for _, e := range f.events {
		kinds = append(kinds, byte(e.Kind))
	}
	return fmt.Sprintf("%s|%q|%s|%q|%q|%s|%v|%v|%d|%v %q %q", kinds, f.answer, f.usage, f.failure, f.malformed, f.finish, f.done, f.reasoned, f.outputs, tail, name, data)
}

// cut splits data where the bits of the mask say so.
func cut(data, mask []byte) [][]byte {
	var parts [][]byte
	start := 0
	for i := range data {
		if len(mask) > 0 && mask[(i/8)%len(mask)]>>(i%8)&1 == 1 {
			parts = append(parts, slices.Clone(data[start:i]))
			start = i
		}
	}
	return append(parts, slices.Clone(data[start:]))
}

func FuzzCuttingNeverChangesTheResult(f *testing.F) {
	for _, seed := range []string{
		"data: {\"choices\":[{\"delta\":{\"content\":\"A\"}}]}\r\n\r\ndata: [DONE]\n\n",
		"\xef\xbb\xbf: c\rdata: {\"choices\":[{\"delta\":{\"reasoning\":\"A\"}}]}\r\rdata:{}\n\n",
		"event: error\ndata: {\"code\":1,\ndata: \"message\":\"m\"}\n\n{\"error\":{\"code\":1}}\n\ndata: x",
		"data: {\"choices\":[{\"finish_reason\":\"stop\",\"usage\":{\"prompt_tokens\":1}}],\"usage\":null}\n\n",
	} {
		f.Add([]byte(seed), []byte{0xff})
		f.Add([]byte(seed), []byte{0x24, 0x91})
	}
	f.Fuzz(func(t *testing.T, data, mask []byte) {
		whole, parts := folded([][]byte{data}), folded(cut(data, mask))
		if whole != parts {
			t.Errorf("whole %s\ncut   %s", whole, parts)
		}
	})
}

// reference is what encoding/json makes of a chunk.
type reference struct {
	Choices []struct {
		Delta struct {
			Content   *string `json:"content"`
			Reasoning *string `json:"reasoning_content"`
		} `json:"delta"`
		Finish *string `json:"finish_reason"`
	} `json:"choices"`
	Usage *json.RawMessage `json:"usage"`
}

func FuzzScannerAgreesWithTheStandardDecoder(f *testing.F) {
	f.Add([]byte(`{"id":"x","choices":[{"index":0,"delta":{"content":"a\"b"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}`))
	f.Add([]byte(`{"choices":[{"delta":{"reasoning_content":"\\"}}],"error":null}`))
	f.Add([]byte(`{"a":[1,-2.5e3,true,{"b":[]}],"choices":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, ok := scan(data)
		var want reference
		if json.Unmarshal(data, &want) != nil || len(want.Choices) != 1 || bytes.ContainsAny(data, "\\") {
			return
		}
		if !ok {
			t.Fatalf("scan refused valid JSON %q", data)
		}
		if repeats(data) {
			return
		}
		same := func(name string, got []byte, want *string) {
			if want != nil && string(got) != *want || want == nil && len(got) > 0 {
				t.Errorf("%s: scan %q, decoder %v in %q", name, got, want, data)
			}
		}
		same("content", c.content, want.Choices[0].Delta.Content)
		same("reasoning", c.reasoning, want.Choices[0].Delta.Reasoning)
		same("finish", c.finish, want.Choices[0].Finish)
	})
}

// repeats reports whether a name may stand twice in the data, or in another
// case, where the two decoders differ by design.
func repeats(data []byte) bool {
	lower := bytes.ToLower(data)
	for _, name := range []string{"choices", "delta", "content", "reasoning", "finish_reason"} {
		if bytes.Count(lower, []byte(`"`+name)) != bytes.Count(data, []byte(`"`+name+`"`)) || bytes.Count(lower, []byte(name)) > 1+bytes.Count(data, []byte(`"`+name+`_content"`)) {
			return true
		}
	}
	return !bytes.Equal(bytes.ToValidUTF8(data, nil), data) || bytes.ContainsFunc(data, func(r rune) bool { return r == 'ſ' || r == 'K' })
}

func TestScanningAChunkAllocatesNothing(t *testing.T) {
	data := []byte(`{"choices":[{"delta":{"content":"你","role":"assistant"},"index":0}],"created":1790000000,"id":"021790000000aaaa","model":"doubao-seed-2-0-mini-260428","service_tier":"default","object":"chat.completion.chunk","usage":null}`)
	var c chunk
	if n := testing.AllocsPerRun(100, func() { c, _ = scan(data) }); n != 0 {
		t.Errorf("%v allocations a chunk", n)
	}
	if c.kind() != bench.EventContent || string(c.content) != "你" {
		t.Errorf("chunk %+v", c)
	}
}

func BenchmarkScan(b *testing.B) {
	data := []byte(`{"choices":[{"delta":{"content":"你","role":"assistant"},"index":0}],"created":1790000000,"id":"021790000000aaaabbbbccccddddeeeeffff0000111122223333","model":"doubao-seed-2-0-mini-260428","service_tier":"default","object":"chat.completion.chunk","usage":null}`)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := scan(data); !ok {
			b.Fatal("refused")
		}
	}
}
