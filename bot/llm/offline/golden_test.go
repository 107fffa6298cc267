package offline

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/roundtable-chat/app/roundtable/golden"
	"github.com/roundtable-chat/app/roundtable/persona"
)

var update = flag.Bool("update", false, "rewrite the discussions under testdata; read them before you commit them")

// discussions are played as people would: they are the samples to read when a
// frame was changed.
var discussions = []struct {
	name, topic, context string
	lead                 persona.Key
	said                 [][2]string
}{
	{"offline-sync", "Offline sync for the mobile app", "Field technicians work in basements without a connection. They fill in inspection reports and sync them later.",
		"business-analyst", [][2]string{
			{"Priya", "What should happen when two technicians edit the same inspection report offline?"},
			{"Ben", "I'm worried that the merge screen will confuse people. Last week we lost 3 reports that way."},
			{"Priya", "Alex, Jordan, Maya, should we lock the report, or let the last write win?"},
			{"Priya", "Let's go with locking the report for now."},
			{"", ""},
			{"Ben", "By the way, who is coming to the barbecue at the lake on Saturday?"},
			{"Ben", "We need to write a short guide for the technicians by the end of the month."},
			{"Priya", "thanks!"},
		}},
	{"billing-store", "Should we move the billing service to Postgres or keep MySQL?", "", "solutions-architect", [][2]string{
		{"Sam", "Should we move billing to Postgres, or keep MySQL and shard it?"},
		{"Sam", "Replication lag already corrupts the nightly invoices, and 40% of support tickets mention it."},
		{"Noor", "Jordan, how would the migration handle an invoice that is being edited?"},
		{"", ""},
		{"Noor", "What do our customers notice during the switch?"},
		{"Sam", "We decided to run both databases side by side until March."},
	}},
	{"webhook-contract", "Webhook delivery for partners", "", "system-designer", [][2]string{
		{"Li", "Partners complain that they receive the same event twice."},
		{"Li", "How many retries are reasonable before we give up?"},
		{"Ana", "Maya, what does a partner need to see when deliveries fail?"},
		{"Ana", "Do we sign the payload or use mutual TLS?"},
		{"Li", "¿Podemos hablar de esto mañana con el equipo de integraciones por favor?"},
		{"", ""},
		{"Ana", "I will draft the error table by Friday."},
	}},
}

func TestGoldenDiscussions(t *testing.T) {
	for _, d := range discussions {
		t.Run(d.name, func(t *testing.T) {
			p := newPlay(t, newPanel(t), d.topic, d.lead)
			p.subject.Context = d.context
			p.frame()
			for _, s := range d.said {
				if s[0] == "" {
					p.goOn()
				} else {
					p.hear(s[0], s[1])
				}
			}
			p.end()
			golden.Check(t, filepath.Join("testdata", d.name+".txt"), p.out.String(), *update)
		})
	}
}
