// A discussion in a thread: its opening, its turns, and its end.
import { LEAD, PERSONAS, answer } from './personas.mjs';
import { understand } from './understand.mjs';

const SHOW_EVERY = 3000; // ms between changes of one introduction
const EXTENSION = 10;

const button = (action, text, style) => ({ type: 'button', action_id: action, text: { type: 'plain_text', text }, ...(style && { style }) });
const section = (text) => ({ type: 'section', text: { type: 'mrkdwn', text } });
const actions = (...elements) => ({ type: 'actions', elements });

export class Discussions {
  #web;
  #store;
  #limit;
  #names = new Map(); // user → display name
  #shown = new Map(); // thread → when its introduction was changed last, while that is recent
  #botUser = '';

  constructor({ web, store, limit }) {
    this.#web = web;
    this.#store = store;
    this.#limit = limit;
  }

  async start() {
    this.#botUser = (await this.#web.auth.test()).user_id;
  }

  /** Opens a discussion, in a message's thread or, without one, in its own. */
  async open({ channel, thread, user, topic, event }) {
    let root;
    if (!thread) {
      root = await this.#introduce(channel, undefined, topic);
      thread = root;
    }
    await this.#store.change(`${channel}:${thread}`, event, async (known) => {
      if (known) return;
      root ??= await this.#introduce(channel, thread, topic);
      const state = { channel, thread, root, topic, opener: user, floor: 'open', turns: 0, limit: this.#limit, marks: [], people: [], closed: false };
      const said = [];
      const [next, other] = PERSONAS.filter((p) => p !== LEAD);
      await this.#contribute(state, said, LEAD, {
        by: LEAD.key, text: `I think we could benefit from all our perspectives on this question: what has to be true for ${topic}?\n\n${next.first}, what is your take from ${next.perspective} perspective?`,
      });
      await this.#contribute(state, said, next, answer(next, topic, topic, said));
      await this.#contribute(state, said, other, answer(other, topic, topic, said));
      await this.#notice(state, 'The floor is yours. Write here; address Maya, Alex or Jordan by name to hear that one first.', button('peer_continue', 'Let them continue'), button('peer_wrap_up', 'Wrap up'));
      return { state, said };
    });
  }

  /** Takes in what a person wrote in a thread. */
  async hear({ channel, thread, user, text, ts, event }) {
    await this.#store.change(`${channel}:${thread}`, event, async (state, recent) => {
      if (!state || state.closed) return;
      const name = await this.#name(user);
      const said = [{ by: user, name, ts, text }];
      const { intent, personas, floor, mark } = understand(text, this.#botUser, state.floor);
      if (intent === 'empty') return;
      if (mark) state.marks.push({ ...mark, by: name });
      if (!state.people.includes(name)) state.people.push(name);
      if (intent === 'floor') {
        state.floor = floor;
        await this.#notice(state, floor === 'open' ? `${name} opened the floor: personas speak freely again.` : `${name} asked for quiet: personas now speak only when they are addressed.`);
        return { state, said };
      }
      if (intent === 'exit') return this.#end(state, said, 'user-initiated');
      state.turns++;
      if (state.floor === 'muted' && personas.length > 0) state.floor = 'open';
      return this.#round(state, said, recent, personas, text);
    });
  }

  /** A button of the discussion. */
  async press({ channel, thread, user, action, event }) {
    await this.#store.change(`${channel}:${thread}`, event, async (state, recent) => {
      if (!state || state.closed) return;
      switch (action) {
        case 'peer_continue':
          return this.#round(state, [], recent, PERSONAS, recent.at(-1)?.text ?? state.topic);
        case 'peer_extend':
          state.limit += EXTENSION;
          await this.#notice(state, `${await this.#name(user)} added ${EXTENSION} turns. The limit is now ${state.limit}.`);
          return { state };
        case 'peer_wrap_up':
          return this.#end(state, [], 'user-initiated');
      }
    });
  }

  async #round(state, said, recent, personas, text) {
    const speakers = personas.slice(0, Math.max(0, state.limit - state.turns));
    if (speakers.length > 0) await this.#think(state, speakers[0]);
    for (const persona of speakers) {
      await this.#contribute(state, said, persona, answer(persona, state.topic, text, [...recent, ...said]));
    }
    if (state.turns >= state.limit) return this.#end(state, said, 'turn-limit');
    if (state.turns >= state.limit - 2 && state.warned !== state.limit) {
      state.warned = state.limit;
      await this.#notice(state, 'We are nearing the end of our discussion time. Any final points before we synthesize?', button('peer_extend', `＋${EXTENSION} turns`));
    }
    await this.#show(state);
    return { state, said };
  }

  async #end(state, said, exit) {
    await this.#notice(state, exit === 'turn-limit' ? 'We have had a thorough discussion. Let me synthesize the key points from our conversation.' : 'Wrapping up the discussion. Let me synthesize our key points.');
    const of = (kind) => state.marks.filter((m) => m.kind === kind).map((m) => `• [${m.by}] ${m.what}`);
    const part = (title, lines) => (lines.length > 0 ? [`*${title}*`, ...lines] : []);
    const text = [`*Elaboration Insights (${state.topic})*`, `Participants: ${[...PERSONAS.map((p) => p.first), ...state.people].join(', ')}`, `Turns: ${state.turns} | Exit: ${exit}`,
      ...part('Decisions Made', of('decision')), ...part('Open Questions', of('question')), ...part('Action Items', of('action'))].join('\n');
    state.closed = true;
    await this.#notice(state, text);
    await this.#show(state, true);
    return { state, said };
  }

  #introduction(topic, status) {
    const text = `ELABORATION MODE\n\nTopic: ${topic}\n\nTurn limit: ${this.#limit} exchanges. Type "done" to end discussion early.`;
    return { text, blocks: [{ type: 'header', text: { type: 'plain_text', text: 'ELABORATION MODE' } },
      section(`Bringing Alex Rivera (Solutions Architect) and Jordan Park (System Designer) into the discussion.\n\nTopic: ${topic}\n\nTurn limit: ${this.#limit} exchanges. Type "done" to end discussion early.`),
      { type: 'context', elements: [{ type: 'plain_text', text: status }] }] };
  }

  async #introduce(channel, thread, topic) {
    const { ts } = await this.#web.chat.postMessage({ channel, thread_ts: thread, ...this.#introduction(topic, 'Being opened') });
    return ts;
  }

  /** Brings the introduction up to date, but not too often. */
  async #show(state, always = false) {
    const now = Date.now();
    if (!always && now - (this.#shown.get(state.thread) ?? 0) < SHOW_EVERY) return;
    this.#shown.delete(state.thread);
    this.#shown.set(state.thread, now);
    for (const [thread, at] of this.#shown) {
      if (now - at < SHOW_EVERY) break;
      this.#shown.delete(thread);
    }
    const status = state.closed ? `Closed after ${state.turns} turns` : `${state.turns} of ${state.limit} turns; waiting for the room`;
    await this.#web.chat.update({ channel: state.channel, ts: state.root, ...this.#introduction(state.topic, status) }).catch((err) => console.error('introduction not shown:', err.message));
  }

  async #contribute(state, said, persona, entry) {
    const { ts } = await this.#web.chat.postMessage({
      channel: state.channel, thread_ts: state.thread, text: entry.text, username: persona.identity, icon_emoji: persona.icon, unfurl_links: false, unfurl_media: false,
    });
    state.turns++;
    said.push({ ...entry, ts });
  }

  async #notice(state, text, ...buttons) {
    const blocks = [section(text), ...(buttons.length > 0 ? [actions(...buttons)] : [])];
    await this.#web.chat.postMessage({ channel: state.channel, thread_ts: state.thread, text, blocks });
  }

  /** Shows who is thinking. Slack clears it with the next post. */
  async #think(state, persona) {
    await this.#web.apiCall('assistant.threads.setStatus', { channel_id: state.channel, thread_ts: state.thread, status: `${persona.first} is thinking…` }).catch(() => {});
  }

  async #name(user) {
    if (!this.#names.has(user)) {
      const found = await this.#web.users.info({ user }).catch(() => undefined);
      if (!found) return user;
      this.#names.set(user, found.user.profile?.display_name || found.user.real_name || found.user.name);
    }
    return this.#names.get(user);
  }
}
