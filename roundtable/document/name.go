package document

import (
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// SlugLimit is the longest slug, in bytes.
const SlugLimit = 64

// latin spells letters that do not decompose into a letter and a mark.
var latin = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d",
	"ð", "d", "þ", "th", "ı", "i", "&", " and ", "'", "", "’", "")

// Slug makes an item's folder name of its title: it matches
// ^[a-z0-9][a-z0-9-]{0,63}$ and is never empty. Marks are dropped and a few
// letters spelled out; a title with no Latin letter or digit becomes "item-"
// and a number that depends on the title, so that two such titles differ.
// Different titles may share a slug; the caller resolves that.
func Slug(title string) string {
	var out strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(latin.Replace(strings.ToLower(title))) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			if gap && out.Len() > 0 {
				out.WriteByte('-')
			}
			gap = false
			out.WriteRune(r)
		case unicode.IsMark(r):
			// The letter before it stands without it.
		default:
			gap = true
		}
	}
	slug := out.String()
	if slug == "" {
		return fallbackSlug(title)
	}
	if len(slug) > SlugLimit {
		cut := slug[:SlugLimit]
		if i := strings.LastIndexByte(cut, '-'); i >= SlugLimit/2 && slug[SlugLimit] != '-' {
			cut = cut[:i]
		}
		slug = strings.TrimRight(cut, "-")
	}
	return slug
}

func fallbackSlug(title string) string {
	title = strings.Join(strings.Fields(title), " ")
	if title == "" {
		return "item"
	}
	sum := fnv.New32a()
	// A hash accepts every write.
	_, _ = sum.Write([]byte(title))
	return fmt.Sprintf("item-%08x", sum.Sum32())
}

// MetaName is the name of an item's state file, which no artifact may take.
const MetaName = "meta.json"

// ArtifactNameLimit is the longest artifact name, in bytes, folder included.
const ArtifactNameLimit = 160

// ErrArtifactName is the kind of every refusal of CheckArtifactName.
var ErrArtifactName = errors.New("not an artifact name")

// CheckArtifactName refuses a name that could leave its item's folder (I12),
// collide with meta.json, or not be stored on a common file system. One folder
// level is allowed ("adrs/0001-cache.md"); the separator is a slash.
func CheckArtifactName(name string) error {
	refuse := func(why string) error {
		return fmt.Errorf("%w: %s", ErrArtifactName, why)
	}
	switch {
	case name == "":
		return refuse("it is empty")
	case len(name) > ArtifactNameLimit:
		return refuse(fmt.Sprintf("it is longer than %d bytes", ArtifactNameLimit))
	case !utf8.ValidString(name):
		return refuse("it is not valid UTF-8")
	case strings.Count(name, "/") > 1:
		return refuse("it has more than one folder level")
	case strings.EqualFold(name, MetaName):
		return refuse("meta.json is the item's own state")
	}
	for _, r := range name {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
			return refuse("it has a control character")
		}
		if strings.ContainsRune(`\:*?"<>|`, r) {
			return refuse("it has a character that file systems reserve")
		}
	}
	for segment := range strings.SplitSeq(name, "/") {
		if why := segmentFault(segment); why != "" {
			return refuse(why)
		}
	}
	return nil
}

func segmentFault(segment string) string {
	if segment == "" {
		return "a part between slashes is empty"
	}
	if strings.HasPrefix(segment, ".") {
		return "a part begins with a dot"
	}
	if strings.HasSuffix(segment, ".") || strings.TrimSpace(segment) != segment {
		return "a part ends with a dot or is bordered by space"
	}
	if isDevice(segment) {
		return "a part is a reserved device name"
	}
	return ""
}

// isDevice holds for names that Windows takes for devices, whatever the
// extension.
func isDevice(segment string) bool {
	stem, _, _ := strings.Cut(strings.ToLower(segment), ".")
	switch stem = strings.TrimSpace(stem); stem {
	case "con", "prn", "aux", "nul":
		return true
	default:
		port := strings.HasPrefix(stem, "com") || strings.HasPrefix(stem, "lpt")
		return port && len(stem) == 4 && stem[3] >= '0' && stem[3] <= '9'
	}
}
