package offline

import (
	"encoding/csv"
	"regexp"
	"strings"

	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// priorities are the words by which people order things (MoSCoW); a refusal is
// looked for first, because it holds the words of the others.
var priorities = []struct {
	name  string
	shape *regexp.Regexp
}{
	{"Won't", regexp.MustCompile(`(?i)\b(?:won['’]?t|will not|not now|give up|drop|postpone|out of scope|never|must not|no need)\b`)},
	{"Must", regexp.MustCompile(`(?i)\b(?:must|essential|critical|cannot ship without|can['’]t ship without|first of all|has to|have to)\b`)},
	{"Should", regexp.MustCompile(`(?i)\b(?:should|next|ought to)\b`)},
	{"Could", regexp.MustCompile(`(?i)\b(?:could|nice to have|if there is time|later|maybe)\b`)},
}

// rows are a table's: one for each sentence that gives something its priority, or,
// where none does, for each answer.
func (m minutes) rows(t analysis.Target) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	write := func(text, priority string, by thread.Person) {
		row := make([]string, 0, len(t.Columns()))
		said := false
		for _, column := range t.Columns() {
			value := cell(column, text, priority, by)
			said = said || value == text
			row = append(row, value)
		}
		if !said { // none of the columns is known: the first takes what was said
			row[0] = text
		}
		// A builder takes every row.
		_ = w.Write(row)
	}
	ranked := false
	for _, turn := range m.answers() {
		for _, s := range sentencesOf(thread.OneLine(m.words(turn))) {
			for clause := range strings.SplitSeq(s, "; ") {
				if p := priorityOf(clause); p != "" {
					ranked = true
					write(clause, p, turn.Person)
				}
			}
		}
	}
	for _, turn := range m.answers() {
		if text := thread.OneLine(m.words(turn)); !ranked && text != "" {
			write(text, "", turn.Person)
		}
	}
	w.Flush()
	return b.String()
}

func priorityOf(sentence string) string {
	for _, p := range priorities {
		if p.shape.MatchString(sentence) {
			return p.name
		}
	}
	return ""
}

// cell is what stands in a column, by the column's name.
func cell(column, text, priority string, by thread.Person) string {
	switch strings.ToLower(column) {
	case "requirement", "text", "said", "what", "description":
		return text
	case "requirement_id", "id", "feature":
		return featureID.FindString(text)
	case "stories", "story":
		return strings.Join(storyID.FindAllString(text, -1), " ")
	case "priority":
		return priority
	case "source", "by", "who", "said_by":
		return nameOf(by)
	}
	return ""
}
