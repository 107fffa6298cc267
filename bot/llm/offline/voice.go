package offline

import (
	"bufio"
	"embed"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable/persona"
)

//go:embed voices/*.txt themes.txt
var files embed.FS

// generalVoice is the voice lent to a persona that has none of its own.
const generalVoice persona.Key = "general"

// anyTheme holds the aspects that fit every subject.
const anyTheme = "any"

// voice is how one persona speaks: frames by family, and what its lens sees,
// by theme.
type voice struct {
	frames  map[family][]frame
	aspects map[string][]string
}

// theme is a kind of subject, known by its words (stems).
type theme struct {
	name  string
	words map[string]bool
}

// readVoices reads the embedded voices and themes.
func readVoices() (map[persona.Key]*voice, []theme, error) {
	themes, err := readThemes()
	if err != nil {
		return nil, nil, err
	}
	entries, err := files.ReadDir("voices")
	if err != nil {
		return nil, nil, fmt.Errorf("list voices: %w", err)
	}
	voices := map[persona.Key]*voice{}
	for _, e := range entries {
		name := path.Join("voices", e.Name())
		v, err := readVoice(name, themes)
		if err != nil {
			return nil, nil, err
		}
		voices[persona.Key(strings.TrimSuffix(e.Name(), ".txt"))] = v
	}
	return voices, themes, nil
}

// readVoice reads a voice file: "== family" and "== aspects theme" headings, one
// frame or aspect a line, "#" before a remark.
func readVoice(name string, themes []theme) (*voice, error) {
	b, err := files.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read voice %s: %w", name, err)
	}
	v := &voice{frames: map[family][]frame{}, aspects: map[string][]string{}}
	var heading, of string
	scan := bufio.NewScanner(strings.NewReader(string(b)))
	for n := 1; scan.Scan(); n++ {
		line := strings.TrimSpace(scan.Text())
		switch {
		case line == "" || line[0] == '#':
		case strings.HasPrefix(line, "== "):
			heading, of, _ = strings.Cut(line[3:], " ")
			known := slices.Contains(families, family(heading)) ||
				heading == "aspects" && (of == anyTheme || slices.ContainsFunc(themes, func(t theme) bool { return t.name == of }))
			if !known {
				return nil, fmt.Errorf("%s:%d: no family or theme is called %q", name, n, line[3:])
			}
		case heading == "aspects":
			v.aspects[of] = append(v.aspects[of], line)
		default:
			f, ok := parseFrame(line)
			if !ok || heading == "" {
				return nil, fmt.Errorf("%s:%d: %q is no frame", name, n, line)
			}
			v.frames[family(heading)] = append(v.frames[family(heading)], f)
		}
	}
	return v, scan.Err()
}

// readThemes reads the themes: "name: word, word, …" a line.
func readThemes() ([]theme, error) {
	b, err := files.ReadFile("themes.txt")
	if err != nil {
		return nil, fmt.Errorf("read themes: %w", err)
	}
	var themes []theme
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, list, found := strings.Cut(line, ":")
		if !found {
			return nil, fmt.Errorf("themes.txt: %q is no theme", line)
		}
		t := theme{name: name, words: map[string]bool{}}
		for word := range strings.SplitSeq(list, ",") {
			t.words[stem(strings.TrimSpace(word))] = true
		}
		themes = append(themes, t)
	}
	return themes, nil
}

// permitted is the voice without the frames and aspects that use a word the
// persona must not use.
func (v *voice) permitted(forbidden []string) *voice {
	if len(forbidden) == 0 {
		return v
	}
	own := &voice{frames: map[family][]frame{}, aspects: map[string][]string{}}
	for name, frames := range v.frames {
		for _, f := range frames {
			if !uses(f.words(), forbidden) {
				own.frames[name] = append(own.frames[name], f)
			}
		}
	}
	for name, list := range v.aspects {
		for _, aspect := range list {
			if !uses(aspect, forbidden) {
				own.aspects[name] = append(own.aspects[name], aspect)
			}
		}
	}
	return own
}

var quoted = regexp.MustCompile(`"[^"]*"`)

// uses reports whether the text, but for what it quotes, holds one of the words
// or phrases, which are in lower case.
func uses(text string, words []string) bool {
	if strings.Contains(text, `"`) {
		text = quoted.ReplaceAllString(text, `""`)
	}
	text = strings.ToLower(text)
	for _, w := range words {
		if holdsPhrase(text, w) {
			return true
		}
	}
	return false
}

// holdsPhrase reports whether the lower-case text holds the phrase as whole
// words.
func holdsPhrase(text, phrase string) bool {
	if phrase == "" {
		return false
	}
	for at := 0; ; {
		i := strings.Index(text[at:], phrase)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(phrase)
		if (from == 0 || !wordByte(text[from-1])) && (to == len(text) || !wordByte(text[to])) {
			return true
		}
		at = from + 1
	}
}

// wordByte treats every byte of a letter beyond ASCII as part of a word.
func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 0x80
}

// lend makes a voice for a persona that has none: the general frames, with the
// things that the persona looks at as its aspects.
func (v *voice) lend(p persona.Persona) *voice {
	own := &voice{frames: v.frames, aspects: map[string][]string{}}
	own.aspects[anyTheme] = append(own.aspects[anyTheme], lensParts(p.Lens)...)
	for _, word := range p.Domain {
		if !slices.Contains(own.aspects[anyTheme], word) {
			own.aspects[anyTheme] = append(own.aspects[anyTheme], word)
		}
	}
	if asks := ownQuestions(p); len(asks) > 0 {
		own.frames = map[family][]frame{}
		for name, frames := range v.frames {
			own.frames[name] = frames
		}
		own.frames[familyAsk] = append(asks, v.frames[familyAsk]...)
	}
	return own
}

// ownQuestions are the questions among the lines that the persona would write:
// they close a contribution in its own words.
func ownQuestions(p persona.Persona) []frame {
	var asks []frame
	lines := slices.Clone(p.Examples.Good)
	for _, pattern := range p.Patterns {
		lines = append(lines, strings.Trim(quoted.FindString(pattern), `"`))
	}
	for _, line := range lines {
		if strings.HasSuffix(line, "?") && !strings.ContainsAny(line, "{}|") && strings.Count(line, ".") == 0 {
			asks = append(asks, newFrame([]string{line}, ""))
		}
	}
	return asks
}

// lensBreaks stand between the parts of a lens.
var lensBreaks = regexp.MustCompile(`,|;|\band\b`)

// lensParts splits "Abuse, secrets and permissions" into its parts, in lower
// case but for words with capitals inside.
func lensParts(lens string) []string {
	var parts []string
	for _, part := range lensBreaks.Split(lens, -1) {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, lowerFirst(part))
		}
	}
	return parts
}
