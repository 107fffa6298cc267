// Slack's own JavaScript clients judge the local workspace: what they can do with
// Slack they must be able to do here, and see the same shapes and failures.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { App, LogLevel, SocketModeReceiver } from '@slack/bolt';
import { SocketModeClient } from '@slack/socket-mode';
import { WebClient } from '@slack/web-api';

const PRIYA = 'U0PRIYA01';
const SAM = 'U0SAM0001';
const CHANNEL = 'C0PRODUCT';
const here = fileURLToPath(new URL('.', import.meta.url));
const quiet = { logLevel: LogLevel.ERROR };

let dir, server, home, web;

before(async () => {
  dir = mkdtempSync(join(tmpdir(), 'slacksim-client-'));
  const binary = join(dir, 'simserver');
  const built = spawnSync('go', ['build', '-o', binary, './simserver'], { cwd: here, encoding: 'utf8' });
  assert.equal(built.status, 0, built.stderr);
  server = spawn(binary, ['-ack-wait', '1s', '-retry-gap', '1s'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(server.stdout), 'line');
  home = JSON.parse(line);
  web = client();
});

after(async () => {
  server.stdin.end();
  await once(server, 'exit');
  rmSync(dir, { recursive: true });
});

beforeEach(() => sim('faults', { replace: true, faults: [] }));

function client(options = {}) {
  return new WebClient(home.bot_token, { slackApiUrl: `${home.url}/api/`, ...quiet, ...options });
}

/** What a person does on the page. */
async function sim(endpoint, body) {
  const response = await fetch(`${home.url}/sim/${endpoint}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  return { status: response.status, ...(await response.json()) };
}

async function say(text, more = {}) {
  const { ok, ts, message } = await sim('say', { as: PRIYA, channel: CHANNEL, text, ...more });
  assert.ok(ok, message);
  return ts;
}

async function state(as = PRIYA) {
  return (await fetch(`${home.url}/sim/state?as=${as}`)).json();
}

async function until(probe, what) {
  const end = Date.now() + 10000;
  for (;;) {
    const got = await probe();
    if (got) return got;
    assert.ok(Date.now() < end, `gave up waiting for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Runs `body` with a Socket Mode client that collects what it receives. */
async function withSocket(body, { ack = () => true } = {}) {
  // After a close the client waits for as long as a ping may take before it connects again.
  const socket = new SocketModeClient({ appToken: home.app_token, clientPingTimeout: 200, clientOptions: { slackApiUrl: `${home.url}/api/` }, ...quiet });
  const got = [];
  socket.on('slack_event', async (envelope) => {
    got.push(envelope);
    if (ack(envelope)) await envelope.ack();
  });
  await socket.start();
  try {
    return await body(got, socket);
  } finally {
    await socket.disconnect();
    await until(async () => (await state()).app.connections === 0, 'the connection to end');
  }
}

/**
 * The deliveries that concern some messages. Events that an earlier test did not get
 * to acknowledge may come in between, as with Slack.
 */
const about = (got, ...stamps) =>
  got.filter(({ body: { event } }) => stamps.includes(event.deleted_ts ?? event.message?.ts ?? event.item?.ts ?? event.ts));

/** Runs `body` with a Bolt app. */
async function withBolt(set, body) {
  const receiver = new SocketModeReceiver({ appToken: home.app_token, installerOptions: { clientOptions: { slackApiUrl: `${home.url}/api/` } }, ...quiet });
  const app = new App({ token: home.bot_token, receiver, clientOptions: { slackApiUrl: `${home.url}/api/` }, ...quiet });
  app.error(async () => {});
  set(app);
  await app.start();
  await until(async () => (await state()).app.connections === 1, 'the app to connect');
  try {
    await body(app);
  } finally {
    await app.stop();
    await until(async () => (await state()).app.connections === 0, 'the app to leave');
  }
}

test('auth.test names the bot and its scopes', async () => {
  const who = await web.auth.test();
  assert.equal(who.bot_id, 'B0ROUND01');
  assert.equal(who.user_id, 'U0ROUND01');
  assert.ok(who.response_metadata.scopes.includes('chat:write.customize'));
});

test('a post can be changed and deleted', async () => {
  const posted = await web.chat.postMessage({ channel: CHANNEL, text: 'first', blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '*first*' } }] });
  assert.equal(posted.message.bot_id, 'B0ROUND01');
  assert.equal(posted.message.blocks[0].type, 'section');
  assert.ok(posted.message.blocks[0].block_id);
  const changed = await web.chat.update({ channel: CHANNEL, ts: posted.ts, text: 'second' });
  assert.equal(changed.text, 'second');
  assert.ok(changed.message.edited);
  await web.chat.delete({ channel: CHANNEL, ts: posted.ts });
  const history = await web.conversations.history({ channel: CHANNEL });
  assert.ok(!history.messages.some((m) => m.ts === posted.ts));
});

test('a persona post is a bot_message without a user, and its metadata comes only on request', async () => {
  const root = await say('a thread');
  const key = { event_type: 'roundtable_turn', event_payload: { key: 'discussion/1/2' } };
  const { ts } = await web.chat.postMessage({ channel: CHANNEL, thread_ts: root, text: 'I disagree.', username: 'Maya Chen (Business Analyst)', icon_emoji: ':woman:', metadata: key });
  const plain = await web.conversations.replies({ channel: CHANNEL, ts: root });
  const [parent, reply] = plain.messages;
  assert.equal(parent.reply_count, 1);
  assert.equal(parent.latest_reply, ts);
  assert.equal(reply.subtype, 'bot_message');
  assert.equal(reply.user, undefined);
  assert.equal(reply.username, 'Maya Chen (Business Analyst)');
  assert.equal(reply.icons.emoji, ':woman:');
  assert.equal(reply.metadata, undefined);
  const full = await web.conversations.replies({ channel: CHANNEL, ts, include_all_metadata: true });
  assert.deepEqual(full.messages[1].metadata, key);
});

test('reactions', async () => {
  const ts = await say('react to me');
  await web.reactions.add({ channel: CHANNEL, timestamp: ts, name: 'eyes' });
  await assert.rejects(web.reactions.add({ channel: CHANNEL, timestamp: ts, name: 'eyes' }), (e) => e.data.error === 'already_reacted');
  const { message } = await web.reactions.get({ channel: CHANNEL, timestamp: ts });
  assert.deepEqual(message.reactions, [{ name: 'eyes', users: ['U0ROUND01'], count: 1 }]);
  await web.reactions.remove({ channel: CHANNEL, timestamp: ts, name: 'eyes' });
});

test('an ephemeral message reaches one person', async () => {
  const { message_ts } = await web.chat.postEphemeral({ channel: CHANNEL, user: PRIYA, text: 'for you alone' });
  const mine = (await state(PRIYA)).ephemerals.map((m) => m.ts);
  const theirs = (await state(SAM)).ephemerals.map((m) => m.ts);
  assert.ok(mine.includes(message_ts));
  assert.ok(!theirs.includes(message_ts));
});

test('events arrive with Slack shapes', async () => {
  await withSocket(async (got) => {
    const root = await say('hello @Roundtable');
    const ts = await say('a reply', { thread_ts: root });
    await sim('react', { as: SAM, channel: CHANNEL, ts, name: 'white_check_mark' });
    await sim('edit', { as: PRIYA, channel: CHANNEL, ts, text: 'a better reply' });
    await sim('delete', { as: PRIYA, channel: CHANNEL, ts });
    const mine = await until(async () => about(got, root, ts).length >= 6 && about(got, root, ts), 'six events');
    const kinds = mine.map((e) => [e.body.event.type, e.body.event.subtype].filter(Boolean).join('/'));
    assert.deepEqual(kinds, ['message', 'app_mention', 'message', 'reaction_added', 'message/message_changed', 'message/message_deleted']);
    assert.notEqual(mine[0].body.event_id, mine[1].body.event_id);
    assert.equal(mine[0].body.event.ts, mine[1].body.event.ts);
    assert.equal(mine[2].body.event.parent_user_id, PRIYA);
    assert.equal(mine[4].body.event.previous_message.text, 'a reply');
    assert.equal(mine[5].body.event.deleted_ts, ts);
  });
});

test('an event that is not acknowledged is redelivered', async () => {
  await withSocket(
    async (got) => {
      const ts = await say('do you hear me?');
      await until(async () => about(got, ts).length >= 3, 'two redeliveries');
      const mine = about(got, ts);
      assert.deepEqual(mine.map((e) => e.retry_num), [0, 1, 2]);
      assert.equal(new Set(mine.map((e) => e.body.event_id)).size, 1);
      assert.equal(mine[1].retry_reason, 'timeout');
    },
    { ack: (e) => e.body.event.text !== 'do you hear me?' || e.retry_num >= 2 },
  );
});

test('a refresh loses nothing', async () => {
  await withSocket(async (got) => {
    const before = await say('before');
    await until(async () => about(got, before).length === 1, 'the first message');
    await sim('disconnect', { reason: 'refresh_requested' });
    const during = await say('during');
    await until(async () => about(got, during).length > 0, 'the message sent during the refresh');
    await until(async () => (await state()).app.connections === 1, 'one connection');
  });
});

test('two connections share the events', async () => {
  await withSocket((a) =>
    withSecond(async (b) => {
      const sent = [];
      for (let i = 0; i < 6; i++) sent.push(await say(`message ${i}`));
      await until(async () => about([...a, ...b], ...sent).length === 6, 'six events');
      assert.deepEqual([about(a, ...sent).length, about(b, ...sent).length], [3, 3]);
    }),
  );

  async function withSecond(body) {
    const socket = new SocketModeClient({ appToken: home.app_token, clientOptions: { slackApiUrl: `${home.url}/api/` }, ...quiet });
    const got = [];
    socket.on('slack_event', async (envelope) => {
      got.push(envelope);
      await envelope.ack();
    });
    await socket.start();
    try {
      await body(got);
    } finally {
      await socket.disconnect();
    }
  }
});

test('a slash command is answered in the acknowledgement and by response_url', async () => {
  await withBolt(
    (app) =>
      app.command('/roundtable', async ({ command, ack, respond }) => {
        await ack({ response_type: 'ephemeral', text: `Opening ${command.text}.` });
        await respond({ response_type: 'in_channel', text: 'Opened.' });
      }),
    async () => {
      const out = await sim('command', { as: SAM, channel: CHANNEL, command: '/roundtable', text: 'offline <mode>' });
      assert.equal(out.status, 200);
      const seen = await until(async () => {
        const s = await state(SAM);
        const channel = s.channels.find((c) => c.id === CHANNEL);
        return channel.messages.some((m) => m.text === 'Opened.') && s.ephemerals.map((m) => m.text);
      }, 'both answers');
      assert.ok(seen.includes('Opening offline &lt;mode&gt;.'), seen.join());
      const refused = await sim('command', { as: SAM, channel: CHANNEL, command: '/roundtable', text: 'x', thread_ts: '1.1' });
      assert.equal(refused.message, '/roundtable is not supported in threads. Sorry!');
    },
  );
});

test('a button opens a modal, and its submission can be refused and accepted', async () => {
  const modal = {
    type: 'modal', callback_id: 'start', private_metadata: 'p', title: { type: 'plain_text', text: 'Start' }, submit: { type: 'plain_text', text: 'Go' },
    blocks: [{ type: 'input', block_id: 'topic', label: { type: 'plain_text', text: 'Topic' }, element: { type: 'plain_text_input', action_id: 'text' } }],
  };
  const submitted = [];
  await withBolt(
    (app) => {
      app.action('open', async ({ ack, body, client: c }) => {
        await ack();
        await c.views.open({ trigger_id: body.trigger_id, view: modal });
      });
      app.view('start', async ({ ack, view }) => {
        const topic = view.state.values.topic.text.value;
        submitted.push(topic);
        await (topic === 'bad' ? ack({ response_action: 'errors', errors: { topic: 'Another one, please.' } }) : ack());
      });
    },
    async () => {
      const { ts } = await web.chat.postMessage({
        channel: CHANNEL, text: 'start?',
        blocks: [{ type: 'actions', block_id: 'menu', elements: [{ type: 'button', action_id: 'open', value: 'v1', text: { type: 'plain_text', text: 'Start' } }] }],
      });
      const pressed = await sim('act', { as: PRIYA, channel: CHANNEL, message_ts: ts, block_id: 'menu', action_id: 'open' });
      assert.equal(pressed.status, 200, pressed.message);
      const view = await until(async () => (await state()).views.at(-1), 'the modal');
      assert.equal((await state(SAM)).views.length, 0);
      const submit = (value) => sim('submit', { as: PRIYA, view_id: view.id, values: { topic: { text: { type: 'plain_text_input', value } } } });
      assert.deepEqual((await submit('')).errors, { topic: 'Please complete this required field.' });
      assert.deepEqual((await submit('bad')).errors, { topic: 'Another one, please.' });
      assert.equal((await submit('notes')).response_action, '');
      assert.equal((await state()).views.length, 0);
      assert.deepEqual(submitted, ['bad', 'notes']);
    },
  );
});

test('a message shortcut and the Home tab', async () => {
  await withBolt(
    (app) => {
      app.shortcut('rt_ask_message', async ({ shortcut, ack, client: c }) => {
        await ack();
        await c.chat.postMessage({ channel: shortcut.channel.id, thread_ts: shortcut.message.ts, text: `About “${shortcut.message.text}”` });
      });
      app.event('app_home_opened', async ({ event, client: c }) => {
        await c.views.publish({ user_id: event.user, view: { type: 'home', blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'Nothing open' } }] } });
      });
    },
    async () => {
      const ts = await say('an idea');
      assert.equal((await sim('shortcut', { as: PRIYA, callback_id: 'rt_ask_message', channel: CHANNEL, ts })).status, 200);
      await until(async () => (await web.conversations.replies({ channel: CHANNEL, ts })).messages.length === 2, 'the reply');
      await sim('home', { as: PRIYA });
      const tab = await until(async () => (await state()).home, 'the Home tab');
      assert.equal(tab.blocks[0].text.text, 'Nothing open');
    },
  );
});

test('the client waits as long as a 429 says', async () => {
  await sim('faults', { faults: [{ method: 'chat.postMessage', status: 429, retry_after_ms: 1000, count: 1 }] });
  const began = Date.now();
  const { ok } = await web.chat.postMessage({ channel: CHANNEL, text: 'patience' });
  assert.ok(ok);
  assert.ok(Date.now() - began >= 1000);
  await sim('faults', { faults: [{ method: 'chat.postMessage', status: 429, retry_after_ms: 2000, count: 1 }] });
  await assert.rejects(client({ rejectRateLimitedCalls: true }).chat.postMessage({ channel: CHANNEL, text: 'now' }), (e) => e.code === 'slack_webapi_rate_limited_error' && e.retryAfter === 2);
});

test('a call that was performed and then failed has been performed', async () => {
  await sim('faults', { faults: [{ method: 'chat.postMessage', status: 503, after: true, count: 1 }] });
  const once = client({ retryConfig: { retries: 0 } });
  await assert.rejects(once.chat.postMessage({ channel: CHANNEL, text: 'was it sent?' }));
  const { messages: list } = await web.conversations.history({ channel: CHANNEL, limit: 1 });
  assert.equal(list[0].text, 'was it sent?');
  await sim('faults', { faults: [{ method: 'chat.*', cut: true, count: 1 }] });
  await assert.rejects(once.chat.postMessage({ channel: CHANNEL, text: 'never sent' }), (e) => e.code === 'slack_webapi_request_error');
});

test('refusals have Slack shape', async () => {
  await assert.rejects(web.chat.postMessage({ channel: 'C0NOWHERE', text: 'x' }), (e) => e.code === 'slack_webapi_platform_error' && e.data.error === 'channel_not_found');
  await assert.rejects(web.chat.postMessage({ channel: CHANNEL, text: 'x', blocks: [{ type: 'header', text: { type: 'mrkdwn', text: 'x' } }] }), (e) => {
    return e.data.error === 'invalid_blocks' && e.data.response_metadata.messages[0].includes('[json-pointer:/blocks/0/text/type]');
  });
  await assert.rejects(web.apiCall('no.such.method'), (e) => e.data.error === 'unknown_method');
  await assert.rejects(new WebClient('xoxb-wrong', { slackApiUrl: `${home.url}/api/`, ...quiet }).auth.test(), (e) => e.data.error === 'invalid_auth');
});

test('a file is uploaded and shared in a thread', async () => {
  const thread_ts = await say('send me the minutes');
  await web.filesUploadV2({ channel_id: CHANNEL, thread_ts, filename: 'minutes.md', content: '# Minutes\n', initial_comment: 'Here.' });
  const { messages: thread } = await web.conversations.replies({ channel: CHANNEL, ts: thread_ts });
  assert.equal(thread[1].subtype, 'file_share');
  assert.equal(thread[1].files[0].name, 'minutes.md');
  const bytes = await (await fetch(new URL(thread[1].files[0].url_private, home.url))).text();
  assert.equal(bytes, '# Minutes\n');
});

test('a thinking status shows and goes with the next post', async () => {
  const thread_ts = await say('think');
  await web.assistant.threads.setStatus({ channel_id: CHANNEL, thread_ts, status: 'is thinking…', loading_messages: ['Reading', 'Weighing'] });
  const status = () => state().then((s) => s.statuses.find((x) => x.thread_ts === thread_ts));
  assert.deepEqual((await status()).loading_messages, ['Reading', 'Weighing']);
  await web.chat.postMessage({ channel: CHANNEL, thread_ts, text: 'done' });
  assert.equal(await status(), undefined);
});
