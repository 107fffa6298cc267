// The page's conversation with the workspace server, as API.md describes it.

/** The server said no. `message` is a sentence for the person, `code` is for the program. */
export class Refusal extends Error {
  constructor(code, message) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
  }
}

const OFFLINE = 'The workspace does not answer. Your text is kept; try again in a moment.';

/** Does something on behalf of a person: post('say', {as, channel, text}). Throws Refusal. */
export async function post(action, body) {
  return answer(fetch(`/sim/${action}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }));
}

/** Loads everything that the person may see; without an id, the first person. */
export async function loadState(as) {
  return answer(fetch(`/sim/state${as ? `?as=${encodeURIComponent(as)}` : ''}`, { cache: 'no-store' }));
}

/** Uploads a File; the answer's `file.id` can be shared with say. */
export async function upload(as, file) {
  const query = new URLSearchParams({ as, filename: file.name });
  return answer(fetch(`/sim/upload?${query}`, { method: 'POST', body: file }));
}

async function answer(request) {
  let response;
  try {
    response = await request;
  } catch {
    throw new Refusal('unreachable', OFFLINE);
  }
  let body;
  try {
    body = await response.json();
  } catch {
    throw new Refusal('unreadable', OFFLINE);
  }
  if (!response.ok || body.ok === false) throw new Refusal(body.error ?? `http_${response.status}`, body.message || 'That did not work. Please try again.');
  return body;
}

const EVENTS = ['hello', 'reset', 'message', 'message_deleted', 'channel', 'person', 'status', 'ephemeral', 'ephemeral_deleted', 'views', 'home', 'app'];
const FIRST_WAIT = 400;
const LONGEST_WAIT = 5000;

/**
 * Follows the workspace for one person and comes back by itself after the server
 * was away: it asks to resume where it stopped, and the server answers with `reset`
 * when it cannot.
 */
export class Stream {
  #source = null;
  #timer = 0;
  #wait = FIRST_WAIT;
  #closed = false;

  /** handlers: {event(name, data), connection('live'|'lost')}. Starts at once. */
  constructor(as, version, handlers) {
    this.as = as;
    this.version = version;
    this.handlers = handlers;
    this.#connect();
  }

  #connect() {
    const query = new URLSearchParams({ as: this.as, after: this.version });
    const source = new EventSource(`/sim/events?${query}`);
    this.#source = source;
    source.onopen = () => {
      this.#wait = FIRST_WAIT;
      this.handlers.connection('live');
    };
    source.onerror = () => this.#retry();
    for (const name of EVENTS) {
      source.addEventListener(name, (e) => {
        if (this.#closed || source !== this.#source) return;
        if (e.lastEventId) this.version = e.lastEventId;
        this.handlers.event(name, JSON.parse(e.data || '{}'));
      });
    }
  }

  // The browser's own retry gives up on an error page and keeps an old version, so
  // the page closes the source and opens a new one itself.
  #retry() {
    this.#source?.close();
    if (this.#closed) return;
    this.handlers.connection('lost');
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#connect(), this.#wait);
    this.#wait = Math.min(LONGEST_WAIT, this.#wait * 1.6);
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#source?.close();
  }
}
