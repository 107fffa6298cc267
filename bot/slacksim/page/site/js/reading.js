// What the person has read: the newest timestamp seen per channel and thread.
import { isReply, threadKey } from './store.js';
import { recall, remember } from './storage.js';

export class Reading {
  #marks = {};
  #newSince = new Map();

  constructor(store) {
    this.store = store;
  }

  /** Takes up another person's marks. What was there before their first visit counts as read. */
  become(person) {
    this.key = `read.${person}`;
    this.#marks = recall(this.key, {});
    this.#newSince.clear();
    const newest = [...this.store.channels.values()].map((c) => c.messages.at(-1)?.ts ?? '0').sort().at(-1);
    if (!this.#marks.base) this.#advance('base', newest ?? '0');
  }

  /**
   * The person comes to a channel or thread: where the line "New" belongs is settled
   * now, while reading moves the mark. What arrives as they look gets no line.
   */
  arrive(channel, thread = null) {
    const mark = this.#mark(channel, thread);
    const messages = thread ? this.store.thread(channel, thread).replies : this.store.column(channel);
    const waiting = messages.some((m) => m.ts > mark && this.#isForeign(m));
    this.#newSince.set(threadKey(channel, thread), waiting ? mark : undefined);
  }

  /** The timestamp after which the line "New" stands, or undefined. */
  newSince(channel, thread = null) {
    return this.#newSince.get(threadKey(channel, thread));
  }

  /** All that stands in the channel, and in the thread if one is open, has been seen. */
  read(channel, thread) {
    this.#advance(channel, this.store.column(channel).filter((m) => !m.is_ephemeral).at(-1)?.ts);
    if (thread) this.#advance(threadKey(channel, thread), this.store.thread(channel, thread).replies.at(-1)?.ts);
  }

  /** How much is unread in a channel and the threads one takes part in: {unread, mentions}. */
  unread(channel) {
    const mark = this.#mark(channel);
    const fresh = this.store.column(channel).filter((m) => m.ts > mark && this.#isForeign(m) && !m.is_ephemeral);
    const all = [...fresh, ...this.#followedReplies(channel)];
    return { unread: all.length, mentions: all.filter((m) => m.text?.includes(`<@${this.store.me}`)).length };
  }

  /** How many of a thread's replies are unread. */
  unreadIn(replies, channel, thread) {
    const mark = this.#mark(channel, thread);
    return replies.filter((m) => m.ts > mark && this.#isForeign(m)).length;
  }

  #followedReplies(channel) {
    const messages = this.store.channels.get(channel)?.messages ?? [];
    const joined = new Set(messages.filter((m) => !this.#isForeign(m)).map((m) => m.thread_ts ?? m.ts));
    return messages.filter((m) => isReply(m) && m.subtype !== 'thread_broadcast' && joined.has(m.thread_ts) && this.#isForeign(m) && m.ts > this.#mark(channel, m.thread_ts));
  }

  #isForeign(message) {
    return message.user !== this.store.me;
  }

  #mark(channel, thread = null) {
    return this.#marks[threadKey(channel, thread)] ?? this.#marks.base ?? '0';
  }

  #advance(key, ts) {
    if (!ts || (this.#marks[key] ?? '') >= ts) return;
    this.#marks[key] = ts;
    remember(this.key, this.#marks);
  }
}
