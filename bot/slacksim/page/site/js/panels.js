// The main column and the thread beside it.
import { el, fill, icon, iconButton } from './dom.js';
import { Composer } from './composer.js';
import { Timeline } from './timeline.js';
import { drawBlockList } from './blocks.js';
import { appFace } from './people.js';
import { threadKey } from './store.js';

function composerFor(app, where, broadcast) {
  return new Composer({
    store: app.store, broadcast,
    send: (text, extra) => app.act.send(where().channel, where().thread, text, extra),
    editLast: () => app.editLast(where()),
    upload: app.act.upload,
  });
}

/** A channel, the direct message with the app, or the app's Home tab. */
export class MainPanel {
  constructor(app) {
    this.app = app;
    this.where = () => ({ channel: app.place.channel });
    this.header = el('header', { class: 'panel-header' });
    this.banner = el('div', { class: 'banner', role: 'status', hidden: true }, 'The workspace does not answer. Reconnecting…');
    this.timeline = new Timeline({ surface: 'channel', label: 'Messages', act: app.act, viewFor: (m) => app.viewFor(m, app.place.channel, 'channel') });
    this.composer = composerFor(app, this.where, false);
    this.home = el('div', { class: 'home-scroll', hidden: true });
    fill(app.nodes.main, this.header, this.banner, this.home, this.timeline.root, this.composer.root);
  }

  draw() {
    const { place, store } = this.app;
    const isHome = place.kind === 'home';
    this.home.hidden = !isHome;
    this.timeline.root.hidden = isHome;
    this.composer.root.hidden = isHome;
    this.banner.hidden = store.connection !== 'lost';
    this.#drawHeader();
    if (isHome) this.#drawHome();
    else this.#drawChannel(store.channels.get(place.channel));
  }

  #drawHeader() {
    const { place, store, act } = this.app;
    const back = iconButton('back', 'Back to channels', () => this.app.showPanel('sidebar'), { class: 'icon-button back-button' });
    const channel = store.channels.get(place.channel);
    const isApp = place.kind === 'home' || channel?.kind === 'im';
    const title = isApp ? [appFace(store.app, 24), el('h2', {}, store.app.name), el('span', { class: 'app-badge' }, 'APP')]
      : [icon(channel?.kind === 'private' ? 'lock' : 'hash', 20), el('h2', {}, channel?.name ?? ''), channel?.topic && el('span', { class: 'topic muted' }, channel.topic)];
    const tab = (label, current, go) => el('button', { type: 'button', class: 'tab', 'aria-current': current ? 'page' : null, on: { click: go } }, label);
    const tabs = isApp && store.app.dm && el('nav', { class: 'tabs', 'aria-label': store.app.name }, tab('Home', place.kind === 'home', act.openHome), tab('Messages', place.kind !== 'home', () => act.openChannel(store.app.dm)));
    const stamp = JSON.stringify([place.kind, channel?.id, channel?.name, channel?.topic, channel?.is_archived, channel?.members?.length, store.app.name]);
    if (stamp === this.headerStamp) return;
    this.headerStamp = stamp;
    fill(this.header, back, el('div', { class: 'panel-title' }, title), tabs, !isApp && channel && el('span', { class: 'muted members' }, `${channel.members?.length ?? 0} members`));
  }

  #drawHome() {
    const { store } = this.app;
    const stamp = `${store.me}|${store.home?.id}|${store.home?.hash}|${store.generation}`;
    if (stamp === this.homeStamp) return;
    this.homeStamp = stamp;
    const body = store.home
      ? drawBlockList(store.home.blocks, this.app.viewPlace(store.home))
      : el('div', { class: 'empty' }, el('div', { class: 'empty-faces' }, appFace(store.app, 64)), el('h2', {}, 'Nothing here yet'), el('p', {}, `${store.app.name} fills this page a moment after you open it.`));
    fill(this.home, el('div', { class: 'home-page' }, body));
  }

  #drawChannel(channel) {
    if (!channel) return;
    const { app } = this;
    const { store } = app;
    const name = channel.kind === 'im' ? store.app.name : `#${channel.name}`;
    this.timeline.show(store.column(channel.id), { key: `${store.me}|${channel.id}`, store, directory: app.directory, channel: channel.id, newSince: app.reading.newSince(channel.id), emptyChannel: channel });
    this.composer.at(`${store.me}.${channel.id}`, `Message ${name}`, channel.is_archived ? 'This channel is archived.' : '');
  }
}

/** One thread, with its own composer. Hidden while none is open. */
export class ThreadPanel {
  constructor(app) {
    this.app = app;
    this.where = () => ({ channel: app.place.channel, thread: app.place.thread });
    this.header = el('header', { class: 'panel-header' }, iconButton('back', 'Back to the channel', () => app.closeThread(), { class: 'icon-button back-button' }),
      el('div', { class: 'panel-title' }, el('h2', {}, 'Thread'), this.subtitle = el('span', { class: 'muted' })), iconButton('close', 'Close thread (Esc)', () => app.closeThread(), { class: 'icon-button close-thread' }));
    this.timeline = new Timeline({ surface: 'thread', label: 'Thread', act: app.act, viewFor: (m) => app.viewFor(m, app.place.channel, 'thread') });
    this.composer = composerFor(app, this.where, true);
    fill(app.nodes.thread, this.header, this.timeline.root, this.composer.root);
  }

  draw() {
    const { app } = this;
    const { place, store, nodes } = app;
    const open = place.kind === 'channel' && Boolean(place.thread) && store.channels.has(place.channel);
    nodes.thread.hidden = !open;
    nodes.app.classList.toggle('with-thread', open);
    if (!open) return;
    const channel = store.channels.get(place.channel);
    const { root, replies } = store.thread(place.channel, place.thread);
    this.subtitle.textContent = channel.kind === 'im' ? store.app.name : `#${channel.name}`;
    const key = threadKey(place.channel, place.thread);
    this.timeline.show(root ? [root, ...replies] : replies, { key: `${store.me}|${key}`, store, directory: app.directory, channel: place.channel, root, newSince: app.reading.newSince(place.channel, place.thread), status: store.status(place.channel, place.thread) });
    this.composer.at(`${store.me}.${key}`, 'Reply…', channel.is_archived ? 'This channel is archived.' : '');
  }
}
