package slacksim

import (
	"io"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// fileLimit bounds an upload; the workspace is no place to keep archives.
const fileLimit = 12 << 20

// file is an uploaded file with its bytes.
type file struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Title   string `json:"title"`
	User    string `json:"user"`
	Created int64  `json:"created"`
	Bytes   []byte `json:"bytes"`

	length int // as announced
}

// shape is Slack's file object.
func (f *file) shape() object {
	ext := strings.TrimPrefix(path.Ext(f.Name), ".")
	mimetype := mime.TypeByExtension(path.Ext(f.Name))
	if mimetype == "" {
		mimetype = "application/octet-stream"
	}
	mimetype, _, _ = strings.Cut(mimetype, ";")
	link := "/files/" + f.ID + "/" + f.Name
	return object{
		"id": f.ID, "name": f.Name, "title": f.Title, "mimetype": mimetype, "filetype": ext, "pretty_type": strings.ToUpper(ext),
		"size": len(f.Bytes), "mode": "hosted", "user": f.User, "created": f.Created, "timestamp": f.Created, "is_external": false,
		"is_public": true, "url_private": link, "url_private_download": link, "permalink": link, "editable": false,
	}
}

// fileUploadURL is files.getUploadURLExternal.
func (w *Workspace) fileUploadURL(c *call) (object, error) {
	length := c.number("length", 0)
	if length <= 0 {
		return nil, refuse("invalid_arguments", "[ERROR] must be greater than 0 [json-pointer:/length]")
	}
	if length > fileLimit {
		return nil, refuse("file_upload_size_restricted")
	}
	f := &file{ID: w.ids.next("F"), Name: path.Base(c.args["filename"]), User: w.opts.BotUserID, Created: w.now().Unix(), length: length}
	f.Title = f.Name
	ticket := secret()
	w.uploads[ticket] = f
	return object{"upload_url": w.origin() + "/upload/" + ticket, "file_id": f.ID}, nil
}

// serveUpload takes the bytes of an announced file, raw or as a form's file.
func (w *Workspace) serveUpload(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	f := w.uploads[r.PathValue("ticket")]
	w.mu.Unlock()
	if f == nil {
		http.Error(rw, "no such upload", http.StatusNotFound)
		return
	}
	r.Body = http.MaxBytesReader(rw, r.Body, fileLimit+1<<20)
	body, err := uploadedBytes(r)
	if err != nil {
		http.Error(rw, "upload not readable", http.StatusBadRequest)
		return
	}
	w.mu.Lock()
	f.Bytes = body
	w.mu.Unlock()
	_, _ = io.WriteString(rw, "OK - "+strconv.Itoa(len(body)))
}

// uploadedBytes reads a raw body, or the first file of a multipart form.
func uploadedBytes(r *http.Request) ([]byte, error) {
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
		return io.ReadAll(r.Body)
	}
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, err
	}
	for {
		part, err := parts.NextPart()
		if err != nil {
			return nil, err
		}
		if part.FileName() != "" {
			return io.ReadAll(part)
		}
	}
}

// fileComplete is files.completeUploadExternal.
func (w *Workspace) fileComplete(c *call) (object, error) {
	var wanted []struct{ ID, Title string }
	if c.decode("files", &wanted) != nil || len(wanted) == 0 {
		return nil, refuse("invalid_arguments", "[ERROR] must be a list of files [json-pointer:/files]")
	}
	targets := c.list("channels")
	if id := c.args["channel_id"]; id != "" {
		targets = append(targets, id)
	}
	var places []*channel
	for _, id := range targets {
		ch, err := w.channelFor(id)
		if err != nil {
			return nil, err
		}
		if !ch.has(w.opts.BotUserID) {
			return nil, refuse("not_in_channel")
		}
		if ch.Archived {
			return nil, refuse("posting_to_channel_denied")
		}
		places = append(places, ch)
	}
	var shapes []object
	for _, want := range wanted {
		f := w.finishUpload(want.ID)
		if f == nil {
			return nil, refuse("file_not_found")
		}
		if want.Title != "" {
			f.Title = want.Title
		}
		shapes = append(shapes, f.shape())
	}
	for _, ch := range places {
		if err := w.shareFiles(c, ch, shapes); err != nil {
			return nil, err
		}
	}
	return object{"files": shapes}, nil
}

// finishUpload moves an uploaded file into the workspace's files, or gives the
// one already there.
func (w *Workspace) finishUpload(id string) *file {
	for ticket, f := range w.uploads {
		if f.ID == id && f.Bytes != nil {
			delete(w.uploads, ticket)
			w.files[id] = f
			w.changed()
			return f
		}
	}
	return w.files[id]
}

// shareFiles posts files into a channel or thread as the app.
func (w *Workspace) shareFiles(c *call, ch *channel, files []object) error {
	yes := true
	m := &Message{Type: "message", User: w.opts.BotUserID, BotID: w.opts.BotID, AppID: w.opts.AppID, BotProfile: w.botProfile(),
		Team: w.opts.TeamID, Text: c.args["initial_comment"], Files: files, Upload: &yes}
	if err := w.draftBlocks(c, m); err != nil {
		return err
	}
	if err := w.place(m, ch, c); err != nil {
		return refuse("invalid_channel")
	}
	m.Subtype = "file_share"
	w.dress(m, c)
	w.post(ch, m)
	if m.ThreadTS != "" {
		w.clearStatus(threadKey{ch.ID, m.ThreadTS})
	}
	return nil
}

// serveFile gives a file's bytes, as a download so that no upload runs in the page's origin.
func (w *Workspace) serveFile(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	f := w.files[r.PathValue("id")]
	w.mu.Unlock()
	if f == nil {
		http.NotFound(rw, r)
		return
	}
	h := rw.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.Name}))
	_, _ = rw.Write(f.Bytes)
}

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
