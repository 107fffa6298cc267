// Package slacksim is a Slack workspace on a loopback port: the part of the
// Web API a thread bot uses, Socket Mode, and the endpoints a browser page
// needs to let people talk in it.
//
// It is for trying a bot without a Slack account, and for tests that must see
// what Slack does on a bad day: refused rates, failed calls that were
// performed, lost acknowledgements, events late, twice and out of order. The
// package knows nothing of the bot it serves, and the official clients
// (JavaScript and Go) are its judges.
//
// It is not a Slack server for people who do not know each other: it has one app, and
// everybody who can open the page may act as anyone. It answers to loopback only, unless
// [Options] expose it, and never to the pages of other origins.
//
// Start with [New]; [Workspace.Run] serves until its context ends. A test that
// prefers its own server uses [Workspace.Handler], and runs Run with a nil
// listener so that retries and expiries happen.
package slacksim

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/roundtable-chat/app/bot/slacksim/feed"
)

// Workspace is one simulated workspace with one app installed. All methods are
// safe for concurrent use.
type Workspace struct {
	opts  Options
	log   *slog.Logger
	now   func() time.Time
	epoch string // distinguishes this process in page event ids
	feed  *feed.Feed

	mu       sync.Mutex
	ids      idSource
	people   []*Person
	channels []*channel
	byID     map[string]*channel
	files    map[string]*file
	uploads  map[string]*file // upload ticket → file not yet complete
	statuses map[threadKey]*status
	hidden   map[string][]*ephemeral // user → ephemeral messages
	modals   map[string][]*view      // user → stack
	homes    map[string]*view
	triggers map[string]*trigger
	hooks    map[string]*responseHook
	groups   []UserGroup

	tickets  map[string]ticket
	conns    []*conn
	turn     int // round robin over conns
	givenUp  int // events that were delivered for the last time in vain
	pending  []*delivery
	inflight map[string]*delivery // envelope id → delivery
	held     *delivery            // an event waiting to be overtaken by the next

	faults   []*Fault
	dice     *mathrand.Rand
	windows  map[string][]time.Time // pacing: method or method+channel → recent calls
	calls    []CallRecord
	warnings []string

	base    string // http://host:port, as clients reach us
	dirty   bool
	savedAt time.Time
	closed  bool
	wake    chan struct{}
	saving  sync.Mutex // one state file writer at a time
	alive   sync.WaitGroup
}

// New makes a workspace from options; the zero Options give a pleasant default.
// A state file that exists is loaded. New starts nothing.
func New(opts Options) (*Workspace, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("set up workspace: %w", err)
	}
	var mark [4]byte
	if _, err := rand.Read(mark[:]); err != nil {
		return nil, fmt.Errorf("draw workspace epoch: %w", err)
	}
	w := &Workspace{
		opts:     opts,
		log:      opts.Logger,
		now:      opts.Now,
		epoch:    hex.EncodeToString(mark[:]),
		byID:     map[string]*channel{},
		files:    map[string]*file{},
		uploads:  map[string]*file{},
		statuses: map[threadKey]*status{},
		hidden:   map[string][]*ephemeral{},
		modals:   map[string][]*view{},
		homes:    map[string]*view{},
		triggers: map[string]*trigger{},
		hooks:    map[string]*responseHook{},
		groups:   opts.UserGroups,
		tickets:  map[string]ticket{},
		inflight: map[string]*delivery{},
		windows:  map[string][]time.Time{},
		dice:     mathrand.New(mathrand.NewPCG(opts.Seed, opts.Seed^0x9e3779b97f4a7c15)),
		base:     opts.BaseURL,
		wake:     make(chan struct{}, 1),
	}
	w.feed = feed.New(w.epoch)
	w.populate()
	if opts.StateFile != "" {
		if err := w.load(opts.StateFile); err != nil {
			return nil, fmt.Errorf("load workspace from %s: %w", opts.StateFile, err)
		}
	}
	for i := range opts.Faults {
		f := opts.Faults[i]
		w.faults = append(w.faults, &f)
	}
	return w, nil
}

// populate fills the workspace with the people and channels of the options.
func (w *Workspace) populate() {
	bot := w.opts.botPerson()
	w.people = append(w.people, &bot)
	for i := range w.opts.People {
		p := w.opts.People[i]
		w.people = append(w.people, &p)
	}
	for _, c := range w.opts.Channels {
		w.addChannel(c)
	}
	for _, p := range w.people {
		if !p.IsBot {
			w.directMessage(p.ID)
		}
	}
}

// Run serves the workspace on ln until ctx ends, and does what needs a clock:
// redeliveries, expiries, connection refreshes, the state file. With a nil
// listener it does only the latter. Run waits for everything it and the handler
// started, saves the state file and returns nil when ctx ended.
func (w *Workspace) Run(ctx context.Context, ln net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make(chan error, 1)
	served := make(chan struct{})
	var server *http.Server
	if ln != nil {
		w.mu.Lock()
		if w.base == "" {
			w.base = "http://" + ln.Addr().String()
		}
		w.mu.Unlock()
		server = &http.Server{Handler: w.Handler(), ReadHeaderTimeout: 10 * time.Second, ErrorLog: slog.NewLogLogger(w.log.Handler(), slog.LevelDebug)}
		go func() {
			defer close(served)
			if err := server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
				failed <- err
			}
		}()
	}
	var err error
	ticking := make(chan struct{})
	go func() { defer close(ticking); w.tick(ctx) }()
	select {
	case <-ctx.Done():
	case serveErr := <-failed:
		err = fmt.Errorf("serve workspace: %w", serveErr)
	}
	cancel()
	<-ticking
	w.closeConnections()
	w.feed.Close()
	if server != nil {
		// Page streams and long polls end with feed.Close; what is left is cut.
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		if server.Shutdown(end) != nil {
			_ = server.Close()
		}
		stop()
		<-served
	}
	w.alive.Wait()
	return errors.Join(err, w.save())
}

// Close cuts every connection for good, ends the page's streams and saves the
// state file. It is for a workspace that is only a Handler; the end of Run does the
// same.
func (w *Workspace) Close() error {
	w.closeConnections()
	w.feed.Close()
	w.alive.Wait()
	return w.save()
}

// Where Socket Mode connects, and where permalinks lead.
const (
	socketPath   = "/link/"
	archivesPath = "/archives/"
)

// Handler serves the Web API, Socket Mode, the page and the page's endpoints, all
// behind one door.
func (w *Workspace) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/api/{method}", w.serveMethod)
	mux.HandleFunc("GET "+socketPath, w.serveSocket)
	mux.HandleFunc("POST /respond/{token}", w.serveResponse)
	mux.HandleFunc("POST /upload/{ticket}", w.serveUpload)
	mux.HandleFunc("GET /files/{id}/{name}", w.serveFile)
	mux.HandleFunc("GET /docs/{team}/{id}", w.serveFile)
	mux.Handle("/sim/", w.pageMux())
	mux.HandleFunc("GET "+archivesPath, func(rw http.ResponseWriter, r *http.Request) {
		http.Redirect(rw, r, "/#"+r.URL.RequestURI(), http.StatusFound)
	})
	mux.Handle("/", noStore(http.FileServerFS(w.opts.Page)))
	return w.door(mux)
}

// noStore keeps browsers from showing yesterday's page after an upgrade.
func noStore(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Cache-Control", "no-cache")
		next.ServeHTTP(rw, r)
	})
}

// changed notes that the state file is behind. The caller holds mu.
func (w *Workspace) changed() { w.dirty = true }

// rouse makes the clock loop look again at what is due.
func (w *Workspace) rouse() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// origin is where clients reach the workspace, without a final slash. The
// caller holds mu.
func (w *Workspace) origin() string {
	if w.base == "" {
		return "http://127.0.0.1"
	}
	return w.base
}

// learnOrigin remembers the address of the first client when nobody told us ours.
func (w *Workspace) learnOrigin(r *http.Request) {
	w.mu.Lock()
	if w.base == "" {
		w.base = "http://" + r.Host
	}
	w.mu.Unlock()
}
