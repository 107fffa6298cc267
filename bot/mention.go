package bot

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/roundtable-chat/app/bot/webapi"
)

// bareMention is somebody's id as Slack delivers it. maxMentions bounds how many
// people of one message are named.
var bareMention = regexp.MustCompile(`<@([UW][A-Z0-9]{2,})>`)

const maxMentions = 10

// withNames gives the people whom a text mentions the labels that Slack's markup has
// a place for, <@U012|Priya Nair>: whoever reads the text later, a model or a
// document, knows no ids. Who is not known, and cannot be looked up at once, stays an id; so
// does the app, whose id the rules know it by.
func (b *Bot) withNames(ctx context.Context, text string) string {
	if !strings.Contains(text, "<@") {
		return text
	}
	ctx, cancel := context.WithTimeoutCause(ctx, webapi.LookupWithin, fmt.Errorf("looking up who is mentioned took more than %s", webapi.LookupWithin))
	defer cancel()
	left := maxMentions
	return bareMention.ReplaceAllStringFunc(text, func(mention string) string {
		user := bareMention.FindStringSubmatch(mention)[1]
		if left--; left < 0 || user == b.self.user {
			return mention
		}
		label := strings.NewReplacer("|", "", "<", "", ">", "", "&", "").Replace(b.people.Called(ctx, user))
		if label == "" {
			return mention
		}
		return "<@" + user + "|" + label + ">"
	})
}
