package evaluation

import (
	"bufio"
	"embed"
	"fmt"
	"strings"

	"github.com/roundtable-chat/app/roundtable/thread"
)

//go:embed data
var files embed.FS

// Topic is what a discussion is about, and the thing that people name in it.
type Topic struct{ Title, Thing string }

// Topics are the built-in ones, in their order.
func Topics() ([]Topic, error) {
	all, err := lines("topics.txt")
	if err != nil {
		return nil, err
	}
	var topics []Topic
	for _, line := range all {
		title, thing, ok := strings.Cut(line, " | ")
		if !ok {
			return nil, fmt.Errorf("topics.txt: %q is no topic", line)
		}
		topics = append(topics, Topic{title, thing})
	}
	return topics, nil
}

// probe is what a line of people's script wants to find out.
type probe string

const (
	probeAsk     probe = "ask"
	probeHuman   probe = "human"
	probeDecide  probe = "decide"
	probeSettle  probe = "settle"
	probeConsent probe = "consent"
	probePress   probe = "press"
)

// cue is what a person says.
type cue struct {
	probe probe
	by    thread.Person
	text  string
}

// people are the two who speak in every discussion. silent is the one who says
// nothing on what is asked for consent.
var people = map[string]thread.Person{
	"Priya": {ID: "UPRIYA", Name: "Priya"},
	silent:  {ID: "UBEN", Name: silent},
}

const silent = "Ben"

// script is what people say about a topic, until so many of their lines have
// wanted an answer; all of it if rounds is 0.
func script(t Topic, rounds int) ([]cue, error) {
	all, err := lines("people.txt")
	if err != nil {
		return nil, err
	}
	var cues []cue
	wanted := 0
	for _, line := range all {
		head, text, ok := strings.Cut(line, ": ")
		kind, name, _ := strings.Cut(head, " ")
		by, known := people[name]
		if !ok || !known {
			return nil, fmt.Errorf("people.txt: %q is no line of somebody's", line)
		}
		if p := probe(kind); p != probeHuman {
			if wanted++; rounds > 0 && wanted > rounds {
				break
			}
		}
		cues = append(cues, cue{probe(kind), by, strings.ReplaceAll(text, "{thing}", t.Thing)})
	}
	return cues, nil
}

// Gold are lines of known origin, by persona.
func Gold() (map[string][]string, error) {
	all, err := lines("gold.txt")
	if err != nil {
		return nil, err
	}
	gold := map[string][]string{}
	persona := ""
	for _, line := range all {
		if key, ok := strings.CutPrefix(line, "== "); ok {
			persona = key
			continue
		}
		if persona == "" {
			return nil, fmt.Errorf("gold.txt: %q belongs to nobody", line)
		}
		gold[persona] = append(gold[persona], strings.ReplaceAll(line, `\n`, "\n"))
	}
	return gold, nil
}

// lines are those of an embedded file, without remarks and blanks.
func lines(file string) (all []string, err error) {
	b, err := files.ReadFile("data/" + file)
	if err != nil {
		return nil, fmt.Errorf("read the data of the evaluation: %w", err)
	}
	scan := bufio.NewScanner(strings.NewReader(string(b)))
	for scan.Scan() {
		if line := strings.TrimSpace(scan.Text()); line != "" && line[0] != '#' {
			all = append(all, line)
		}
	}
	return all, scan.Err()
}
