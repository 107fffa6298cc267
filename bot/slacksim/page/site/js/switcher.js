// The quick switcher: jump to a channel, a thread, the app's Home, one of its shortcuts,
// or another person.
import { el, fill, icon } from './dom.js';
import { appFace, displayName, firstName, localTime, personFace, switchable, authorOf } from './people.js';
import { summary } from './messages.js';
import { isReply } from './store.js';

const MOST = 9;

/** Opens the switcher. `act` goes where the choice says. */
export function openSwitcher(store, act) {
  if (document.querySelector('.switch-dialog')) return;
  const places = placesOf(store, act);
  let chosen = 0;
  let found = [];
  const list = el('ul', { id: 'switch-list', class: 'completions switch-list', role: 'listbox' });
  const input = el('input', { class: 'switch-input', type: 'text', placeholder: 'Channel, thread or person', 'aria-label': 'Jump to', role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'switch-list', autocomplete: 'off' });
  const dialog = el('dialog', { class: 'dialog switch-dialog', 'aria-label': 'Jump to' }, el('div', { class: 'switch-field' }, icon('search', 18), input), list);
  const go = (place) => {
    dialog.close();
    place?.go();
  };
  const draw = () => fill(list, found.map((p, i) => el('li', { role: 'option', 'aria-selected': String(i === chosen), on: { click: () => go(p) } }, p.face(), el('strong', {}, p.label), el('span', { class: 'muted' }, p.detail))));
  const search = () => {
    const words = input.value.toLowerCase().replace(/^[#@]/, '').split(/\s+/).filter(Boolean);
    found = places.filter((p) => words.every((w) => `${p.label} ${p.detail}`.toLowerCase().includes(w))).slice(0, MOST);
    chosen = 0;
    draw();
  };
  input.addEventListener('input', search);
  input.addEventListener('keydown', (e) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (step && found.length) {
      chosen = (chosen + step + found.length) % found.length;
      draw();
    } else if (e.key === 'Enter') go(found[chosen]);
    else return;
    e.preventDefault();
  });
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', (e) => { if (e.target === dialog) dialog.close(); });
  document.body.append(dialog);
  dialog.showModal();
  search();
  input.focus();
}

function placesOf(store, act) {
  const channels = store.listedChannels();
  const threads = channels.flatMap((c) => c.messages.filter((m) => !isReply(m) && m.reply_count).map((m) => ({
    at: m.latest_reply ?? m.ts, label: summary(m, store).slice(0, 70) || 'Thread', detail: `thread in #${c.name}`,
    face: () => authorOf(m, store).face(24), go: () => act.openThread(c.id, m.ts, true),
  }))).sort((a, b) => (a.at < b.at ? 1 : -1));
  return [
    ...channels.map((c) => ({ label: `#${c.name}`, detail: c.topic || c.purpose || 'channel', face: () => icon('hash', 20), go: () => act.openChannel(c.id) })),
    ...threads,
    { label: store.app.name, detail: 'app Home', face: () => appFace(store.app, 24), go: act.openHome },
    ...store.shortcuts.filter((s) => s.type === 'global').map((s) => ({ label: s.name, detail: `shortcut of ${store.app.name}`, face: () => appFace(store.app, 24), go: () => act.globalShortcut(s) })),
    ...switchable(store).filter((p) => p.id !== store.me).map((p) => ({ label: `Become ${firstName(p)}`, detail: `${displayName(p)} · ${localTime(p)}`, face: () => personFace(p, 24), go: () => act.become(p.id) })),
  ];
}
