// The page's surfaces: modals, private messages, several people, themes, narrow
// screens, keys, and coming back after the workspace was away.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { Browser, session, until } from './page.fixture.mjs';

const s = session();
const { channel, composer, reply, message, say, postRoot } = s;
const plain = (text) => ({ type: 'plain_text', text });

const view = {
  type: 'modal', callback_id: 'start', title: plain('Start a discussion'), submit: plain('Start'), close: plain('Cancel'),
  blocks: [
    { type: 'input', block_id: 'topic', label: plain('Topic'), element: { type: 'plain_text_input', action_id: 'v' } },
    { type: 'input', block_id: 'context', optional: true, label: plain('Context'), element: { type: 'plain_text_input', multiline: true, action_id: 'v' } },
    { type: 'input', block_id: 'lead', label: plain('Lead'), element: { type: 'static_select', action_id: 'v', options: [{ text: plain('Maya'), value: 'maya' }, { text: plain('Alex'), value: 'alex' }] } },
    { type: 'input', block_id: 'limit', label: plain('Turns'), element: { type: 'number_input', is_decimal_allowed: false, action_id: 'v', initial_value: '10' } },
    { type: 'input', block_id: 'invite', optional: true, label: plain('Invite'), element: { type: 'multi_users_select', action_id: 'v' } },
  ],
};

test('a modal asks for what is missing, shows the errors of the app, and gives its values', async () => {
  const submitted = [];
  s.app.on.command = (body) => s.app.web.views.open({ trigger_id: body.trigger_id, view });
  s.app.on.interactive = async (body) => {
    if (body.type !== 'view_submission') return undefined;
    submitted.push(body.view.state.values);
    return submitted.length === 1 ? { response_action: 'errors', errors: { topic: 'Already under discussion.' } } : undefined;
  };
  await say('/roundtable');
  const dialog = s.page.locator('dialog[open]');
  await dialog.getByLabel('Lead').selectOption('alex');
  await dialog.getByRole('button', { name: 'Start' }).click();
  await dialog.locator('.field-error', { hasText: 'Please fill this in.' }).waitFor();
  assert.equal(submitted.length, 0);
  await dialog.getByLabel('Topic').fill('offline mode');
  await dialog.locator('.chip-choice').first().click();
  await dialog.getByRole('button', { name: 'Start' }).click();
  await dialog.locator('.field-error', { hasText: 'Already under discussion.' }).waitFor();
  assert.equal(await dialog.getByLabel('Topic').inputValue(), 'offline mode');
  await dialog.getByRole('button', { name: 'Start' }).click();
  await dialog.waitFor({ state: 'detached' });
  const got = submitted[1];
  assert.equal(got.topic.v.value, 'offline mode');
  assert.equal(got.lead.v.selected_option.value, 'alex');
  assert.equal(got.limit.v.value, '10');
  assert.equal(got.invite.v.selected_users.length, 1);
});

test('Escape closes a modal and tells the workspace', async () => {
  s.app.on.command = (body) => s.app.web.views.open({ trigger_id: body.trigger_id, view });
  await say('/roundtable');
  await s.page.locator('dialog[open]').waitFor();
  await s.page.keyboard.press('Escape');
  await s.page.locator('dialog[open]').waitFor({ state: 'detached' });
  assert.deepEqual((await s.workspace.state(s.people[0].id)).views, []);
});

test('the Home tab shows what the app published', async () => {
  await s.app.web.views.publish({ user_id: s.people[0].id, view: { type: 'home', blocks: [{ type: 'header', text: plain('Your discussions') }] } });
  await s.page.locator('.nav-item', { hasText: 'Roundtable' }).click();
  await s.page.getByRole('heading', { name: 'Your discussions' }).waitFor();
  assert.ok(s.page.url().endsWith('#/home'));
});

test('an ephemeral message is only for the person it is meant for', async () => {
  const other = await s.browser.open(s.people[1].id, `#/${channel('product')}`);
  await s.app.web.chat.postEphemeral({ channel: channel('product'), user: s.people[0].id, text: 'a quiet word' });
  await message('a quiet word').locator('.only-you').waitFor();
  await s.app.web.chat.postMessage({ channel: channel('product'), text: 'a loud word' });
  await other.locator('.message', { hasText: 'a loud word' }).waitFor();
  assert.equal(await other.locator('.message', { hasText: 'a quiet word' }).count(), 0);
  await message('a quiet word').hover();
  await message('a quiet word').locator('[aria-label="Dismiss"]').click();
  await message('a quiet word').waitFor({ state: 'detached' });
  await other.close();
});

test('being somebody else: their name, their clock, their messages, and what they have not read', async () => {
  const [first, second] = s.people;
  await say(`morning <@${second.id}>`);
  await s.page.locator('.nav-item', { hasText: 'general' }).click();
  await s.page.locator('.me').click();
  await s.page.locator('.people-menu button', { hasText: second.real_name }).click();
  await s.page.locator('.me', { hasText: `You are ${second.real_name.split(' ')[0]}` }).waitFor();
  assert.match(s.page.url(), new RegExp(`as=${second.id}`));
  await s.workspace.post('say', { as: first.id, channel: channel('product'), text: `@${second.real_name} have you seen this?` });
  await s.page.locator(`.nav-item.unread[data-channel="${channel('product')}"] .count`, { hasText: '1' }).waitFor();
  await s.page.locator(`.nav-item[data-channel="${channel('product')}"]`).click();
  await s.page.locator('.divider-new').waitFor();
  const shown = await message('have you seen this?').locator('time').first().innerText();
  const ts = await message('have you seen this?').getAttribute('data-ts');
  const want = new Intl.DateTimeFormat('en-GB', { timeZone: second.tz, hour: '2-digit', minute: '2-digit' }).format(Number(ts) * 1000);
  assert.equal(shown, want);
  await say('as somebody else');
  await message('as somebody else').waitFor();
  assert.equal((await s.workspace.state(first.id)).channels.find((c) => c.name === 'product').messages.at(-1)?.user ?? '', second.id);
});

// The ratio of WCAG 2 between two computed colours.
function contrast(a, b) {
  const [x, y] = [a, b].map((rgb) => rgb.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))).map(([r, g, bl]) => 0.2126 * r + 0.7152 * g + 0.0722 * bl).sort((m, n) => n - m);
  return (x + 0.05) / (y + 0.05);
}

for (const scheme of ['light', 'dark']) {
  test(`text has AA contrast in the ${scheme} theme`, async () => {
    await s.page.emulateMedia({ colorScheme: scheme });
    const pairs = [['ink', 'paper'], ['ink-soft', 'paper'], ['ink-soft', 'paper-hover'], ['ink-soft', 'side'], ['ink', 'side-hover'], ['ink-on-current', 'side-current'], ['accent', 'paper'], ['accent', 'accent-tint'], ['danger', 'paper'], ['danger', 'danger-tint'], ['amber', 'amber-tint'], ['code-ink', 'code-paper']];
    for (const pair of pairs) {
      const colours = await s.page.evaluate((names) => names.map((name) => {
        const probe = document.createElement('i');
        probe.style.color = `var(--${name})`;
        document.body.append(probe);
        const colour = getComputedStyle(probe).color;
        probe.remove();
        return colour.match(/[\d.]+/g).slice(0, 3).map(Number);
      }), pair);
      const got = contrast(...colours);
      assert.ok(got >= 4.5, `${pair.join(' on ')} in ${scheme}: got ${got.toFixed(2)}, want at least 4.5`);
    }
  });
}

test('the theme follows the system until it is chosen, and the choice stays', async () => {
  const background = () => s.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await s.page.emulateMedia({ colorScheme: 'dark' });
  const dark = await background();
  assert.notEqual(dark, light);
  await s.page.getByRole('button', { name: 'Use the light theme' }).click();
  assert.equal(await background(), light);
  await s.page.reload();
  await s.page.locator('.me').waitFor();
  assert.equal(await background(), light);
  await s.page.evaluate(() => localStorage.removeItem('local-workspace.theme'));
});

test('on a narrow screen one panel fills the page and the back buttons lead out', async () => {
  const ts = await postRoot('a root on a small screen');
  await s.workspace.post('say', { as: s.people[1].id, channel: channel('product'), thread_ts: ts, text: 'a small reply' });
  await s.page.setViewportSize({ width: 390, height: 780 });
  await message('a root on a small screen').locator('.reply-bar').click();
  await message('a small reply', '#thread').waitFor();
  assert.equal(await s.page.locator('#main').isVisible(), false);
  await s.page.locator('#thread .back-button').click();
  assert.equal(await s.page.locator('#main').isVisible(), true);
  await s.page.locator('#main .back-button').click();
  await s.page.locator('.me').waitFor();
  assert.equal(await s.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
});

test('keys: quick switcher, channels, and closing a thread', async () => {
  const ts = await postRoot('a thread to jump to');
  await s.workspace.post('say', { as: s.people[1].id, channel: channel('product'), thread_ts: ts, text: 'here' });
  await message('a thread to jump to').locator('.reply-bar').waitFor();
  await s.page.keyboard.press('Control+k');
  await s.page.locator('.switch-input').fill('jump to');
  await s.page.keyboard.press('Enter');
  await message('here', '#thread').waitFor();
  await s.page.keyboard.press('Escape');
  await s.page.locator('#thread').waitFor({ state: 'hidden' });
  const names = s.channels.map((c) => c.name).sort();
  await s.page.keyboard.press('Alt+ArrowDown');
  const next = names[(names.indexOf('product') + 1) % names.length];
  await s.page.locator('#main .panel-title h2', { hasText: next }).waitFor();
});

test('the line New stands before what was missed, and not before what is read at once', async () => {
  await say('I am reading');
  await message('I am reading').waitFor();
  await s.workspace.post('say', { as: s.people[1].id, channel: channel('product'), text: 'seen as it came' });
  await message('seen as it came').waitFor();
  assert.equal(await s.page.locator('#main .divider-new').count(), 0);
  await s.page.locator('.nav-item', { hasText: 'random' }).click();
  await s.workspace.post('say', { as: s.people[1].id, channel: channel('product'), text: 'missed' });
  await s.page.locator(`.nav-item.unread[data-channel="${channel('product')}"]`).click();
  await message('missed').waitFor();
  assert.equal(await s.page.locator('#main .divider-new + .message').getAttribute('data-ts'), await message('missed').getAttribute('data-ts'));
});

test('what arrives below while one reads above shows a pill instead of moving the page', async () => {
  for (let i = 0; i < 14; i++) await s.app.web.chat.postMessage({ channel: channel('random'), text: `line ${i}\n\n\n\nmore` });
  await s.page.locator('.nav-item', { hasText: 'random' }).click();
  await message('line 13').waitFor();
  const scroller = s.page.locator('#main .scroller');
  await scroller.evaluate((node) => node.scrollTo(0, 0));
  await until(async () => scroller.evaluate((node) => node.scrollTop === 0), 'the scroll');
  await s.app.web.chat.postMessage({ channel: channel('random'), text: 'far below' });
  await s.page.locator('#main .pill').waitFor();
  assert.equal(await scroller.evaluate((node) => node.scrollTop), 0);
  await s.page.locator('#main .pill').click();
  await s.page.locator('#main .pill').waitFor({ state: 'hidden' });
  assert.ok(await message('far below').isVisible());
});

test('drafts stay with their channel and thread', async () => {
  await composer().fill('half a thought');
  await s.page.locator('.nav-item', { hasText: 'random' }).click();
  assert.equal(await composer().inputValue(), '');
  await s.page.reload();
  await s.page.locator('.nav-item', { hasText: 'product' }).click();
  await until(async () => (await composer().inputValue()) === 'half a thought', 'the draft');
  const ts = await postRoot('a root with a draft');
  await s.page.goto(`${s.workspace.url}/?as=${s.people[0].id}#/${channel('product')}/${ts}`);
  assert.equal(await reply().inputValue(), '');
  await composer().fill('');
});

test('mrkdwn and Markdown are read as they are meant', async () => {
  const kinds = (file, fn, text) => s.page.evaluate(async ([f, n, t]) => JSON.stringify((await import(f))[n](t)), [`/js/${file}`, fn, text]).then(JSON.parse);
  const mrkdwn = (text) => kinds('mrkdwn.js', 'parseMrkdwn', text);
  const markdown = (text) => kinds('markdown.js', 'parseMarkdown', text);
  const flat = (nodes) => nodes.flatMap((n) => n.children ?? []).map((n) => n.kind);
  assert.deepEqual(flat(await mrkdwn('a *b* _c_ ~d~ `e`')), ['text', 'bold', 'text', 'italic', 'text', 'strike', 'text', 'code']);
  assert.deepEqual(flat(await mrkdwn('snake_case_name and 2*3*4')), ['text']);
  assert.deepEqual(flat(await mrkdwn('<@U1A> <#C1A|x> <!here> <https://a.example|b> :tada:')), ['user', 'text', 'channel', 'text', 'broadcast', 'text', 'link', 'text', 'emoji']);
  assert.deepEqual((await mrkdwn('&gt; quoted\n• one\n• two\n```x *y*```')).map((b) => b.kind), ['quote', 'list', 'pre']);
  assert.equal((await mrkdwn('&lt;b&gt; &amp;lt;'))[0].children[0].text, '<b> &lt;');
  assert.deepEqual((await mrkdwn('<javascript:x|y>'))[0].children[0].kind, 'text');
  assert.deepEqual((await markdown('# H\n\n- a\n  - b\n\n1. c\n\n> q\n\n---\n\n```js\nx\n```\n\n| a |b|\n|---|:-:|\n|1|2|')).map((b) => b.kind), ['heading', 'list', 'list', 'quote', 'rule', 'pre', 'table']);
  assert.deepEqual(flat(await markdown('**b** *i* ~~s~~ [l](https://a.example) `c`')), ['bold', 'text', 'italic', 'text', 'strike', 'text', 'link', 'text', 'code']);
});

test('I3 the page comes back by itself after the workspace was killed, and misses nothing', async () => {
  await say('before the fall');
  await message('before the fall').waitFor();
  await until(async () => (await s.workspace.state()).channels.some((c) => c.messages.some((m) => m.text === 'before the fall')), 'the message to land');
  await until(async () => s.workspace.saved().includes('before the fall'), 'the state file');
  await s.workspace.kill();
  await s.page.locator('.banner').waitFor();
  await say('said into the void');
  await s.page.locator('.toast', { hasText: 'does not answer' }).waitFor();
  assert.equal(await composer().inputValue(), 'said into the void');
  await s.workspace.start();
  await s.page.locator('.banner').waitFor({ state: 'hidden' });
  await message('before the fall').waitFor();
  await s.workspace.post('say', { as: s.people[1].id, channel: channel('product'), text: 'welcome back' });
  await message('welcome back').waitFor();
  assert.equal(await s.page.locator('#main .message', { hasText: 'before the fall' }).count(), 1);
});

test('nothing failed in the page, and it asked no other origin for anything', async () => {
  const dark = await Browser.start(s.workspace.url, { colorScheme: 'dark', reducedMotion: 'reduce' });
  await dark.open(s.people[0].id, `#/${channel('general')}`);
  assert.deepEqual([...s.browser.errors, ...dark.errors], []);
  assert.deepEqual([...s.browser.foreign, ...dark.foreign], []);
  await dark.stop();
});
