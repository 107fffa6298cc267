// The page: loads the workspace, follows it, draws the panels, and knows where the
// person is (which channel, which thread, as whom).
import { loadState, Stream } from './api.js';
import { isReply, Store } from './store.js';
import { authorOf, directoryOf, displayName } from './people.js';
import { makeActions } from './actions.js';
import { MainPanel, ThreadPanel } from './panels.js';
import { drawSidebar } from './sidebar.js';
import { Modals } from './modal.js';
import { openSwitcher } from './switcher.js';
import { announce, mountNotices, toast } from './notices.js';
import { editorNode, typedText } from './editing.js';
import { recall, remember } from './storage.js';
import { Reading } from './reading.js';
import { summary } from './messages.js';
import { bindKeys } from './keys.js';
import { parseHash, permalinkPlace, placeHash } from './place.js';

const THREAD_WAIT_MS = 30000;
const LOAD_RETRY_MS = 1000;

class App {
  store = new Store();
  place = { kind: 'channel', channel: '', thread: null };
  nodes = Object.fromEntries(['app', 'sidebar', 'main', 'thread'].map((id) => [id, document.getElementById(id)]));
  #stream = null;
  #expected = new Map();
  #editing = null;

  constructor() {
    this.directory = directoryOf(this.store);
    this.reading = new Reading(this.store);
    this.act = makeActions(this);
    this.main = new MainPanel(this);
    this.threadPanel = new ThreadPanel(this);
    this.modals = new Modals({ placeFor: (view, inputs, values) => ({ ...this.viewPlace(view, values), inputs }), submit: this.act.submit, close: this.act.closeView });
    this.store.addEventListener('change', () => this.draw());
    this.store.addEventListener('post', (e) => this.#posted(e.detail));
    this.store.addEventListener('status', (e) => this.#followed(e.detail.channel, e.detail.thread_ts));
    addEventListener('hashchange', () => this.go(this.#addressed(), false));
    document.addEventListener('visibilitychange', () => this.#cameOrWent());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
    document.addEventListener('click', (e) => this.#followPermalink(e));
    setInterval(() => this.draw(), 30000);
    mountNotices();
    bindKeys(this);
    this.#applyTheme(recall('theme'));
  }

  // --- connection -------------------------------------------------------

  /** Loads the workspace as a person and follows it; tries again until the server answers. */
  async start(as) {
    this.#stream?.close();
    this.wanted = as;
    let state;
    try {
      state = await loadState(as);
    } catch (err) {
      if (err.code === 'unknown_person') return this.start('');
      this.store.setConnection('lost');
      return void setTimeout(() => { if (this.wanted === as) this.start(as); }, LOAD_RETRY_MS);
    }
    if (this.wanted !== as) return;
    this.#took(state);
    this.#stream = new Stream(state.me, state.version, {
      connection: (c) => this.store.setConnection(c),
      event: (name, data) => (name === 'reset' ? this.start(state.me) : this.store.apply(name, data)),
    });
  }

  #took(state) {
    const other = state.me !== this.store.me;
    this.store.load(state);
    const wanted = this.#addressed() ?? this.place;
    if (other) {
      // For another person it is an arrival, with unread messages of their own.
      this.place = { kind: '', channel: '', thread: null };
      this.reading.become(state.me);
      this.#editing = null;
      remember('me', state.me);
      const url = new URL(location.href);
      url.searchParams.set('as', state.me);
      history.replaceState(null, '', url);
    }
    this.go(this.store.channels.has(wanted.channel) || wanted.kind === 'home' ? wanted : { kind: 'channel', channel: this.#firstChannel(), thread: null }, false);
  }

  // The place that the address bar names; a permalink opened in a new tab ends up there too.
  #addressed() {
    return parseHash(location.hash) ?? permalinkPlace(location.href, this.store);
  }

  // Where something happened last, else where product people would look first.
  #firstChannel() {
    const channels = this.store.listedChannels();
    const busiest = channels.filter((c) => c.messages.length).sort((a, b) => (a.messages.at(-1).ts < b.messages.at(-1).ts ? 1 : -1))[0];
    return (busiest ?? channels.find((c) => c.name === 'product') ?? channels[0])?.id ?? '';
  }

  // --- moving about -----------------------------------------------------

  /** Goes to a place {kind, channel, thread, message?}. */
  go(place, record = true) {
    if (!place) return;
    const opened = place.channel !== this.place.channel || place.kind !== this.place.kind;
    const openedThread = place.thread && (opened || place.thread !== this.place.thread);
    this.place = { kind: place.kind, channel: place.channel, thread: place.thread ?? null };
    if (opened) this.reading.arrive(place.channel);
    if (openedThread) this.reading.arrive(place.channel, place.thread);
    this.showPanel(this.place.thread ? 'thread' : 'main');
    if (record && location.hash !== placeHash(this.place)) history.pushState(null, '', placeHash(this.place));
    if (opened && place.kind === 'home') this.act.openedHome();
    this.draw();
    if (place.message) (this.place.thread ? this.threadPanel : this.main).timeline.reveal(place.message);
  }

  openChannel = (channel) => {
    this.go({ kind: 'channel', channel, thread: null });
    if (!matchMedia('(max-width: 720px)').matches) this.main.composer.focus();
  };

  openThread = (channel, thread, focus = false) => {
    this.go({ kind: 'channel', channel, thread });
    if (focus) this.threadPanel.composer.focus();
  };

  openHome = () => this.go({ kind: 'home', channel: this.store.app.dm ?? '', thread: null });

  closeThread() {
    const { thread } = this.place;
    this.go({ ...this.place, thread: null });
    const row = thread && this.main.timeline.rowOf(thread);
    (row?.querySelector('.reply-bar') ?? this.main.composer.input).focus({ preventScroll: true });
  }

  become = (id) => this.start(id);

  jump = () => openSwitcher(this.store, this.act);

  suggest = (text) => {
    this.main.composer.set(text);
    this.main.composer.focus();
  };

  /** On a narrow screen one panel fills the page: 'sidebar', 'main' or 'thread'. */
  showPanel(panel) {
    this.nodes.app.dataset.panel = panel;
  }

  #followPermalink(e) {
    const place = permalinkPlace(e.target.closest?.('a[href]')?.href, this.store);
    if (!place || e.ctrlKey || e.metaKey || e.shiftKey) return;
    e.preventDefault();
    this.go(place);
  }

  // Coming back to the tab is coming back to the conversation.
  #cameOrWent() {
    if (!document.hidden && this.place.kind === 'channel') {
      this.reading.arrive(this.place.channel);
      if (this.place.thread) this.reading.arrive(this.place.channel, this.place.thread);
    }
    this.draw();
  }

  // --- threads that open by themselves ------------------------------------

  /** The person just did something that may make the app open a thread here. */
  expectThread = (channel, eager) => this.#expected.set(channel, { until: Date.now() + THREAD_WAIT_MS, after: this.store.channels.get(channel)?.messages.at(-1)?.ts ?? '', eager });

  #posted({ channel, message }) {
    const author = authorOf(message, this.store);
    if (message.user !== this.store.me || message.is_ephemeral) announce(`${author.name}: ${summary(message, this.store).slice(0, 160)}`);
    if (!message.bot_id || message.is_ephemeral) return;
    if (!isReply(message) && this.#expected.get(channel)?.eager) this.#followed(channel, message.ts);
    else if (isReply(message)) this.#followed(channel, message.thread_ts);
  }

  // Opens the thread if its root is newer than what the person just did there.
  #followed(channel, thread) {
    const expected = this.#expected.get(channel);
    if (!expected || Date.now() > expected.until || thread <= expected.after || this.place.channel !== channel) return;
    this.#expected.delete(channel);
    this.go({ kind: 'channel', channel, thread });
  }

  // --- drawing --------------------------------------------------------------

  /** What messages.js needs to draw a message; `stamp` differs when the drawing would. */
  viewFor(message, channel, surface) {
    const { store, directory, act } = this;
    const replies = surface === 'channel' && message.reply_count ? store.thread(channel, message.ts).replies : [];
    const unreadReplies = this.place.thread === message.ts ? 0 : this.reading.unreadIn(replies, channel, message.ts);
    const editor = this.#editing?.ts === message.ts && this.#editing.surface === surface ? this.#editing.node : null;
    const status = surface === 'channel' ? store.status(channel, message.ts) : null;
    const minute = replies.length ? Math.floor(Date.now() / 60000) : 0;
    return {
      store, directory, act, unreadReplies, editor,
      place: (m) => this.messagePlace(m, channel),
      stamp: [store.generation, unreadReplies, replies.length, status?.status, status?.username, minute, Boolean(editor)].join('|'),
    };
  }

  messagePlace(message, channel) {
    return this.#blockPlace((element, block, change) => this.act.use({ channel, message_ts: message.ts }, element, block, change));
  }

  viewPlace(view, values) {
    return this.#blockPlace((element, block, change) => this.act.use({ view_id: view.id }, element, block, change, values?.()));
  }

  #blockPlace(use) {
    const { store } = this;
    return {
      directory: this.directory, act: use, confirm: this.act.confirm, inputs: null,
      people: () => [...store.people.values()].filter((p) => !p.is_bot && !p.deleted).map((p) => ({ id: p.id, name: displayName(p) })),
      channels: () => store.listedChannels(),
    };
  }

  draw() {
    if (!this.store.me) return;
    if (!document.hidden && this.place.kind === 'channel') this.reading.read(this.place.channel, this.place.thread);
    drawSidebar(this.nodes.sidebar, { store: this.store, place: this.place, unread: (id) => this.reading.unread(id), theme: this.theme(), act: this.act });
    this.main.draw();
    this.threadPanel.draw();
    this.modals.show(this.store.views);
    const total = this.store.listedChannels().filter((c) => c.id !== this.place.channel).reduce((n, c) => n + this.reading.unread(c.id).unread, 0);
    const name = this.place.kind === 'home' ? this.store.app.name : `#${this.store.channels.get(this.place.channel)?.name ?? ''}`;
    document.title = `${total ? `(${total}) ` : ''}${name} · Local workspace`;
  }

  // --- editing ----------------------------------------------------------------

  startEdit = (channel, message, row) => {
    const surface = this.nodes.thread.contains(row) ? 'thread' : 'channel';
    const done = () => {
      this.#editing = null;
      this.draw();
      (surface === 'thread' ? this.threadPanel : this.main).composer.focus();
    };
    const before = typedText(message, this.store);
    const node = editorNode(before, {
      cancel: done,
      save: async (text) => {
        if (!text) return this.act.remove(channel, message);
        if (text === before || await this.act.saveEdit(channel, message.ts, text)) done();
      },
    });
    this.#editing = { ts: message.ts, surface, node };
    this.draw();
    node.focus();
  };

  /** Begins to edit the person's own last message there; false when there is none. */
  editLast({ channel, thread }) {
    const messages = thread ? this.store.thread(channel, thread).replies : this.store.column(channel);
    const message = messages.findLast((m) => m.user === this.store.me && !m.is_ephemeral && m.subtype !== 'tombstone');
    const row = message && (thread ? this.threadPanel : this.main).timeline.rowOf(message.ts);
    if (row) this.startEdit(channel, message, row);
    return Boolean(row);
  }

  // --- theme --------------------------------------------------------------------

  theme() {
    return document.documentElement.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  }

  toggleTheme = () => {
    const theme = this.theme() === 'dark' ? 'light' : 'dark';
    remember('theme', theme);
    this.#applyTheme(theme);
    this.draw();
  };

  #applyTheme(theme) {
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  }
}

addEventListener('error', () => toast('Something went wrong on this page. Reloading it usually helps.'));
new App().start(new URLSearchParams(location.search).get('as') ?? recall('me', ''));
