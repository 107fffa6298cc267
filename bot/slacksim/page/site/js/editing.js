// Editing one's own message in place.
import { el } from './dom.js';
import { displayName } from './people.js';
import { unescapeText } from './mrkdwn.js';

/** The text as its author would type it again: mentions by name, links bare. */
export function typedText(message, store) {
  const named = String(message.text ?? '')
    .replace(/<@([UW][A-Z0-9]+)(?:\|[^>]*)?>/g, (_, id) => `@${displayName(store.people.get(id)) ?? id}`)
    .replace(/<#([A-Z0-9]+)(?:\|([^>]*))?>/g, (_, id, label) => `#${store.channels.get(id)?.name ?? label ?? id}`)
    .replace(/<!(here|channel|everyone)>/g, '@$1')
    .replace(/<((?:https?:|mailto:)[^|>]+)(?:\|[^>]*)?>/g, '$1');
  return unescapeText(named);
}

/** An editor node. It survives redrawing of its row, so nothing typed is lost. */
export function editorNode(text, { save, cancel }) {
  const input = el('textarea', { class: 'text-field', rows: '2', 'aria-label': 'Edit message' });
  input.value = text;
  const root = el('form', { class: 'editor', on: { submit: (e) => { e.preventDefault(); save(input.value.trim()); } } }, input,
    el('div', { class: 'actions-row' }, el('button', { type: 'button', class: 'button', on: { click: cancel } }, 'Cancel'), el('button', { type: 'submit', class: 'button button-primary' }, 'Save')));
  input.addEventListener('keydown', (e) => {
    if (e.isComposing) return;
    if (e.key === 'Escape') {
      e.preventDefault();
      e.stopPropagation();
      cancel();
    } else if (e.key === 'Enter' && !e.shiftKey) {
      e.preventDefault();
      save(input.value.trim());
    }
  });
  return { root, focus: () => { input.focus(); input.selectionStart = input.value.length; } };
}
