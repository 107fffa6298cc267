// The left column: workspace, channels, the app, the people, and who I am.
import { dismissable, el, fill, icon, iconButton, roving } from './dom.js';
import { appFace, displayName, firstName, localTime, personFace, switchable } from './people.js';

/** Draws the sidebar into `root`. `at`: {store, place, unread(channelId), theme, act}. */
export function drawSidebar(root, at) {
  const { store, act } = at;
  // Drawing again would swallow a press that is under way, so it is done only for a difference.
  const channels = store.listedChannels().map((c) => [c.id, c.is_archived, at.unread(c.id)]);
  const stamp = JSON.stringify([store.me, store.generation, store.connection, store.app.connections, at.place.kind, at.place.channel, at.theme, Math.floor(Date.now() / 60000), channels]);
  if (stamp === root.dataset.stamp || root.querySelector('.menu')) return;
  root.dataset.stamp = stamp;
  const focus = root.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  fill(root,
    el('header', { class: 'workspace' }, el('img', { class: 'logo', src: '/faces/roundtable.svg', alt: '', width: '32', height: '32' }),
      el('div', {}, el('h1', {}, 'Local workspace'), connectionLine(store)),
      iconButton(at.theme === 'dark' ? 'sun' : 'moon', at.theme === 'dark' ? 'Use the light theme' : 'Use the dark theme', act.toggleTheme)),
    el('button', { type: 'button', class: 'jump', dataset: { key: 'jump' }, on: { click: act.jump } }, icon('search', 16), el('span', {}, 'Jump to…'), el('kbd', {}, /Mac/.test(navigator.platform) ? '⌘ K' : 'Ctrl K')),
    el('nav', { 'aria-label': 'Channels and apps' },
      section('Channels', store.listedChannels().map((c) => channelItem(c, at))),
      section('App', [appItem(at)]),
      section('People', switchable(store).filter((p) => p.id !== store.me).map((p) => personItem(p, act)))),
    switcher(at));
  if (focus) root.querySelector(`[data-key="${CSS.escape(focus)}"]`)?.focus();
}

function connectionLine(store) {
  const [kind, text] = store.connection !== 'live' ? ['lost', store.connection === 'lost' ? 'Reconnecting…' : 'Connecting…']
    : store.app.connections ? ['live', `${store.app.name} is in`] : ['waiting', `Waiting for ${store.app.name}`];
  return el('p', { class: `connection connection-${kind}`, role: 'status' }, text);
}

function section(title, items) {
  return el('section', {}, el('h2', { class: 'sidebar-title' }, title), el('ul', {}, items.map((i) => el('li', {}, i))));
}

function channelItem(channel, at) {
  const { unread, mentions } = at.unread(channel.id);
  const current = at.place.kind === 'channel' && at.place.channel === channel.id;
  return el('button', {
    type: 'button', class: `nav-item ${unread ? 'unread' : ''} ${channel.is_archived ? 'archived' : ''}`, dataset: { key: channel.id, channel: channel.id }, 'aria-current': current ? 'page' : null,
    'aria-label': `${channel.name}${unread ? `, ${unread} unread` : ''}`, on: { click: () => at.act.openChannel(channel.id) },
  }, icon(channel.kind === 'private' ? 'lock' : 'hash', 16), el('span', { class: 'nav-label' }, channel.name), mentions ? el('span', { class: 'count' }, String(mentions)) : unread ? el('span', { class: 'unread-dot' }) : null);
}

function appItem(at) {
  const { store, act, place } = at;
  return el('button', { type: 'button', class: 'nav-item', dataset: { key: 'home' }, 'aria-current': place.kind === 'home' ? 'page' : null, on: { click: act.openHome } },
    appFace(store.app, 20), el('span', { class: 'nav-label' }, store.app.name), el('span', { class: 'app-badge' }, 'APP'));
}

function personItem(person, act) {
  return el('button', { type: 'button', class: 'nav-item person-item', dataset: { key: person.id }, title: `${person.tz_label || person.tz}: become ${firstName(person)}`, 'aria-label': `${displayName(person)}, ${localTime(person)}: become ${firstName(person)}`, on: { click: () => act.become(person.id) } },
    personFace(person, 20), el('span', { class: 'nav-label' }, displayName(person)), el('time', { class: 'muted' }, localTime(person).split(' ')[0]));
}

function switcher({ store, act }) {
  const me = store.people.get(store.me);
  if (!me) return null;
  const button = el('button', { type: 'button', class: 'me', dataset: { key: 'me' }, 'aria-haspopup': 'menu', 'aria-expanded': 'false', 'aria-label': `You are ${displayName(me)}. Switch person` },
    personFace(me, 36), el('span', { class: 'me-text' }, el('strong', {}, `You are ${firstName(me)}`), el('small', {}, localTime(me))), icon('down', 16));
  const root = el('footer', { class: 'switcher' }, button);
  button.addEventListener('click', () => openPeople(root, button, store, act));
  return root;
}

function openPeople(root, button, store, act) {
  if (root.querySelector('.people-menu')) return;
  const close = () => {
    release();
    menu.remove();
    button.setAttribute('aria-expanded', 'false');
  };
  const menu = el('div', { class: 'menu people-menu', role: 'menu', 'aria-label': 'Switch person' },
    el('p', { class: 'menu-title' }, 'Continue as'),
    switchable(store).map((p) => el('button', { type: 'button', role: 'menuitemradio', 'aria-checked': String(p.id === store.me), on: { click: () => { close(); act.become(p.id); } } },
      personFace(p, 32), el('span', {}, el('strong', {}, displayName(p)), el('small', {}, `${localTime(p)} · ${p.tz_label || p.tz}`)), p.id === store.me && icon('check', 16))));
  root.append(menu);
  button.setAttribute('aria-expanded', 'true');
  const release = dismissable(menu, () => { close(); button.focus(); });
  roving(menu, 'button');
  menu.querySelector('button')?.focus();
}
