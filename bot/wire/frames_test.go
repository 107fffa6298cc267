package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

const agreed = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"

// frameOf is a frame of a server.
func frameOf(first byte, text string) []byte {
	b := []byte{first}
	switch n := len(text); {
	case n > 0xffff:
		b = binary.BigEndian.AppendUint64(append(b, 127), uint64(n))
	case n > 125:
		b = binary.BigEndian.AppendUint16(append(b, 126), uint16(n))
	default:
		b = append(b, byte(n))
	}
	return append(b, text...)
}

func TestFramesPassSmaller(t *testing.T) {
	event := func(n int) string { return `{"payload":{"event":{"blocks":"` + strings.Repeat("x", n) + `"}}}` }
	small := string(frameOf(finalText, `{"payload":{"event":{"blocks":null}}}`))
	words := `{"text":"` + strings.Repeat("w", 300) + `","blocks":` // stays above 125 bytes
	long := `{"text":"` + strings.Repeat("w", 70_000) + `","blocks":`
	for name, c := range map[string]struct{ in, want string }{
		"one byte of length":    {agreed + string(frameOf(finalText, event(20))), agreed + small},
		"two, then one":         {agreed + string(frameOf(finalText, event(2000))), agreed + small},
		"eight, then one":       {agreed + string(frameOf(finalText, event(70_000))), agreed + small},
		"two, then two":         {agreed + string(frameOf(finalText, words+`[1,2,3]}`)), agreed + string(frameOf(finalText, words+`null}`))},
		"eight, then eight":     {agreed + string(frameOf(finalText, long+`[1,2,3]}`)), agreed + string(frameOf(finalText, long+`null}`))},
		"nothing to cut":        {agreed + string(frameOf(finalText, `{"type":"hello"}`)), agreed + string(frameOf(finalText, `{"type":"hello"}`))},
		"a ping between events": {agreed + string(frameOf(0x89, "ping")) + string(frameOf(finalText, event(20))), agreed + string(frameOf(0x89, "ping")) + small},
		"a text in two pieces":  {agreed + string(frameOf(0x01, event(20))) + string(frameOf(0x80, event(20))), agreed + string(frameOf(0x01, event(20))) + string(frameOf(0x80, event(20)))},
		"larger than it looks into": {agreed + string(frameOf(finalText, event(slimMost))) + string(frameOf(finalText, event(20))),
			agreed + string(frameOf(finalText, event(slimMost))) + small},
		"no agreement":    {"HTTP/1.1 401 Unauthorized\r\n\r\n" + string(frameOf(finalText, event(20))), "HTTP/1.1 401 Unauthorized\r\n\r\n" + string(frameOf(finalText, event(20)))},
		"a masked frame":  {agreed + "\x81\x85mask\x81\x01" + event(20), agreed + "\x81\x85mask\x81\x01" + event(20)},
		"nothing at all":  {"", ""},
		"only agreement":  {agreed, agreed},
		"cut in the head": {agreed + "\x81", agreed},
	} {
		for how, reader := range map[string]func(io.Reader) io.Reader{
			"at once": func(r io.Reader) io.Reader { return r }, "in halves": iotest.HalfReader, "byte by byte": iotest.OneByteReader,
		} {
			opened := 0
			got, err := io.ReadAll(newFrames(reader(strings.NewReader(c.in)), func() { opened++ }))
			if err != nil || string(got) != c.want {
				t.Errorf("%s, %s: got %d bytes %.200q (%v), want %d bytes %.200q", name, how, len(got), got, err, len(c.want), c.want)
			}
			if want := strings.Count(c.in, agreed); opened != want {
				t.Errorf("%s, %s: opened %d times, want %d", name, how, opened, want)
			}
		}
	}
}

func TestFramesReportWhatBrokeThem(t *testing.T) {
	broken := errors.New("the line is cut")
	for name, in := range map[string]string{
		"before anything": "", "in the handshake": agreed[:20], "between frames": agreed, "in a head": agreed + "\x81\x7e", "in a text": agreed + "\x81\x20{",
	} {
		_, err := io.ReadAll(newFrames(io.MultiReader(strings.NewReader(in), iotest.ErrReader(broken)), func() {}))
		if !errors.Is(err, broken) {
			t.Errorf("%s: got %v, want %v", name, err, broken)
		}
	}
}

// FuzzFrames shows that every text arrives, in order and as slim leaves it, however
// the bytes are cut up.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("{\"blocks\":[1,2,3]}\x00{\"a\":1}\x00ping"), byte(3))
	f.Fuzz(func(t *testing.T, in []byte, step byte) {
		stream, want := []byte(agreed), [][]byte(nil)
		for text := range bytes.SplitSeq(in, []byte{0}) {
			stream = append(stream, frameOf(finalText, string(text))...)
			want = append(want, slim(bytes.Clone(text)))
		}
		r := newFrames(bytes.NewReader(stream), func() {})
		var got []byte
		for buf := make([]byte, int(step)+1); ; {
			n, err := r.Read(buf)
			if got = append(got, buf[:n]...); err != nil {
				break
			}
		}
		if diff := cmp.Diff(want, texts(t, bytes.TrimPrefix(got, []byte(agreed)))); diff != "" {
			t.Errorf("texts (-want +got):\n%s", diff)
		}
	})
}

// texts takes frames apart.
func texts(t *testing.T, b []byte) (out [][]byte) {
	t.Helper()
	for len(b) > 0 {
		size, length := 2, int(b[1])
		switch length {
		case 126:
			size, length = 4, int(binary.BigEndian.Uint16(b[2:]))
		case 127:
			size, length = 10, int(binary.BigEndian.Uint64(b[2:]))
		}
		if b[0] != finalText || len(b) < size+length {
			t.Fatalf("no frame: %.40q", b)
		}
		out = append(out, append([]byte{}, b[size:size+length]...))
		b = b[size+length:]
	}
	return out
}
