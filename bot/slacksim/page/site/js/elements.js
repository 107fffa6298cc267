// Interactive elements in messages and on the Home tab: buttons, menus, choices.
// Using one reports a change in the shape of a Slack action payload.
import { el, icon, dismissable, roving } from './dom.js';
import { plainText } from './plaintext.js';

/** Draws an element; `blockId` is the block it stands in, `place` as in blocks.js. */
export function drawElement(element, blockId, place) {
  switch (element.type) {
    case 'button':
    case 'workflow_button': return drawButton(element, blockId, place);
    case 'overflow': return drawOverflow(element, blockId, place);
    case 'static_select':
    case 'users_select':
    case 'conversations_select':
    case 'channels_select': return drawSelect(element, blockId, place);
    case 'checkboxes':
    case 'radio_buttons': return drawChoices(element, blockId, place);
    case 'feedback_buttons': return el('span', { class: 'actions-row' }, [element.positive_button, element.negative_button].filter(Boolean).map((b) => drawButton({ ...b, type: 'button', action_id: element.action_id }, blockId, { ...place, act: (_, id, change) => place.act(element, id, change) })));
    default: return el('span', { class: 'muted' }, `(${element.type})`);
  }
}

function drawButton(element, blockId, place) {
  const style = { primary: 'button-primary', danger: 'button-danger' }[element.style] ?? '';
  const button = el('button', { type: 'button', class: `button ${style}`, 'aria-label': element.accessibility_label, dataset: { actionId: element.action_id ?? '' } }, plainText(element.text?.text));
  button.addEventListener('click', async () => {
    if (element.confirm && !(await place.confirm(element.confirm))) return;
    if (element.url && /^https?:/i.test(element.url)) window.open(element.url, '_blank', 'noopener,noreferrer');
    busyWhile(button, place.act(element, blockId, { value: element.value ?? '' }));
  });
  return button;
}

async function busyWhile(button, work) {
  button.setAttribute('aria-busy', 'true');
  button.disabled = true;
  try {
    await work;
  } finally {
    button.removeAttribute('aria-busy');
    button.disabled = false;
  }
}

function drawOverflow(element, blockId, place) {
  const anchor = el('span', { class: 'menu-anchor' });
  const button = el('button', { type: 'button', class: 'button button-square', 'aria-label': 'More options', 'aria-haspopup': 'menu', 'aria-expanded': 'false' }, icon('more'));
  button.addEventListener('click', () => openMenu(anchor, button, (element.options ?? []).map((option) => ({
    label: plainText(option.text?.text),
    run: async () => {
      if (element.confirm && !(await place.confirm(element.confirm))) return;
      place.act(element, blockId, { selected_option: option });
    },
  }))));
  anchor.append(button);
  return anchor;
}

/** Opens a small menu under `button`. Items: {label, run, danger?}. */
export function openMenu(anchor, button, items) {
  if (anchor.querySelector('.menu')) return;
  const close = () => {
    release();
    menu.remove();
    button.setAttribute('aria-expanded', 'false');
    button.focus();
  };
  const menu = el('div', { class: 'menu', role: 'menu' }, items.map((item) => el('button', {
    type: 'button', role: 'menuitem', class: item.danger ? 'danger' : '', on: { click: () => { close(); item.run(); } },
  }, item.label)));
  const release = dismissable(menu, close);
  roving(menu, '[role=menuitem]');
  button.setAttribute('aria-expanded', 'true');
  anchor.append(menu);
  if (menu.getBoundingClientRect().bottom > innerHeight - 8) menu.classList.add('above');
  menu.querySelector('button')?.focus();
}

/** Whether a filter lets a select offer a channel. Membership is none of what it can say. */
function offered(channel, filter) {
  if (filter?.exclude_external_shared_channels && channel.is_ext_shared) return false;
  return !filter?.include || filter.include.includes(channel.kind);
}

/** The options of a select as [{text, value, option?}], people and channels looked up. */
export function optionsOf(element, place) {
  if (/users/.test(element.type)) return place.people().map((p) => ({ label: p.name, value: p.id }));
  if (/conversations|channels/.test(element.type)) return place.channels().filter((c) => offered(c, element.filter)).map((c) => ({ label: `#${c.name}`, value: c.id }));
  const groups = element.option_groups ?? [{ options: element.options ?? [] }];
  return groups.flatMap((g) => g.options.map((o) => ({ label: o.text?.text ?? '', value: o.value, option: o, group: g.label?.text })));
}

/** The part of an action payload that says what a select holds. */
export function selectChange(element, choice) {
  if (/users/.test(element.type)) return { selected_user: choice?.value ?? null };
  if (/conversations/.test(element.type)) return { selected_conversation: choice?.value ?? null };
  if (/channels/.test(element.type)) return { selected_channel: choice?.value ?? null };
  return { selected_option: choice?.option ?? null };
}

function initialChoice(element) {
  return element.initial_option?.value ?? element.initial_user ?? element.initial_conversation ?? element.initial_channel ?? '';
}

/** A native select for the element, with its choices. Returns [node, choices]. */
export function selectNode(element, place, props = {}) {
  const choices = optionsOf(element, place);
  const initial = initialChoice(element);
  const node = el('select', { class: 'select', ...props }, el('option', { value: '' }, element.placeholder?.text ?? 'Choose…'),
    groupNames(choices).map((group) => {
      const options = choices.filter((c) => c.group === group).map((c) => el('option', { value: c.value, selected: c.value === initial }, c.label));
      return group ? el('optgroup', { label: group }, options) : options;
    }));
  return [node, choices];
}

function groupNames(choices) {
  return [...new Set(choices.map((c) => c.group))];
}

function drawSelect(element, blockId, place) {
  const [node, choices] = selectNode(element, place, { 'aria-label': element.placeholder?.text ?? 'Choose' });
  let before = node.value;
  node.addEventListener('change', async () => {
    if (element.confirm && !(await place.confirm(element.confirm))) {
      node.value = before;
      return;
    }
    before = node.value;
    place.act(element, blockId, selectChange(element, choices.find((c) => c.value === node.value)));
  });
  return node;
}

function drawChoices(element, blockId, place) {
  const node = choiceGroup(element, `${blockId}-${element.action_id}`);
  node.addEventListener('change', () => place.act(element, blockId, choiceChange(element, node)));
  return node;
}

/** A group of checkboxes or radio buttons. `name` ties the radio buttons together. */
export function choiceGroup(element, name) {
  const type = element.type === 'checkboxes' ? 'checkbox' : 'radio';
  const initial = new Set([...(element.initial_options ?? []), element.initial_option].filter(Boolean).map((o) => o.value));
  return el('div', { class: 'choices', role: type === 'radio' ? 'radiogroup' : 'group' }, (element.options ?? []).map((o) => el('label', { class: 'choice' },
    el('input', { type, name, value: o.value, checked: initial.has(o.value) }),
    el('span', {}, plainText(o.text?.text), o.description && el('small', {}, plainText(o.description.text))))));
}

/** The part of an action payload that says which choices are ticked. */
export function choiceChange(element, node) {
  const ticked = new Set([...node.querySelectorAll('input:checked')].map((i) => i.value));
  const options = (element.options ?? []).filter((o) => ticked.has(o.value));
  return element.type === 'checkboxes' ? { selected_options: options } : { selected_option: options[0] ?? null };
}
