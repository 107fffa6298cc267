package slacksim

// canvasCreate is canvases.create. A canvas is kept as a file of Markdown, which its
// address gives back; the workspace draws none.
func (w *Workspace) canvasCreate(c *call) (object, error) {
	var content struct{ Type, Markdown string }
	if c.args["document_content"] != "" && (c.decode("document_content", &content) != nil || content.Type != "markdown") {
		return nil, refuse("canvas_creation_failed")
	}
	if id := c.args["channel_id"]; id != "" {
		ch, err := w.channelFor(id)
		if err != nil {
			return nil, refuse("canvas_creation_failed")
		}
		if !ch.has(w.opts.BotUserID) {
			return nil, refuse("restricted_action")
		}
	}
	f := &file{ID: w.ids.next("F"), Name: "canvas.md", Title: c.args["title"], User: w.opts.BotUserID, Created: w.now().Unix(), Bytes: []byte(content.Markdown)}
	w.files[f.ID] = f
	w.changed()
	return object{"canvas_id": f.ID}, nil
}
