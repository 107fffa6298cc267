package bot

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/roundtable-chat/app/bot/blocks"
	"github.com/roundtable-chat/app/bot/webapi"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/forgetting"
	"github.com/roundtable-chat/app/roundtable/say"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// ForgetRight says who may have stored content forgotten (FR-110). Guests, people of
// other organisations and people of whom Slack does not say who they are never may.
type ForgetRight string

// The rights to forget.
const (
	// ForgetOpener is who opened what an item holds: any discussion or analysis that was
	// merged into it. Where nobody is known to have, only an operator may.
	ForgetOpener    ForgetRight = ""
	ForgetEverybody ForgetRight = "everybody" // any full member of the channel
	ForgetNobody    ForgetRight = "nobody"    // only an operator, on the command line
)

// forget answers a wish to have an item, or one discussion, forgotten (FR-110). The
// person is told first what would go, and asks again in words that nobody types by
// accident. The rest is a forgetting's (package forgetting): it is put out of sight, the
// channel is told, and it can be taken back for a week.
func (b *Bot) forget(ctx context.Context, r request, who asker) string {
	if channel, ts, ok := linked(r.arg); ok {
		who.channel = channel
		return b.forgetThread(ctx, ts, r.sure, who)
	}
	if refusal := b.mayWish(ctx, who); refusal != "" {
		return refusal
	}
	by := b.strictly(ctx, who.user, who.foreign)
	open, refusal := b.goingOn(ctx, who.channel)
	if refusal != "" {
		return refusal
	}
	if b.opts.Items == nil {
		return unlessUnknown(by, say.ForgetWhich("", nil))
	}
	slugs, err := b.opts.Items.ListItems(ctx, b.self.team, who.channel)
	if err != nil {
		b.log.Warn("items not listed", "channel", who.channel, "error", webapi.Scrub(err))
		return say.NotRead()
	}
	slug, ok := b.itemNamed(slugs, r.arg)
	if !ok {
		if f, pending := open.forgettingOf(b.opts.Slug(r.arg)); pending {
			return unlessUnknown(by, f.Standing)
		}
		return unlessUnknown(by, say.ForgetWhich(r.arg, slugs))
	}
	if topic, busy := open.about(slug); busy {
		return unlessUnknown(by, say.ForgetOpen(slug, topic))
	}
	if refusal := b.mayForgetItem(ctx, who, by, slug); refusal != "" {
		return refusal
	}
	if !r.sure {
		return unlessUnknown(by, say.ForgetSure(slug))
	}
	return b.beginForgetting(ctx, who, by, forgetting.Target{Item: slug})
}

// unlessUnknown is a sentence that tells what there is, for everybody but somebody of whom
// Slack does not say who they are.
func unlessUnknown(p thread.Person, sentence string) string {
	if p.Is() == thread.StandingUnknown {
		return thread.SayPersonUnknown()
	}
	return sentence
}

// about is what is said of an item at the moment, if anything is.
func (u underway) about(slug string) (topic string, busy bool) {
	v, busy := one(slices.Concat(u.discussions, u.analyses), func(v engine.View) bool { return v.Item == slug })
	return v.Title, busy
}

// messageLink is the address that Slack copies for a message. One in a thread names the
// thread as well.
var messageLink = regexp.MustCompile(`/archives/([CDG][A-Z0-9]+)/p([0-9]{10})([0-9]{6})(?:\?(?:.*&)?thread_ts=([0-9]{10}\.[0-9]{6}))?`)

// linked reads the address of a message: its channel, and the thread it stands in.
func linked(text string) (channel, thread string, ok bool) {
	part := messageLink.FindStringSubmatch(blocks.Unescape(text))
	if part == nil {
		return "", "", false
	}
	return part[1], firstOf(part[4], part[2]+"."+part[3]), true
}

// forgetThread has the discussion of a thread forgotten, or the analysis, if it has ended.
// What it wrote into documents stays.
func (b *Bot) forgetThread(ctx context.Context, threadTS string, sure bool, who asker) string {
	if refusal := b.mayWish(ctx, who); refusal != "" {
		return refusal
	}
	by := b.strictly(ctx, who.user, who.foreign)
	ref, found, err := b.find(ctx, who.channel, threadTS)
	if err == nil && !found {
		return unlessUnknown(by, say.ForgetNoThread())
	}
	var v engine.View
	if err == nil {
		v, err = b.opts.Reader.View(ctx, ref)
	}
	switch {
	case errors.Is(err, engine.ErrNotFound), v.Kind == engine.KindForgetting:
		return unlessUnknown(by, say.ForgetNoThread())
	case errors.Is(err, thread.ErrNewer):
		return unlessUnknown(by, say.Newer())
	case err != nil:
		b.log.Warn("discussion not read", "channel", who.channel, "error", webapi.Scrub(err))
		return say.NotRead()
	}
	if v.Open() {
		return unlessUnknown(by, say.ForgetOpen("That thread", v.Title))
	}
	if refusal := b.mayForget(ctx, who, by, v.Item, func() (bool, error) { return v.Opener.ID == who.user, nil }); refusal != "" {
		return refusal
	}
	if !sure {
		return unlessUnknown(by, say.ForgetThreadSure(v.Title, v.Item))
	}
	return b.beginForgetting(ctx, who, by, forgetting.Target{Item: v.Item, Discussion: ref.ID, Thread: threadTS, Title: v.Title})
}

// mayForgetItem refuses whoever has no right to have an item forgotten.
func (b *Bot) mayForgetItem(ctx context.Context, who asker, by thread.Person, slug string) string {
	return b.mayForget(ctx, who, by, slug, func() (bool, error) {
		item, err := b.opts.Items.ReadItem(ctx, engine.ItemRef{Team: b.self.team, Channel: who.channel, Slug: slug})
		if err != nil {
			return false, fmt.Errorf("read item: %w", err)
		}
		if slices.Contains(item.Openers, who.user) {
			return true, nil
		}
		return b.openedSource(ctx, item, who)
	})
}

// openedSource reports whether a person opened one of the discussions and analyses that an
// item came from, by what is still stored of those: items that an older version wrote do
// not know who did.
func (b *Bot) openedSource(ctx context.Context, item engine.Item, who asker) (bool, error) {
	for _, id := range item.Sources() {
		v, err := b.opts.Reader.View(ctx, engine.Ref{Team: b.self.team, Channel: who.channel, ID: id})
		switch {
		case err != nil && v.Err == nil && !errors.Is(err, engine.ErrNotFound):
			return false, fmt.Errorf("read source of an item: %w", err)
		case err == nil && v.Opener.ID == who.user:
			return true, nil
		}
	}
	return false, nil
}

// mayForget is the sentence of refusal for a person who may not have something forgotten, or
// empty. Whether a person may of whom Slack does not say who they are, the rules find out if
// nothing else is in the way; what is, they are not told. A refusal stands in the audit record,
// and so does the wish of somebody unknown, as no more than that.
func (b *Bot) mayForget(ctx context.Context, who asker, by thread.Person, item string, opened func() (bool, error)) string {
	refusal := sayNoMember(by)
	if refusal == "" {
		var err error
		if refusal, err = b.opts.Policy.Forget.refusal(opened); err != nil { // nobody is refused, and recorded as such, for that
			b.log.Warn("opener not read", "channel", who.channel, "error", webapi.Scrub(err))
			return say.NotRead()
		}
	}
	switch {
	case by.Is() == thread.StandingUnknown:
		b.noteTry(ctx, who, item, thread.Audit{Kind: thread.AuditUnknown, By: who.user, Detail: thread.DetailForget})
		if refusal != "" {
			return thread.SayPersonUnknown()
		}
	case refusal != "":
		b.noteRefusal(ctx, who, item, thread.DetailForget)
	}
	return refusal
}

// refusal is the sentence for a full member who does not have the right, or empty. opened
// reports whether the member opened what is to be forgotten.
func (r ForgetRight) refusal(opened func() (bool, error)) (string, error) {
	switch r {
	case ForgetEverybody:
		return "", nil
	case ForgetOpener:
		if is, err := opened(); is || err != nil {
			return "", err
		}
		return say.ForgetOpener(), nil
	case ForgetNobody:
	}
	return say.ForgetNobody(), nil
}

// sayNoMember refuses whoever Slack says is no full member of the workspace, whatever else
// guests and others are allowed.
func sayNoMember(p thread.Person) string {
	switch p.Is() {
	case thread.StandingGuest, thread.StandingOutsider:
		return thread.SayOutsider()
	case thread.StandingMember, thread.StandingUnknown:
	}
	return ""
}

// beginForgetting hands a forgetting over to whichever replica drives it.
func (b *Bot) beginForgetting(ctx context.Context, who asker, by thread.Person, target forgetting.Target) string {
	id := forgetting.NewID(b.self.team, who.channel, who.request)
	r, err := b.deliverForgetting(ctx, engine.Delivery{Ref: engine.Ref{Team: b.self.team, Channel: who.channel, ID: id}, Opens: true}, forgetting.Input{
		ID: "o:" + id, At: who.at, Event: forgetting.Opened{
			Forgetting: id, Place: thread.Place{Team: b.self.team, Channel: who.channel},
			By: by, Target: target,
		},
	})
	if err != nil {
		b.log.Warn("wish to forget not kept", "channel", who.channel, "error", webapi.Scrub(err))
		return say.NotKept()
	}
	if sentence := unsaved(r); sentence != "" {
		return sentence
	}
	b.log.Info("to be forgotten", "forgetting", id, "item", thread.ItemMark(target.Item), "discussion", target.Discussion, "channel", who.channel, "by", who.user)
	if by.Is() == thread.StandingUnknown {
		return thread.SayActKept()
	}
	return forgetting.SayAsked(target)
}

func (b *Bot) deliverForgetting(ctx context.Context, d engine.Delivery, in forgetting.Input) (engine.Reception, error) {
	body, err := forgetting.EncodeInput(in)
	if err != nil {
		return "", err
	}
	d.Mail = engine.Mail{ID: in.ID, Body: body}
	r, err := b.inbox.Receive(ctx, d)
	if err != nil {
		return "", fmt.Errorf("put %s into the mailbox: %w", in.ID, err)
	}
	return r, nil
}

// noteRefusal adds to the audit record that somebody tried what they may not.
func (b *Bot) noteRefusal(ctx context.Context, who asker, item string, what thread.AuditDetail) {
	b.noteTry(ctx, who, item, thread.Audit{Kind: thread.AuditRefused, By: who.user, Detail: what})
}

// noteTry adds to the audit record what somebody tried. It is a courtesy to the readers of the
// record: nothing was done.
func (b *Bot) noteTry(ctx context.Context, who asker, item string, act thread.Audit) {
	if err := b.note(ctx, who, item, act); err != nil {
		b.log.Warn("try not recorded", "channel", who.channel, "act", act.Kind, "error", webapi.Scrub(err))
	}
}

// note adds what a person did beside the rules of a discussion to the audit record.
func (b *Bot) note(ctx context.Context, who asker, item string, act thread.Audit) error {
	if b.opts.Acts == nil {
		return nil
	}
	return b.opts.Acts.NoteAct(ctx, engine.Act{
		ID:   engine.ActID(who.channel, who.user, who.request, string(act.Kind), string(act.Detail)),
		Team: b.self.team, Channel: who.channel, Item: thread.ItemMark(item), Audit: act,
	})
}

// itemFor is the name of the item that a title speaks of. While an item of that name is
// forgotten and can be taken back, the next free name is taken, so that neither is in the
// way of the other.
func (b *Bot) itemFor(ctx context.Context, channel, title string) string {
	slug := b.opts.Slug(title)
	if b.opts.Items == nil {
		return slug
	}
	listed, err := b.opts.Items.ListItems(ctx, b.self.team, channel)
	name := slug
	for n := 2; err == nil && n < mostNames && !slices.Contains(listed, name); n++ {
		item, err := b.opts.Items.ReadItem(ctx, engine.ItemRef{Team: b.self.team, Channel: channel, Slug: name})
		if err != nil || !item.Hidden {
			break
		}
		suffix := "-" + strconv.Itoa(n)
		name = strings.TrimRight(slug[:min(len(slug), longestSlug-len(suffix))], "-") + suffix
	}
	return name
}

// mostNames bounds how often an item of one name is forgotten within a week before its
// name is used again; longestSlug is how long a name may be.
const (
	mostNames   = 20
	longestSlug = 64
)
