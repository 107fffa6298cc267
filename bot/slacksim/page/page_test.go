package page_test

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/roundtable-chat/app/bot/slacksim/page"
)

// files returns the text of every embedded file by its path.
func files(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	root := page.FS()
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(root, name)
		texts[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatalf("read the embedded page: %v", err)
	}
	return texts
}

func TestFSHasWhatItsOwnFilesNameByAddress(t *testing.T) {
	texts := files(t)
	for _, want := range []string{"index.html", "faces/maya.svg", "faces/alex.svg", "faces/jordan.svg", "faces/roundtable.svg"} {
		if texts[want] == "" {
			t.Errorf("%s: got nothing, want a file", want)
		}
	}
	address := regexp.MustCompile(`(?:href|src)="/([^"#]+)"`)
	for _, m := range address.FindAllStringSubmatch(texts["index.html"], -1) {
		if texts[m[1]] == "" {
			t.Errorf("index.html names /%s: got nothing, want a file", m[1])
		}
	}
	imported := regexp.MustCompile(`from '\./([^']+)'`)
	for name, text := range texts {
		for _, m := range imported.FindAllStringSubmatch(text, -1) {
			if want := path.Join(path.Dir(name), m[1]); texts[want] == "" {
				t.Errorf("%s imports %s: got nothing, want a file", name, want)
			}
		}
	}
}

// I12: text of people and models never becomes markup, because nothing here can turn
// a string into markup.
func TestScriptsCannotTurnTextIntoMarkup(t *testing.T) {
	forbidden := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|\beval\(|new Function`)
	for name, text := range files(t) {
		if got := forbidden.FindString(text); strings.HasSuffix(name, ".js") && got != "" {
			t.Errorf("%s: got %q, want only nodes made by dom.js", name, got)
		}
	}
}

// The demonstration works without a network, so no file may load from elsewhere.
func TestFilesLoadFromNoOtherOrigin(t *testing.T) {
	loads := regexp.MustCompile(`(?:src|href)=["']https?://|url\(\s*["']?https?://|@import|from ['"]https?://`)
	for name, text := range files(t) {
		if got := loads.FindString(text); got != "" {
			t.Errorf("%s: got %q, want same-origin addresses", name, got)
		}
	}
}
