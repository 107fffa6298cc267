// What the browser tests of the page stand on: a workspace, a browser, and a small
// app that answers through the official clients.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach } from 'node:test';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { SocketModeClient, LogLevel } from '@slack/socket-mode';
import { WebClient } from '@slack/web-api';

const here = fileURLToPath(new URL('.', import.meta.url));
const BROWSER_FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-quic', '--no-first-run', '--disable-component-update', '--disable-sync'];

/** Waits until `probe` gives something true, for at most `ms`. */
export async function until(probe, what, ms = 10000) {
  const end = Date.now() + ms;
  for (;;) {
    const got = await probe().catch(() => null);
    if (got) return got;
    if (Date.now() > end) throw new Error(`gave up waiting for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** The simulator as a process of its own, so that it can be killed and started again. */
export class Workspace {
  #process = null;

  static async build() {
    const workspace = new Workspace();
    workspace.dir = mkdtempSync(join(tmpdir(), 'slacksim-page-'));
    workspace.binary = join(workspace.dir, 'simserver');
    const built = spawnSync('go', ['build', '-o', workspace.binary, './simserver'], { cwd: here, encoding: 'utf8' });
    if (built.status !== 0) throw new Error(`build the simulator: ${built.stderr}`);
    workspace.port = await freePort();
    workspace.url = `http://127.0.0.1:${workspace.port}`;
    await workspace.start();
    return workspace;
  }

  async start() {
    const args = ['-listen', `127.0.0.1:${this.port}`, '-state', join(this.dir, 'state.json')];
    // The simulator stops when its standard input closes, and announces itself in one line.
    this.#process = spawn(this.binary, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const [line] = await once(this.#process.stdout, 'data');
    this.announced = JSON.parse(String(line));
    await until(async () => (await fetch(`${this.url}/sim/state`)).ok, 'the workspace to answer');
  }

  async kill() {
    const gone = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await gone;
  }

  /** What the workspace has written to its state file. */
  saved() {
    return readFileSync(join(this.dir, 'state.json'), 'utf8');
  }

  async state(as) {
    return (await fetch(`${this.url}/sim/state${as ? `?as=${as}` : ''}`)).json();
  }

  async post(action, body) {
    return (await fetch(`${this.url}/sim/${action}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })).json();
  }

  async stop() {
    if (this.#process.exitCode === null && this.#process.signalCode === null) await this.kill();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** An app connected by Socket Mode. Set `on.command`, `on.interactive` to answer. */
export async function connectApp({ url, announced }) {
  const web = new WebClient(announced.bot_token, { slackApiUrl: `${url}/api/` });
  const socket = new SocketModeClient({ appToken: announced.app_token, logLevel: LogLevel.ERROR, clientOptions: { slackApiUrl: `${url}/api/` } });
  const on = { command: async () => {}, interactive: async () => undefined };
  socket.on('slash_commands', async ({ ack, body }) => {
    await ack();
    await on.command(body);
  });
  socket.on('interactive', async ({ ack, body }) => ack(await on.interactive(body)));
  await socket.start();
  return { web, on, stop: () => socket.disconnect() };
}

export const PERSONAS = {
  maya: { username: 'Maya Chen (Business Analyst)', icon_emoji: ':bar_chart:' },
  alex: { username: 'Alex Rivera (Solutions Architect)' },
  jordan: { username: 'Jordan Park (System Designer)' },
};

/** A browser with an empty profile. `errors` collects uncaught page errors, `foreign` requests to other origins. */
export class Browser {
  errors = [];
  foreign = [];

  static async start(url, options = {}) {
    const browser = new Browser();
    browser.url = url;
    browser.dir = mkdtempSync(join(tmpdir(), 'slacksim-browser-'));
    browser.context = await chromium.launchPersistentContext(browser.dir, { executablePath: '/usr/bin/chromium', headless: true, args: BROWSER_FLAGS, viewport: { width: 1280, height: 800 }, colorScheme: 'light', ...options });
    browser.context.setDefaultTimeout(10000);
    return browser;
  }

  /** Opens the page as the person with this id, at an optional place such as '#/C0PRODUCT'. */
  async open(as = '', hash = '') {
    const page = await this.context.newPage();
    page.on('pageerror', (err) => this.errors.push(err.message));
    page.on('console', (m) => { if (m.text().includes('Content Security Policy')) this.errors.push(m.text()); });
    page.on('request', (r) => { if (!r.url().startsWith(this.url) && !r.url().startsWith('data:')) this.foreign.push(r.url()); });
    await page.goto(`${this.url}/${as ? `?as=${as}` : ''}${hash}`);
    await page.locator('.message, .empty, .home-page').first().waitFor();
    return page;
  }

  async stop() {
    await this.context.close();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/**
 * Gives a test file its workspace, app and browser, and each test a fresh page in
 * #product as the first person. The fields of what it returns are filled by then.
 */
export function session() {
  const s = {
    channel: (name) => s.channels.find((c) => c.name === name).id,
    composer: () => s.page.locator('#main .composer-input'),
    reply: () => s.page.locator('#thread .composer-input'),
    message: (text, where = '#main') => s.page.locator(`${where} .message`, { hasText: text }).last(),
    async say(text, box = s.composer()) {
      await box.fill(text);
      await box.press('Enter');
    },
    async postRoot(text, name = 'product') {
      return (await s.app.web.chat.postMessage({ channel: s.channel(name), text })).ts;
    },
  };
  before(async () => {
    s.workspace = await Workspace.build();
    s.app = await connectApp(s.workspace);
    s.browser = await Browser.start(s.workspace.url);
    const state = await s.workspace.state();
    s.people = state.people.filter((p) => !p.is_bot);
    s.channels = state.channels.filter((c) => c.kind === 'public');
  });
  beforeEach(async () => {
    await s.page?.close();
    s.app.on.command = async () => {};
    s.app.on.interactive = async () => undefined;
    s.page = await s.browser.open(s.people[0].id, `#/${s.channel('product')}`);
  });
  after(async () => {
    await s.browser?.stop();
    await s.app?.stop();
    await s.workspace?.stop();
  });
  return s;
}
