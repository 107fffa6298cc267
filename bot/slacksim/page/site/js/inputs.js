// Input blocks of modals: each draws a labelled field and registers a reader that
// gives its value in the shape of Slack's view.state.values.
import { el } from './dom.js';
import { plainText } from './plaintext.js';
import { choiceChange, choiceGroup, optionsOf, selectChange, selectNode } from './elements.js';

let serial = 0;

/** Draws an input block and registers it in place.inputs under its block_id. */
export function drawInput(block, place) {
  const element = block.element ?? {};
  const id = `input-${++serial}`;
  const field = drawField(element, id, place);
  const error = el('p', { class: 'field-error', id: `${id}-error`, role: 'alert', hidden: true });
  const label = field.isGroup ? el('p', { class: 'field-label', id: `${id}-label` }, labelText(block)) : el('label', { class: 'field-label', for: id }, labelText(block));
  if (field.isGroup) field.node.setAttribute('aria-labelledby', `${id}-label`);
  field.node.setAttribute('aria-describedby', `${id}-hint ${id}-error`);
  const root = el('div', { class: 'field', dataset: { blockId: block.block_id } }, label, field.node,
    el('p', { class: 'field-hint', id: `${id}-hint`, hidden: !block.hint }, plainText(block.hint?.text)), error);
  place.inputs?.set(block.block_id, {
    actionId: element.action_id,
    optional: Boolean(block.optional),
    read: () => ({ type: element.type, ...field.read() }),
    isEmpty: () => field.isEmpty(),
    focus: () => (field.isGroup ? field.node.querySelector('input, select, button') : field.node)?.focus(),
    fail: (message) => {
      error.hidden = !message;
      error.textContent = message ?? '';
      field.node.toggleAttribute('aria-invalid', Boolean(message));
    },
  });
  if (block.dispatch_action) field.node.addEventListener('change', () => place.act(element, block.block_id, field.read()));
  return root;
}

function labelText(block) {
  return [plainText(block.label?.text), block.optional && el('span', { class: 'muted' }, ' (optional)')];
}

function drawField(element, id, place) {
  switch (element.type) {
    case 'plain_text_input':
    case 'email_text_input':
    case 'url_text_input': return textField(element, id);
    case 'number_input': return numberField(element, id);
    case 'static_select':
    case 'users_select':
    case 'conversations_select':
    case 'channels_select': return selectField(element, id, place);
    case 'multi_static_select':
    case 'multi_users_select':
    case 'multi_conversations_select':
    case 'multi_channels_select': return multiField(element, place);
    case 'checkboxes':
    case 'radio_buttons': return choiceField(element, id);
    case 'datepicker': return dateField(element, id);
    default: return { node: el('p', { class: 'muted' }, `(${element.type})`), read: () => ({}), isEmpty: () => true };
  }
}

function textField(element, id) {
  const types = { email_text_input: 'email', url_text_input: 'url' };
  const props = { id, class: 'text-field', placeholder: element.placeholder?.text, maxlength: element.max_length, autocomplete: 'off' };
  const node = element.multiline ? el('textarea', { ...props, rows: '5' }) : el('input', { ...props, type: types[element.type] ?? 'text' });
  node.value = element.initial_value ?? '';
  return { node, read: () => ({ value: node.value || null }), isEmpty: () => !node.value.trim() };
}

function numberField(element, id) {
  const node = el('input', { id, class: 'text-field text-field-short', type: 'number', min: element.min_value, max: element.max_value, step: element.is_decimal_allowed ? 'any' : '1', placeholder: element.placeholder?.text });
  node.value = element.initial_value ?? '';
  return { node, read: () => ({ value: node.value || null }), isEmpty: () => !node.value };
}

function dateField(element, id) {
  const node = el('input', { id, class: 'text-field text-field-short', type: 'date' });
  node.value = element.initial_date ?? '';
  return { node, read: () => ({ selected_date: node.value || null }), isEmpty: () => !node.value };
}

function selectField(element, id, place) {
  const [node, choices] = selectNode(element, place, { id });
  return { node, read: () => selectChange(element, choices.find((c) => c.value === node.value)), isEmpty: () => !node.value };
}

function choiceField(element, id) {
  const node = choiceGroup(element, id);
  return { node, isGroup: true, read: () => choiceChange(element, node), isEmpty: () => !node.querySelector('input:checked') };
}

const MULTI_KEYS = { multi_static_select: 'selected_options', multi_users_select: 'selected_users', multi_conversations_select: 'selected_conversations', multi_channels_select: 'selected_channels' };

function multiField(element, place) {
  const choices = optionsOf(element, place);
  const initial = new Set([...(element.initial_options ?? []).map((o) => o.value), ...(element.initial_users ?? []), ...(element.initial_conversations ?? []), ...(element.initial_channels ?? [])]);
  const node = el('div', { class: 'choices choices-wrap', role: 'group' }, choices.map((c) => el('label', { class: 'chip-choice' },
    el('input', { type: 'checkbox', value: c.value, checked: initial.has(c.value) }), el('span', {}, plainText(c.label)))));
  const ticked = () => {
    const values = new Set([...node.querySelectorAll('input:checked')].map((i) => i.value));
    return choices.filter((c) => values.has(c.value));
  };
  limitChoices(node, element.max_selected_items);
  const isStatic = element.type === 'multi_static_select';
  return {
    node, isGroup: true,
    read: () => ({ [MULTI_KEYS[element.type]]: ticked().map((c) => (isStatic ? c.option : c.value)) }),
    isEmpty: () => !ticked().length,
  };
}

function limitChoices(node, most) {
  if (!most) return;
  node.addEventListener('change', () => {
    const full = node.querySelectorAll('input:checked').length >= most;
    for (const input of node.querySelectorAll('input:not(:checked)')) input.disabled = full;
  });
}
