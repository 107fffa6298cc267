// Building DOM nodes. Nothing in the page turns a string into markup: every node
// is made here, and text only ever becomes a text node.

const SVG = 'http://www.w3.org/2000/svg';

/**
 * Makes an element. Properties: `class`, `dataset`, `style` (an object), `on`
 * (an object of listeners); `aria-*`, `role` and whatever else is a string
 * becomes an attribute; true gives an empty attribute, false, null and undefined give
 * none. Children may be nodes, strings, nested lists, null or false.
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  setProps(node, props);
  node.append(...flatten(children));
  return node;
}

function setProps(node, props) {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === 'class') node.setAttribute('class', value);
    else if (name === 'dataset') Object.assign(node.dataset, value);
    else if (name === 'style') for (const [k, v] of Object.entries(value)) node.style.setProperty(k, v);
    else if (name === 'on') for (const [type, fn] of Object.entries(value)) node.addEventListener(type, fn);
    else if (value === true) node.setAttribute(name, '');
    else node.setAttribute(name, String(value));
  }
}

function flatten(children) {
  return children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false);
}

/** Replaces all children of a node. */
export function fill(node, ...children) {
  node.replaceChildren(...flatten(children));
  return node;
}

const ICONS = {
  hash: 'M9 4 7 20M17 4l-2 16M4 9h16.5M3.5 15H20',
  reply: 'M20 12.5a7 7 0 0 1-7 6.5c-1.2 0-2.4-.3-3.4-.8L4.5 20l1.6-4.2a6.6 6.6 0 0 1-1-3.5C5.1 8.6 8.6 5.5 13 5.5',
  thread: 'M5 6h14v9.500h-7.500L7.500 19v-3.500H5z',
  smile: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16M9 10v.5M15 10v.5M8.500 14c1 1.600 2.200 2.300 3.500 2.300s2.500-.7 3.500-2.300',
  edit: 'M5 19l.9-4L15.500 5.400l3.100 3.100L9 18.100zM13.500 7.500l3 3',
  trash: 'M5 7.500h14M9.500 7.500V5h5v2.500M7 7.500l.8 12h8.400l.8-12M10.500 11v5M13.500 11v5',
  close: 'M6 6l12 12M18 6 6 18',
  send: 'M5 12 4.500 5 20 12 4.500 19zM5 12h7',
  back: 'M14.500 5.500 8 12l6.500 6.500',
  down: 'M6 9.500l6 6 6-6',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8M12 3v2M12 19v2M3 12h2M19 12h2M5.600 5.600 7 7M17 17l1.400 1.400M18.400 5.600 17 7M7 17l-1.400 1.400',
  moon: 'M19.500 14.500A8 8 0 0 1 9.500 4.500a8 8 0 1 0 10 10z',
  table: 'M12 15a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7M12 4v.6M5 17.500l.5-.3M19 17.500l-.5-.3',
  more: 'M6 12h.01M12 12h.01M18 12h.01',
  check: 'M5 12.500l4.500 4.500L19 7.500',
  file: 'M7 4h7l4 4v12H7zM14 4v4h4',
  lock: 'M6.500 11h11v8.500h-11zM8.500 11V8a3.500 3.500 0 0 1 7 0v3',
  eye: 'M3 12c2.500-4 5.500-6 9-6s6.500 2 9 6c-2.500 4-5.500 6-9 6s-6.500-2-9-6zM12 14.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5',
  search: 'M10.500 16.500a6 6 0 1 0 0-12 6 6 0 0 0 0 12M15 15l5 5',
  plus: 'M12 5v14M5 12h14',
};

/** Draws one of the page's line icons. It is decoration: name the control around it. */
export function icon(name, size = 18) {
  const svg = document.createElementNS(SVG, 'svg');
  const attrs = { viewBox: '0 0 24 24', width: size, height: size, class: 'icon', 'aria-hidden': 'true', focusable: 'false' };
  for (const [k, v] of Object.entries(attrs)) svg.setAttribute(k, v);
  if (name === 'more') svg.style.setProperty('stroke-width', '3');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', ICONS[name] ?? '');
  svg.append(path);
  return svg;
}

/** A button that shows only an icon; the label is spoken and shown as a tooltip. */
export function iconButton(name, label, onClick, props = {}) {
  return el('button', { type: 'button', class: 'icon-button', 'aria-label': label, title: label, ...props, on: { click: onClick } }, icon(name));
}

/** Removes the node from the page when Escape is pressed or a press lands outside it. */
export function dismissable(node, close) {
  const outside = (e) => { if (!node.contains(e.target)) close(); };
  const escape = (e) => {
    if (e.key !== 'Escape') return;
    e.stopPropagation();
    close();
  };
  // The press that opened the node is still on its way up when this runs.
  const timer = setTimeout(() => document.addEventListener('pointerdown', outside), 0);
  document.addEventListener('keydown', escape, true);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('pointerdown', outside);
    document.removeEventListener('keydown', escape, true);
  };
}

/** Moves focus among items with the arrow keys, as menus and lists are expected to. */
export function roving(container, selector) {
  container.addEventListener('keydown', (e) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[e.key];
    if (!step) return;
    const items = [...container.querySelectorAll(selector)];
    const at = items.indexOf(document.activeElement);
    e.preventDefault();
    items[(at + step + items.length) % items.length]?.focus();
  });
}
