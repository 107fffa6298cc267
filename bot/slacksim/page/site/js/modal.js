// Dialogs: the app's modals (Slack views), confirmations, and the page's own.
import { el, fill, iconButton } from './dom.js';
import { drawBlockList, drawText } from './blocks.js';
import { plainText } from './plaintext.js';

/**
 * Asks a question in a dialog and resolves to whether it was confirmed. Texts are
 * Slack text objects or strings, as in a confirmation object.
 */
export function confirmDialog({ title, text, confirm, deny, style }, directory, extra = null) {
  return new Promise((resolve) => {
    const say = (t) => (typeof t === 'string' ? plainText(t) : drawText(t, { directory }));
    const dialog = el('dialog', { class: 'dialog dialog-small', 'aria-label': title?.text ?? title },
      el('h2', {}, say(title)), el('div', { class: 'prose' }, say(text)), extra,
      el('footer', {}, el('button', { type: 'button', class: 'button', on: { click: () => dialog.close('') } }, deny ? say(deny) : 'Cancel'),
        el('button', { type: 'button', class: `button ${style === 'danger' ? 'button-danger' : 'button-primary'}`, autofocus: true, on: { click: () => dialog.close('yes') } }, confirm ? say(confirm) : 'OK')));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Shows the top of the app's stack of modals, and keeps what was typed when a view is replaced. */
export class Modals {
  #shown = '';
  #view = null;
  #inputs = new Map();
  #error = el('p', { class: 'field-error', role: 'alert' });

  /** options: {placeFor(view, inputs), submit(view, values) → Promise<answer>, close(view, clear)} */
  constructor(options) {
    this.options = options;
    this.dialog = el('dialog', { class: 'dialog', 'aria-labelledby': 'modal-title' });
    this.dialog.addEventListener('cancel', (e) => {
      e.preventDefault();
      this.#cancel();
    });
    document.body.append(this.dialog);
  }

  /** Shows the last view of the stack, or nothing when it is empty. */
  show(views) {
    const view = views.at(-1);
    const stamp = view ? `${view.id}|${view.hash}` : '';
    if (stamp === this.#shown) return;
    const kept = view && view.id === this.#view?.id ? this.#values() : {};
    this.#shown = stamp;
    this.#view = view ?? null;
    if (!view) {
      if (this.dialog.open) this.dialog.close();
      return;
    }
    this.#draw(view, kept, views.length);
    if (!this.dialog.open) this.dialog.showModal();
    (this.dialog.querySelector('.dialog-body :is(input, textarea, select)') ?? this.dialog.querySelector('button'))?.focus();
  }

  #draw(view, kept, depth) {
    this.#inputs = new Map();
    const blocks = (view.blocks ?? []).map((b) => withValue(b, kept[b.block_id]?.[b.element?.action_id]));
    this.#error.textContent = '';
    const submit = view.submit && el('button', { type: 'submit', class: 'button button-primary' }, plainText(view.submit.text));
    fill(this.dialog, el('form', { method: 'dialog', on: { submit: (e) => { e.preventDefault(); this.#submit(view, submit); } } },
      el('header', {}, el('h2', { id: 'modal-title' }, plainText(view.title?.text)), iconButton('close', 'Close', () => this.#cancel(true))),
      el('div', { class: 'dialog-body' }, drawBlockList(blocks, this.options.placeFor(view, this.#inputs, () => this.#values()))), this.#error,
      el('footer', {}, el('button', { type: 'button', class: 'button', on: { click: () => this.#cancel() } }, plainText(view.close?.text ?? (depth > 1 ? 'Back' : 'Cancel'))), submit)));
  }

  #values() {
    const values = {};
    for (const [block, input] of this.#inputs) values[block] = { [input.actionId]: input.read() };
    return values;
  }

  async #submit(view, button) {
    let valid = true;
    for (const input of [...this.#inputs.values()].reverse()) {
      const missing = !input.optional && input.isEmpty();
      input.fail(missing ? 'Please fill this in.' : '');
      if (missing) input.focus();
      valid &&= !missing;
    }
    if (!valid) return;
    button.disabled = true;
    this.#error.textContent = '';
    const answer = await this.options.submit(view, this.#values());
    button.disabled = false;
    if (answer.refused) this.#error.textContent = answer.refused;
    for (const [block, message] of Object.entries(answer.errors ?? {})) {
      const input = this.#inputs.get(block);
      if (input) input.fail(message);
      else this.#error.textContent = message;
    }
  }

  #cancel(clear = false) {
    if (this.#view) this.options.close(this.#view, clear);
  }
}

// Puts what the person entered back as the initial value of a replaced input.
function withValue(block, value) {
  if (block.type !== 'input' || !value) return block;
  const kept = {
    initial_value: value.value, initial_option: value.selected_option, initial_options: value.selected_options,
    initial_user: value.selected_user, initial_users: value.selected_users,
    initial_conversation: value.selected_conversation, initial_conversations: value.selected_conversations, initial_date: value.selected_date,
  };
  const known = Object.fromEntries(Object.entries(kept).filter(([, v]) => v !== undefined && v !== null));
  return { ...block, element: { ...block.element, ...known } };
}
