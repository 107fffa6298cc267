// The page in a real browser, against the real workspace and the official clients.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { PERSONAS, session, until } from './page.fixture.mjs';

const s = session();
const { channel, composer, reply, message, say, postRoot } = s;

test('FR-001 a newcomer is told what to type, and the suggestion fills the composer', async () => {
  await s.page.locator('.nav-item', { hasText: 'random' }).click();
  await s.page.locator('.try-it').click();
  assert.equal(await composer().inputValue(), '/roundtable offline mode for notes');
  await composer().fill('');
});

test('Enter sends, Shift+Enter makes a line, messages in a row are grouped', async () => {
  await composer().fill('first line');
  await composer().press('Shift+Enter');
  await composer().pressSequentially('second line');
  await composer().press('Enter');
  await message('second line').waitFor();
  assert.equal(await message('second line').locator('br').count(), 1);
  await say('and one more');
  await s.page.locator('.message.grouped', { hasText: 'and one more' }).waitFor();
  assert.equal(await composer().inputValue(), '');
});

test('I12 hostile text stays text in messages, blocks, names and markdown', async () => {
  const evil = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>';
  const [c, link] = [channel('general'), '[x](javascript:window.hit=1)'];
  await s.page.locator('.nav-item', { hasText: 'general' }).click();
  await say(`person ${evil}`);
  await s.app.web.chat.postMessage({ channel: c, text: evil, username: `Eve ${evil}`, blocks: [
    { type: 'header', text: { type: 'plain_text', text: `header ${evil}` } },
    { type: 'section', text: { type: 'mrkdwn', text: `section ${evil} <javascript:window.hit=1|press me>` } },
    { type: 'context', elements: [{ type: 'plain_text', text: `context ${evil}` }] },
    { type: 'actions', elements: [{ type: 'button', action_id: 'evil', text: { type: 'plain_text', text: `b${evil}`.slice(0, 70) }, value: 'v' }] }] });
  await s.app.web.chat.postMessage({ channel: c, text: 'md', blocks: [{ type: 'markdown', text: `markdown ${evil} ${link}\n\n| a | b |\n|---|---|\n| ${evil} | c |` }] });
  await message('markdown').waitFor();
  for (const text of ['person <img', 'header <img', 'context <img', 'markdown <img']) await s.page.locator('#main .message', { hasText: text }).first().waitFor();
  assert.equal(await s.page.evaluate(() => window.hit), undefined);
  const made = await s.page.evaluate(() => [document.querySelectorAll('[onerror], .message script, a[href^="javascript"]').length, document.querySelectorAll('img[src="x"]').length]);
  assert.deepEqual(made, [0, 0]);
});

test('AC-002-04 a command opens its thread by itself, with personas under their own names and faces', async () => {
  s.app.on.command = async (body) => {
    const root = await s.app.web.chat.postMessage({ channel: body.channel_id, text: `ELABORATION MODE. Topic: ${body.text}` });
    await s.app.web.chat.postMessage({ channel: body.channel_id, thread_ts: root.ts, text: 'What must *never* be lost?', ...PERSONAS.maya });
    await s.app.web.chat.postMessage({ channel: body.channel_id, thread_ts: root.ts, text: 'The sync log.', ...PERSONAS.alex });
    await s.app.web.assistant.threads.setStatus({ channel_id: body.channel_id, thread_ts: root.ts, status: 'is thinking...', ...PERSONAS.jordan });
  };
  await composer().fill('/rou');
  await s.page.locator('#main .completions li', { hasText: '/roundtable' }).waitFor();
  await composer().press('Tab');
  await composer().pressSequentially('offline mode');
  await composer().press('Enter');
  const maya = message('never be lost', '#thread');
  await maya.waitFor();
  assert.equal(await maya.locator('.author').innerText(), 'Maya Chen');
  assert.equal(await maya.locator('.role').innerText(), 'Business Analyst');
  assert.equal(await maya.locator('.app-badge').innerText(), 'APP');
  assert.match(await maya.locator('img.face').getAttribute('src'), /\/faces\/maya\.svg$/);
  await s.page.locator('#thread .status-line', { hasText: 'Jordan Park is thinking' }).waitFor();
  await s.page.locator('#main .reply-bar', { hasText: '2 replies' }).waitFor();
});

test('a command in a thread shows the refusal and keeps the text', async () => {
  const ts = await postRoot('thread for a command');
  await s.page.goto(`${s.workspace.url}/?as=${s.people[0].id}#/${channel('product')}/${ts}`);
  await say('/roundtable status', reply());
  await s.page.locator('.toast', { hasText: '/roundtable is not supported in threads. Sorry!' }).waitFor();
  await until(async () => (await reply().inputValue()) === '/roundtable status', 'the text to come back');
  await reply().fill('');
});

test('replies stand in the thread, and in the channel when broadcast', async () => {
  const ts = await postRoot('a root to answer');
  await message('a root to answer').hover();
  await message('a root to answer').locator('[aria-label="Reply in thread"]').click();
  await say('only here', reply());
  await message('only here', '#thread').waitFor();
  await s.page.locator('.broadcast-choice input').check();
  await say('for all to see', reply());
  await message('for all to see', '#main').waitFor();
  assert.equal(await s.page.locator('#main .message', { hasText: 'only here' }).count(), 0);
  assert.ok(s.page.url().endsWith(ts));
});

test('AC-006-03 buttons reach the app, after the confirmation where one is asked', async () => {
  const pressed = [];
  s.app.on.interactive = async (body) => void pressed.push(body.actions[0].action_id);
  const confirm = { title: { type: 'plain_text', text: 'Wrap up?' }, text: { type: 'plain_text', text: 'The discussion ends.' }, confirm: { type: 'plain_text', text: 'Yes' }, deny: { type: 'plain_text', text: 'No' } };
  const button = (id, more) => ({ type: 'button', action_id: id, value: id, text: { type: 'plain_text', text: `press ${id}` }, ...more });
  const options = ['quiet', 'mute'].map((v) => ({ text: { type: 'plain_text', text: v }, value: v }));
  await s.app.web.chat.postMessage({ channel: channel('product'), text: 'menu', blocks: [{ type: 'actions', elements: [button('go', { style: 'primary' }), button('end', { style: 'danger', confirm }), { type: 'overflow', action_id: 'more', options }, { type: 'static_select', action_id: 'pick', placeholder: { type: 'plain_text', text: 'Pick' }, options }] }] });
  await s.page.getByRole('button', { name: 'press go' }).click();
  await until(async () => pressed.includes('go'), 'the press');
  await s.page.getByRole('button', { name: 'press end' }).click();
  await s.page.locator('dialog').getByRole('button', { name: 'No' }).click();
  assert.ok(!pressed.includes('end'));
  await s.page.getByRole('button', { name: 'press end' }).click();
  await s.page.locator('dialog').getByRole('button', { name: 'Yes' }).click();
  await until(async () => pressed.includes('end'), 'the confirmed press');
  await s.page.getByRole('button', { name: 'More options' }).click();
  await s.page.getByRole('menuitem', { name: 'mute' }).click();
  await s.page.locator('.message select').selectOption('quiet');
  await until(async () => pressed.includes('more') && pressed.includes('pick'), 'the menus');
});

test('NFR-003 reactions can be set from the bar and the picker, and taken back', async () => {
  await say('we take the queue');
  await message('we take the queue').hover();
  await message('we take the queue').locator('.toolbar [title*="mark as a decision"]').click();
  const chip = message('we take the queue').locator('.reaction[aria-pressed="true"]');
  await chip.waitFor();
  assert.match(await chip.getAttribute('title'), /You reacted with :white_check_mark:/);
  await chip.click();
  await chip.waitFor({ state: 'detached' });
  await message('we take the queue').hover();
  await message('we take the queue').locator('.toolbar [aria-label="Add a reaction"]').click();
  await s.page.locator('.picker input').fill('tada');
  await s.page.locator('.picker-grid button').first().click();
  await message('we take the queue').locator('.reaction', { hasText: '1' }).waitFor();
});

test('the arrow up edits the last own message; deleting asks first', async () => {
  await say('a misteak @Roundtable');
  await message('a misteak').waitFor();
  await composer().press('ArrowUp');
  const editor = s.page.locator('.editor textarea');
  assert.equal(await editor.inputValue(), 'a misteak @Roundtable');
  await editor.fill('a mistake');
  await editor.press('Enter');
  await s.page.locator('.message', { hasText: '(edited)' }).last().waitFor();
  await message('a mistake').hover();
  await message('a mistake').locator('[aria-label="More actions"]').click();
  await s.page.getByRole('menuitem', { name: 'Delete message' }).click();
  await s.page.locator('dialog').getByRole('button', { name: 'Delete' }).click();
  await until(async () => (await s.page.locator('.message', { hasText: 'a mistake' }).count()) === 0, 'the message to go');
});

test('message shortcuts reach the app', async () => {
  let got = null;
  s.app.on.interactive = async (body) => void (got = body);
  await say('worth a discussion');
  await message('worth a discussion').hover();
  await message('worth a discussion').locator('[aria-label="More actions"]').click();
  await s.page.locator('[role=menuitem]').first().click();
  await until(async () => got, 'the shortcut');
  assert.equal(got.type, 'message_action');
  assert.equal(got.message.text, 'worth a discussion');
});

test('FR-007 a link to a message of this workspace opens its thread in place and lights it up', async () => {
  const root = await postRoot('a root that is linked to');
  const ts = (await s.app.web.chat.postMessage({ channel: channel('product'), thread_ts: root, text: 'the supporting turn', ...PERSONAS.jordan })).ts;
  const { permalink } = await s.app.web.chat.getPermalink({ channel: channel('product'), message_ts: ts });
  await s.app.web.chat.postMessage({ channel: channel('product'), text: `evidence: <${permalink}|this turn>` });
  await message('evidence').getByRole('link', { name: 'this turn' }).click();
  await s.page.locator('#thread .message.lit', { hasText: 'the supporting turn' }).waitFor();
  assert.ok(s.page.url().endsWith(`#/${channel('product')}/${root}`));
  await s.page.goto('about:blank');
  await s.page.goto(permalink);
  await s.page.locator('#thread .message.lit', { hasText: 'the supporting turn' }).waitFor();
});

test('global shortcuts are offered by the quick switcher', async () => {
  let got = null;
  s.app.on.interactive = async (body) => void (got = body);
  await s.page.keyboard.press('Control+k');
  await s.page.locator('.switch-input').fill('shortcut');
  await s.page.keyboard.press('Enter');
  await until(async () => got, 'the shortcut');
  assert.equal(got.type, 'shortcut');
});
