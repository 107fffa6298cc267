// The box one writes in: sending, drafts, files, and the completion list.
import { el, fill, icon, iconButton } from './dom.js';
import { completionsFor } from './completion.js';
import { emojiByName } from './emoji.js';
import { openPicker } from './toolbar.js';
import { recall, remember } from './storage.js';

let serial = 0;

export class Composer {
  #place = '';
  #options = [];
  #chosen = 0;
  #files = [];
  #range = null;

  /** options: {store, send(text, {broadcast, files}) → Promise, editLast() → boolean, upload(file) → Promise<file>, broadcast?: boolean} */
  constructor(options) {
    this.options = options;
    const id = `composer-${++serial}`;
    this.input = el('textarea', { id, rows: '1', class: 'composer-input', role: 'combobox', 'aria-autocomplete': 'list', 'aria-expanded': 'false', 'aria-controls': `${id}-list`, autocomplete: 'off' });
    this.popup = el('ul', { class: 'completions', id: `${id}-list`, role: 'listbox', hidden: true });
    this.chips = el('div', { class: 'file-chips' });
    this.broadcast = el('input', { type: 'checkbox' });
    this.picker = el('input', { type: 'file', multiple: true, hidden: true, tabindex: '-1' });
    this.sendButton = iconButton('send', 'Send', () => this.submit(), { class: 'icon-button send-button' });
    const emoji = iconButton('smile', 'Emoji', () => openPicker(emoji, (name) => this.insert(emojiByName(name) ? `:${name}: ` : '')));
    this.root = el('form', { class: 'composer', on: { submit: (e) => { e.preventDefault(); this.submit(); } } }, this.popup,
      el('div', { class: 'composer-box' }, this.input, this.chips,
        el('div', { class: 'composer-bar' }, iconButton('plus', 'Attach a file', () => this.picker.click()), emoji, this.picker,
          options.broadcast && el('label', { class: 'choice broadcast-choice' }, this.broadcast, el('span', {}, 'Also send to the channel')),
          el('span', { class: 'composer-hint' }, el('kbd', {}, 'Enter'), ' to send'), this.sendButton)));
    this.input.addEventListener('input', () => this.#typed());
    this.input.addEventListener('keydown', (e) => this.#key(e));
    this.input.addEventListener('blur', () => setTimeout(() => this.#close(), 120));
    this.picker.addEventListener('change', () => this.#attach([...this.picker.files]));
  }

  /** Moves to another channel or thread: keeps its draft, brings back the other's. */
  at(place, label, disabledReason = '') {
    this.input.placeholder = disabledReason || label;
    this.input.setAttribute('aria-label', label);
    this.input.disabled = Boolean(disabledReason);
    if (place === this.#place) return;
    this.#place = place;
    this.#files = [];
    this.broadcast.checked = false;
    this.#drawFiles();
    this.set(recall(`draft.${place}`, ''));
    this.#close();
  }

  set(text) {
    this.input.value = text;
    this.#grow();
    this.sendButton.disabled = !this.#sendable();
    remember(`draft.${this.#place}`, text);
  }

  insert(text) {
    const { selectionStart, selectionEnd, value } = this.input;
    this.set(value.slice(0, selectionStart) + text + value.slice(selectionEnd));
    this.input.focus();
    this.input.selectionStart = this.input.selectionEnd = selectionStart + text.length;
  }

  focus() {
    this.input.focus();
  }

  /** Sends what is written; a refused text comes back into the box. */
  async submit() {
    if (!this.#sendable()) return;
    this.#close();
    const place = this.#place;
    const [text, files, broadcast] = [this.input.value.trim(), this.#files, this.broadcast.checked];
    this.#files = [];
    this.#drawFiles();
    this.set('');
    this.broadcast.checked = false;
    if (await this.options.send(text, { files: files.map((f) => f.id), broadcast })) return;
    if (place === this.#place && !this.input.value) {
      this.#files = files;
      this.#drawFiles();
      this.set(text);
    } else remember(`draft.${place}`, text);
  }

  #sendable() {
    return !this.input.disabled && Boolean(this.input.value.trim() || this.#files.length);
  }

  #typed() {
    this.#grow();
    this.sendButton.disabled = !this.#sendable();
    remember(`draft.${this.#place}`, this.input.value);
    const found = completionsFor(this.input.value, this.input.selectionStart, this.options.store);
    this.#options = found?.options ?? [];
    this.#range = found?.range;
    this.#chosen = 0;
    this.#drawOptions();
  }

  #grow() {
    this.input.style.setProperty('height', 'auto');
    this.input.style.setProperty('height', `${Math.min(this.input.scrollHeight, innerHeight * 0.35)}px`);
  }

  #key(e) {
    if (e.isComposing) return;
    if (this.#options.length && this.#completionKey(e)) {
      e.preventDefault();
      e.stopPropagation();
    } else if (e.key === 'Enter' && !e.shiftKey) {
      e.preventDefault();
      this.submit();
    } else if (e.key === 'ArrowUp' && !e.altKey && !this.input.value && this.options.editLast()) e.preventDefault();
  }

  #completionKey(e) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (step && !e.altKey) {
      this.#chosen = (this.#chosen + step + this.#options.length) % this.#options.length;
      this.#drawOptions();
      return true;
    }
    if (e.key === 'Escape') {
      this.#close();
      return true;
    }
    if ((e.key !== 'Enter' && e.key !== 'Tab') || e.shiftKey) return false;
    // What is already written in full is meant to be sent.
    const option = this.#options[this.#chosen];
    if (e.key === 'Enter' && option.insert.trim() === this.input.value.slice(...this.#range).trim()) return false;
    this.#complete(option);
    return true;
  }

  #complete(option) {
    const [from, to] = this.#range;
    const { value } = this.input;
    this.set(value.slice(0, from) + option.insert + value.slice(to));
    this.input.focus();
    this.input.selectionStart = this.input.selectionEnd = from + option.insert.length;
    this.#close();
  }

  #drawOptions() {
    const open = this.#options.length > 0;
    this.popup.hidden = !open;
    this.input.setAttribute('aria-expanded', String(open));
    fill(this.popup, this.#options.map((option, i) => el('li', {
      role: 'option', id: `${this.popup.id}-${i}`, 'aria-selected': String(i === this.#chosen),
      on: { pointerdown: (e) => { e.preventDefault(); this.#complete(option); } },
    }, option.face?.(), el('strong', {}, option.label), option.detail && el('span', { class: 'muted' }, option.detail))));
    if (open) this.input.setAttribute('aria-activedescendant', `${this.popup.id}-${this.#chosen}`);
    else this.input.removeAttribute('aria-activedescendant');
  }

  #close() {
    this.#options = [];
    this.#drawOptions();
  }

  async #attach(files) {
    this.picker.value = '';
    for (const file of files) {
      const stored = await this.options.upload(file);
      if (stored) this.#files.push(stored);
    }
    this.#drawFiles();
    this.sendButton.disabled = !this.#sendable();
  }

  #drawFiles() {
    fill(this.chips, this.#files.map((f) => el('span', { class: 'file-chip' }, icon('file', 14), f.name, iconButton('close', `Remove ${f.name}`, () => {
      this.#files = this.#files.filter((other) => other !== f);
      this.#drawFiles();
    }))));
  }
}
