package manifests

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/roundtable-chat/app/roundtable/persona"
)

// personaFile is a persona and where it stands, for problems found later.
type personaFile struct {
	file    string
	root    *yaml.Node
	persona persona.Persona
}

// maxIdentity keeps "Name (Role)" within what Slack shows as a user name
// (chat.postMessage, username).
const maxIdentity = 80

var (
	keyShape   = regexp.MustCompile(`^[a-z][a-z0-9-]{0,63}$`)
	emojiShape = regexp.MustCompile(`^:[a-z0-9_+'-]{1,100}:$`)
	groupShape = regexp.MustCompile(`^S[A-Z0-9]{2,20}$`)
)

// readPersona reads one persona and checks what can be checked without the
// others.
func readPersona(src source, file string, p *problems) (personaFile, bool) {
	b, err := src.read(file)
	if err != nil {
		p.add(err)
		return personaFile{}, false
	}
	read := personaFile{file: file}
	read.root = decode(file, b, &read.persona, p)
	if read.root == nil {
		return personaFile{}, false
	}
	before := len(p.errs)
	read.checkPresent(p)
	read.checkShape(p)
	return read, len(p.errs) == before
}

// checkPresent refuses a persona that lacks what a voice or the protocol needs.
func (f personaFile) checkPresent(p *problems) {
	x := f.persona
	for _, required := range []struct{ key, value string }{
		{"key", string(x.Key)}, {"name", x.Name}, {"role", x.Role}, {"title", x.Title},
		{"perspective", x.Perspective}, {"icon", x.Icon}, {"introduction", x.Introduction},
		{"style", x.Style}, {"lens", x.Lens}, {"acknowledgement", x.Acknowledgement},
	} {
		if strings.TrimSpace(required.value) == "" {
			p.addf(f.file, lineOf(f.root, required.key), "%q is missing", required.key)
		}
	}
	for _, required := range []struct {
		key   string
		count int
	}{
		{"domain", len(x.Domain)}, {"principles", len(x.Principles)}, {"patterns", len(x.Patterns)},
		{"behaviours", len(x.Behaviours)}, {"never", len(x.Never)}, {"examples", len(x.Examples.Good)},
	} {
		if required.count == 0 {
			p.addf(f.file, lineOf(f.root, required.key), "%q needs at least one entry", required.key)
		}
	}
	for _, rule := range x.Principles {
		if rule.Name == "" || rule.Text == "" {
			p.addf(f.file, lineOf(f.root, "principles"), "a principle needs a name and a text")
		}
	}
}

// checkShape refuses values that would fail later and elsewhere.
func (f personaFile) checkShape(p *problems) {
	x := f.persona
	fail := func(key, format string, args ...any) { p.addf(f.file, lineOf(f.root, key), format, args...) }
	if x.Key != "" && !keyShape.MatchString(string(x.Key)) {
		fail("key", "the key %q must be lower-case letters, digits and hyphens", x.Key)
	}
	if n := utf8.RuneCountInString(x.Identity()); n > maxIdentity {
		fail("name", "name and role together have %d characters; Slack shows at most %d", n, maxIdentity)
	}
	if x.Icon != "" && !emojiShape.MatchString(x.Icon) && !strings.HasPrefix(x.Icon, "https://") {
		fail("icon", "the icon %q must be an emoji like :mag: or an https address", x.Icon)
	}
	if x.UserGroup != "" && !groupShape.MatchString(x.UserGroup) {
		fail("user_group", "the user group %q must be an id like S0123ABCD", x.UserGroup)
	}
	if x.Acknowledgement != "" && !strings.Contains(x.Acknowledgement, "{point}") {
		fail("acknowledgement", "the acknowledgement must contain {point}")
	}
	for _, alias := range x.Aliases {
		if alias == "" || strings.ContainsAny(alias, " \t\n") {
			fail("aliases", "the alias %q must be one word", alias)
		}
	}
	for _, list := range []struct {
		key   string
		words []string
	}{
		{"domain", x.Domain}, {"vocabulary", slices.Concat(x.Vocabulary.Forbidden, x.Vocabulary.Characteristic)},
	} {
		for _, word := range list.words {
			if word == "" || word != strings.ToLower(word) {
				fail(list.key, "%q in %q must be in lower case", word, list.key)
			}
		}
	}
}

// minCast is how many personas make a discussion: the lead asks a colleague
// (FR-004).
const minCast = 2

// checkCast refuses a cast in which a name could mean two personas.
func checkCast(cast []personaFile, p *problems) {
	keys, names := map[persona.Key]string{}, map[string]string{}
	for _, f := range cast {
		if other, taken := keys[f.persona.Key]; taken {
			p.addf(f.file, lineOf(f.root, "key"), "the key %q is that of %s", f.persona.Key, other)
		}
		keys[f.persona.Key] = f.file
		for i, name := range append([]string{f.persona.First()}, f.persona.Aliases...) {
			where := "aliases"
			if i == 0 {
				where = "name"
			}
			folded := strings.ToLower(name)
			if other, taken := names[folded]; taken {
				p.addf(f.file, lineOf(f.root, where), "the name %q addresses a persona of %s already", name, other)
			}
			names[folded] = f.file
		}
	}
}
