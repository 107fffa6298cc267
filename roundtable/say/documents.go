package say

import (
	"fmt"
	"strings"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// These are the sentences about an item's documents (FR-101, FR-008).

// ShowWhich asks for an item to show and names those there are.
func ShowWhich(slugs []string) string {
	if len(slugs) == 0 {
		return "This channel has no documents yet. They appear when a roundtable or a step of an analysis ends."
	}
	return "Whose documents? Type /roundtable show and one of: " + strings.Join(slugs, ", ")
}

// Documents names an item's documents and says how to see one.
func Documents(slug string, names []string) string {
	if len(names) == 0 {
		return fmt.Sprintf("%s has no documents yet.", slug)
	}
	return fmt.Sprintf("%s has these documents: %s\nType /roundtable show %s and a name to put one here for everybody, or /roundtable export %s to have all of them sent to you only.",
		slug, strings.Join(names, ", "), slug, slug)
}

// NoDocument answers a wish for a document that the item does not have, or that
// several could be.
func NoDocument(slug, wanted string, names []string) string {
	if len(names) == 0 {
		return Documents(slug, nil)
	}
	return fmt.Sprintf("%s has no document %s. It has: %s", slug, thread.OneLine(wanted), strings.Join(names, ", "))
}

// Showing says that a document follows.
func Showing(slug, name string) string {
	return fmt.Sprintf("I am putting %s of %s here, for everybody to see.", name, slug)
}

// Document stands above a document that somebody asked for. name is theirs.
func Document(slug, document, name string) string {
	who := thread.OneLine(name)
	if who == "" {
		who = "Somebody"
	}
	return fmt.Sprintf("%s asked for %s of %s. This is how it stands now.", who, document, slug)
}

// MakingCanvas says that a canvas follows.
func MakingCanvas(slug, name string) string {
	return fmt.Sprintf("I am making a canvas of %s of %s in this channel.", name, slug)
}

// Canvas says where a canvas is.
func Canvas(slug, name, link string) string {
	return fmt.Sprintf("%s of %s is a canvas of this channel now: %s\nIt shows how the document stood; later changes are not in it.", name, slug, link)
}

// NoCanvas says that a document comes as a file instead.
func NoCanvas(slug, name string) string {
	return fmt.Sprintf("%s of %s cannot be a canvas here: canvases are for Markdown, and this workspace has to have them and let me make one. I am putting it here as a file.", name, slug)
}

// DocumentEmpty answers a wish for a document without content.
func DocumentEmpty(slug, name string) string {
	return fmt.Sprintf("%s of %s is empty.", name, slug)
}

// NotShown says that a document could not be put here.
func NotShown(slug, name string) string {
	return fmt.Sprintf("%s of %s could not be put here: Slack did not take the file. Try again in a minute, or type /roundtable export %s to have it sent to you only.", name, slug, slug)
}

// DocumentInline introduces a document that is shown as text because no file may
// be sent.
func DocumentInline(slug, name string) string {
	return fmt.Sprintf("I may not send files here, so this is %s of %s, for you only:", name, slug)
}
