package offline

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/roundtable-chat/app/roundtable/analysis"
)

// story is a user story as the steps' form has it (user-stories.json), and what was
// said besides.
type story struct {
	ID        string   `json:"id"`
	AsA       string   `json:"as_a"`
	IWant     string   `json:"i_want"`
	SoThat    string   `json:"so_that"`
	Feature   string   `json:"feature"`
	Criteria  []string `json:"acceptance_criteria"`
	DependsOn []string `json:"depends_on"`
	Questions []string `json:"open_questions"`
	By        string   `json:"said_by"`
	Notes     []remark `json:"notes,omitempty"`
}

// remark is something that somebody said, as it was said.
type remark struct {
	Question string `json:"question,omitempty"`
	Said     string `json:"said"`
	By       string `json:"by"`
}

var (
	storyShape = regexp.MustCompile(`(?i)\bas (?:an?|the) (.+?),? (?:i|we) (?:want|need|would like) (.+?)(?:,? (?:so that|so|in order to|because) (.+))?$`)
	checkShape = regexp.MustCompile(`(?i)\bgiven\b.+\bwhen\b.+\bthen\b`)
	featureID  = regexp.MustCompile(`\bFR-\d{3}\b`)
	bracketed  = regexp.MustCompile(`\s*[(\[]FR-\d{3}[)\]]`)
	storyID    = regexp.MustCompile(`\bUS-\d{3}\b`)
)

// list is what a list takes: stories where its form is theirs, else every answer by
// itself.
func (m minutes) list(t analysis.Target) string {
	var list any
	if strings.Contains(t.Form, "`as_a`") && strings.Contains(t.Form, "`i_want`") {
		list = m.stories()
	} else {
		list = m.remarks()
	}
	b, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return "" // texts can always be encoded
	}
	return string(b)
}

func (m minutes) remarks() []remark {
	var all []remark
	for _, x := range m.exchanges {
		for _, turn := range x.answers {
			all = append(all, remark{x.question, m.words(turn), nameOf(turn.Person)})
		}
	}
	return all
}

// stories takes a story from every sentence that has the form of one, a criterion
// from every "given, when, then", and everything whole as a note to the story that
// it followed. Feedback numbers nothing: what stands in the document is not known
// here.
func (m minutes) stories() []*story {
	var all []*story
	begin := func() *story {
		s := &story{Criteria: []string{}, DependsOn: []string{}, Questions: []string{}}
		if m.briefing.Purpose == analysis.ForStep {
			s.ID = fmt.Sprintf("US-%03d", len(all)+1)
		}
		all = append(all, s)
		return s
	}
	for _, x := range m.exchanges {
		for _, turn := range x.answers {
			text, rest := m.words(turn), false
			for _, sentence := range sentencesOf(strings.Join(strings.Fields(text), " ")) {
				found := storyShape.FindStringSubmatch(sentence)
				switch {
				case found != nil:
					s := begin()
					s.AsA, s.IWant, s.SoThat, s.By = found[1], found[2], found[3], nameOf(turn.Person)
					if s.Feature = featureID.FindString(sentence); s.Feature != "" {
						s.IWant, s.SoThat = withoutFeature(s.IWant), withoutFeature(s.SoThat)
					}
				case checkShape.MatchString(sentence) && len(all) > 0:
					last := all[len(all)-1]
					last.Criteria = append(last.Criteria, sentence+" ("+nameOf(turn.Person)+")")
				default:
					rest = true
				}
			}
			if !rest {
				continue
			}
			if len(all) == 0 {
				begin().By = nameOf(turn.Person)
			}
			last := all[len(all)-1]
			last.Notes = append(last.Notes, remark{x.question, text, nameOf(turn.Person)})
		}
	}
	return all
}

// withoutFeature leaves out a feature's id in brackets, which has a field of its own.
func withoutFeature(s string) string {
	return strings.TrimSpace(bracketed.ReplaceAllString(s, ""))
}
