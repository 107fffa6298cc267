package analysis

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// tamed is a well-formed part that leads only where people pointed themselves
// (NFR-103). An object's texts and a row's cells are held to that as they read,
// because an address may be escaped there; what leads nowhere keeps its bytes.
func (p Part) tamed(l thread.Links) Part {
	switch p.Part {
	case PartSection:
		p.Content = l.Tame(p.Content)
	case PartList:
		p.Content = jsonText.ReplaceAllStringFunc(p.Content, func(literal string) string { return tamedLiteral(literal, l) })
	case PartRows:
		p.Content = tamedRows(p.Content, l)
	}
	return p
}

// jsonText is a string of a JSON document, which is valid.
var jsonText = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

func tamedLiteral(literal string, l thread.Links) string {
	var text string
	if json.Unmarshal([]byte(literal), &text) != nil {
		return `""`
	}
	tame := l.Tame(text)
	if tame == text {
		return literal
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(tame) != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func tamedRows(content string, l thread.Links) string {
	rows, err := csv.NewReader(strings.NewReader(content)).ReadAll()
	if err != nil {
		return ""
	}
	changed := false
	for _, row := range rows {
		for i, cell := range row {
			row[i] = l.Tame(cell)
			changed = changed || row[i] != cell
		}
	}
	var b strings.Builder
	if !changed || csv.NewWriter(&b).WriteAll(rows) != nil {
		return content
	}
	return b.String()
}
