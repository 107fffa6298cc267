// A scrolling list of messages: the channel column or a thread. It keeps the nodes of
// messages that did not change, so that focus, open menus and scroll stay.
import { el, fill, icon } from './dom.js';
import { drawEmpty, drawMessage, drawStatus } from './messages.js';
import { authorOf } from './people.js';
import { dayKey, dayName, tsMillis } from './time.js';
import { showToolbar } from './toolbar.js';

const GROUP_SECONDS = 300;
const NEAR_BOTTOM = 60;

const identities = new WeakMap();
let identity = 0;

// Messages are replaced, never changed, so the object stands for its content.
function identityOf(message) {
  if (!identities.has(message)) identities.set(message, ++identity);
  return identities.get(message);
}

export class Timeline {
  #rows = new Map();
  #place = '';
  #last = '';

  /** options: {surface: 'channel' | 'thread', label, act, viewFor(message)} */
  constructor(options) {
    this.options = options;
    this.list = el('div', { class: 'rows', role: 'log', 'aria-live': 'off', 'aria-label': options.label });
    this.foot = el('div', { class: 'timeline-foot' });
    this.scroller = el('div', { class: 'scroller', tabindex: '-1' }, this.list, this.foot);
    this.pill = el('button', { type: 'button', class: 'pill', hidden: true, on: { click: () => this.toBottom(true) } }, 'New messages', icon('down', 14));
    this.root = el('div', { class: 'timeline' }, this.scroller, this.pill);
    this.scroller.addEventListener('scroll', () => { if (this.atBottom()) this.pill.hidden = true; }, { passive: true });
    this.list.addEventListener('pointerover', (e) => this.#offer(e.target));
    this.list.addEventListener('focusin', (e) => this.#offer(e.target));
    this.list.addEventListener('keydown', (e) => this.#walk(e));
    // Pictures that load and a composer that grows must not hide the newest message.
    const resized = new ResizeObserver(() => { if (this.stick) this.toBottom(); });
    resized.observe(this.scroller);
    resized.observe(this.list);
    this.scroller.addEventListener('scroll', () => { this.stick = this.atBottom(); }, { passive: true });
    this.stick = true;
  }

  /** Shows messages. `at`: {key, store, channel, newSince, status, root, emptyChannel}. */
  show(messages, at) {
    const moved = at.key !== this.#place;
    if (moved) {
      this.#rows.clear();
      this.#last = '';
      this.stick = true;
    }
    // Measured, because the event of a scroll may still be on its way.
    const wasAtBottom = moved || this.atBottom();
    this.stick = wasAtBottom;
    this.#place = at.key;
    this.at = at;
    this.#reconcile(this.#plan(messages, at));
    fill(this.foot, at.status ? drawStatus(at.status, at.store) : null);
    const newest = messages.at(-1);
    const isNew = newest && newest.ts > this.#last;
    const mine = newest?.user === at.store.me && !newest.is_ephemeral;
    if (wasAtBottom || (isNew && mine && this.#last)) this.toBottom();
    else if (isNew && this.#last) this.pill.hidden = false;
    if (newest) this.#last = newest.ts;
    if (moved && !at.newSince) this.pill.hidden = true;
  }

  // The rows wanted, as [key, draw] pairs in order.
  #plan(messages, at) {
    const zone = at.directory.zone();
    const rows = [];
    let before = null;
    let day = '';
    let newShown = false;
    if (!messages.length && at.emptyChannel) rows.push([`empty|${at.emptyChannel.id}|${at.store.me}|${at.store.app.connections}`, () => drawEmpty(at.emptyChannel, at.store, this.options.act)]);
    for (const message of messages) {
      const millis = tsMillis(message.ts);
      const newDay = day !== dayKey(millis, zone);
      day = dayKey(millis, zone);
      if (newDay) {
        const name = dayName(millis, zone);
        rows.push([`day|${name}|${message.ts}`, () => el('div', { class: 'divider', role: 'separator' }, el('span', {}, name))]);
      }
      if (!newShown && at.newSince && message.ts > at.newSince && message.user !== at.store.me && rows.length) {
        newShown = true;
        rows.push([`new|${message.ts}`, () => el('div', { class: 'divider divider-new', role: 'separator' }, el('span', {}, 'New'))]);
      }
      const grouped = !newDay && this.#follows(before, message, at);
      const view = { ...this.options.viewFor(message), grouped, surface: this.options.surface, channel: at.channel };
      const key = `m|${message.ts}|${identityOf(message)}|${grouped}|${view.stamp}`;
      rows.push([key, () => drawMessage(message, view), message]);
      if (at.root?.ts === message.ts) {
        const count = messages.length - 1;
        if (count) rows.push([`count|${count}`, () => el('div', { class: 'divider divider-count' }, el('span', {}, `${count} ${count === 1 ? 'reply' : 'replies'}`))]);
        before = null;
        continue;
      }
      before = message;
    }
    return rows;
  }

  #follows(before, message, at) {
    if (!before || message.is_ephemeral || before.is_ephemeral || before.subtype === 'tombstone' || message.subtype === 'thread_broadcast' || message.subtype === 'tombstone') return false;
    if (Number(message.ts) - Number(before.ts) > GROUP_SECONDS) return false;
    return authorOf(before, at.store).key === authorOf(message, at.store).key;
  }

  #reconcile(rows) {
    const next = new Map();
    let cursor = this.list.firstChild;
    for (const [key, draw, message] of rows) {
      const node = this.#rows.get(key) ?? draw();
      if (message) node.message = message;
      next.set(key, node);
      if (node === cursor) cursor = cursor.nextSibling;
      else this.list.insertBefore(node, cursor);
    }
    const focused = this.list.contains(document.activeElement) ? document.activeElement.closest('.message')?.dataset.ts : null;
    while (cursor) {
      const following = cursor.nextSibling;
      cursor.remove();
      cursor = following;
    }
    this.#rows = next;
    this.#tabStop();
    if (focused && !this.list.contains(document.activeElement)) this.rowOf(focused)?.focus({ preventScroll: true });
  }

  // One message takes part in the Tab order; the arrow keys reach the others.
  #tabStop() {
    const messages = this.list.querySelectorAll('.message');
    if (![...messages].some((m) => m.tabIndex === 0) && messages.length) messages[messages.length - 1].tabIndex = 0;
  }

  #walk(e) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (!step || e.altKey || !e.target.classList.contains('message')) return;
    const messages = [...this.list.querySelectorAll('.message')];
    const next = messages[messages.indexOf(e.target) + step];
    if (!next) return;
    e.preventDefault();
    e.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }

  #offer(target) {
    const row = target.closest?.('.message');
    if (row?.message) showToolbar(row, this.options.viewFor(row.message), this.at.channel, this.options.surface);
  }

  rowOf(ts) {
    return this.list.querySelector(`.message[data-ts="${CSS.escape(ts)}"]`);
  }

  /** Scrolls to a message and lights it up for a moment. */
  reveal(ts) {
    const row = this.rowOf(ts);
    if (!row) return;
    row.scrollIntoView({ block: 'center' });
    row.classList.add('lit');
    row.addEventListener('animationend', () => row.classList.remove('lit'), { once: true });
  }

  atBottom() {
    return this.scroller.scrollHeight - this.scroller.scrollTop - this.scroller.clientHeight < NEAR_BOTTOM;
  }

  toBottom(smooth = false) {
    this.scroller.scrollTo({ top: this.scroller.scrollHeight, behavior: smooth && !matchMedia('(prefers-reduced-motion: reduce)').matches ? 'smooth' : 'instant' });
    this.pill.hidden = true;
    this.stick = true;
  }
}
