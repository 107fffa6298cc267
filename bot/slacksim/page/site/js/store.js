// What the page knows of the workspace, kept up to date from the event stream. It
// holds no DOM and asks nobody anything; app.js connects it to both.

/** The workspace as one person sees it. Emits 'change' and, for new posts, 'post'. */
export class Store extends EventTarget {
  me = '';
  version = '';
  team = { name: 'Local workspace' };
  app = { name: 'Roundtable', connections: 0 };
  people = new Map();
  channels = new Map();
  commands = [];
  shortcuts = [];
  statuses = new Map();
  ephemerals = [];
  views = [];
  home = null;
  connection = 'connecting';
  /** Grows whenever names or people may have changed, so that drawn text is out of date. */
  generation = 0;
  #pending = false;

  /** Replaces everything by an answer of /sim/state. */
  load(state) {
    this.generation++;
    Object.assign(this, {
      me: state.me, version: state.version, team: state.team, app: state.app,
      commands: state.commands ?? [], shortcuts: state.shortcuts ?? [],
      ephemerals: state.ephemerals ?? [], views: state.views ?? [], home: state.home ?? null,
      people: new Map((state.people ?? []).map((p) => [p.id, p])),
      channels: new Map((state.channels ?? []).map((c) => [c.id, { ...c, messages: [...(c.messages ?? [])] }])),
      statuses: new Map((state.statuses ?? []).map((s) => [threadKey(s.channel, s.thread_ts), s])),
    });
    this.changed();
  }

  /** Takes in one event of the stream (all but hello and reset). */
  apply(name, data) {
    switch (name) {
      case 'message': this.#takeMessage(data); break;
      case 'message_deleted': this.#dropMessage(data); break;
      case 'channel': this.#takeChannel(data.channel); break;
      case 'person': this.#takePerson(data.person); break;
      case 'status': this.#takeStatus(data); break;
      case 'ephemeral': this.#takeEphemeral(data); break;
      case 'ephemeral_deleted': this.ephemerals = this.ephemerals.filter((m) => m.ts !== data.ts); break;
      case 'views': this.views = data.views ?? []; break;
      case 'home': this.home = data.home; break;
      case 'app': this.app = { ...this.app, ...data.app }; break;
      default: return;
    }
    this.changed();
  }

  /** Says that something is different; listeners hear of many changes once. */
  changed() {
    if (this.#pending) return;
    this.#pending = true;
    queueMicrotask(() => {
      this.#pending = false;
      this.dispatchEvent(new Event('change'));
    });
  }

  setConnection(connection) {
    if (this.connection === connection) return;
    this.connection = connection;
    this.changed();
  }

  #takeMessage({ channel, message }) {
    const held = this.channels.get(channel);
    if (!held) return;
    const isNew = insertByTs(held.messages, message);
    if (isNew) this.dispatchEvent(new CustomEvent('post', { detail: { channel, message } }));
  }

  #dropMessage({ channel, ts }) {
    const held = this.channels.get(channel);
    if (held) held.messages = held.messages.filter((m) => m.ts !== ts);
  }

  #takePerson(person) {
    this.generation++;
    this.people.set(person.id, person);
  }

  #takeChannel(channel) {
    const held = this.channels.get(channel.id);
    if (held?.name !== channel.name) this.generation++;
    this.channels.set(channel.id, { ...held, ...channel, messages: held?.messages ?? [] });
  }

  #takeStatus(status) {
    const key = threadKey(status.channel, status.thread_ts);
    if (status.status) this.statuses.set(key, status);
    else this.statuses.delete(key);
    if (status.status) this.dispatchEvent(new CustomEvent('status', { detail: status }));
  }

  #takeEphemeral({ channel, message }) {
    const kept = { ...message, channel: message.channel ?? channel, is_ephemeral: true };
    if (insertByTs(this.ephemerals, kept)) this.dispatchEvent(new CustomEvent('post', { detail: { channel, message: kept } }));
  }

  /** What stands in a channel's column, oldest first: roots, broadcasts, my ephemerals. */
  column(channel) {
    const messages = (this.channels.get(channel)?.messages ?? []).filter((m) => !isReply(m) || m.subtype === 'thread_broadcast');
    const mine = this.ephemerals.filter((m) => m.channel === channel && !m.thread_ts);
    return mine.length ? [...messages, ...mine].sort(byTs) : messages;
  }

  /** A thread: its root (or undefined when that is gone) and its replies, oldest first. */
  thread(channel, ts) {
    const messages = this.channels.get(channel)?.messages ?? [];
    const replies = messages.filter((m) => isReply(m) && m.thread_ts === ts);
    const mine = this.ephemerals.filter((m) => m.channel === channel && m.thread_ts === ts);
    return { root: messages.find((m) => m.ts === ts), replies: mine.length ? [...replies, ...mine].sort(byTs) : replies };
  }

  message(channel, ts) {
    return this.channels.get(channel)?.messages.find((m) => m.ts === ts);
  }

  status(channel, threadTs) {
    return this.statuses.get(threadKey(channel, threadTs));
  }

  /** Channels in the order of the sidebar, the direct message left out. */
  listedChannels() {
    return [...this.channels.values()].filter((c) => c.kind !== 'im').sort((a, b) => a.name.localeCompare(b.name));
  }

  /** The full names under which the app has spoken, its personas. */
  personaNames() {
    const names = new Set();
    for (const { messages } of this.channels.values()) for (const m of messages) if (m.username && m.bot_id) names.add(m.username);
    return [...names];
  }
}

/** One key for a thread, used for statuses, drafts and read marks. */
export function threadKey(channel, threadTs) {
  return threadTs ? `${channel}/${threadTs}` : channel;
}

export function isReply(message) {
  return Boolean(message.thread_ts && message.thread_ts !== message.ts);
}

function byTs(a, b) {
  return a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0;
}

// Posts nearly always come last, so the search begins at the end. True: it was not there before.
function insertByTs(messages, message) {
  let at = messages.length;
  while (at > 0 && messages[at - 1].ts > message.ts) at--;
  if (at > 0 && messages[at - 1].ts === message.ts) {
    messages[at - 1] = message;
    return false;
  }
  messages.splice(at, 0, message);
  return true;
}
