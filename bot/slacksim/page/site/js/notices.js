// Short notices: toasts that people see, and announcements that screen readers speak.
import { el, iconButton } from './dom.js';

const SHOWN_MS = 7000;

const toasts = el('div', { class: 'toasts', role: 'region', 'aria-label': 'Notices' });
const polite = el('div', { class: 'visually-hidden', 'aria-live': 'polite' });

/** Puts the places where notices appear on the page. */
export function mountNotices() {
  document.body.append(toasts, polite);
}

/** Shows a sentence for a while. `kind`: 'error' | 'info'. `action`: {label, run}. */
export function toast(text, kind = 'error', action = null) {
  const close = () => {
    clearTimeout(timer);
    node.remove();
  };
  const node = el('div', { class: `toast toast-${kind}`, role: kind === 'error' ? 'alert' : 'status' }, el('span', {}, text),
    action && el('button', { type: 'button', class: 'link-button', on: { click: () => { close(); action.run(); } } }, action.label),
    iconButton('close', 'Dismiss', close));
  const timer = setTimeout(close, SHOWN_MS);
  toasts.append(node);
  while (toasts.children.length > 4) toasts.firstChild.remove();
}

/** Lets screen readers say something that sighted people see anyway. */
export function announce(text) {
  polite.textContent = text;
}
