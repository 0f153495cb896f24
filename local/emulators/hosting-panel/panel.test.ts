import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createPanel,
  PanelFailure,
  type PanelFault,
  type PanelServer,
} from '../../../providers/hosting-panel/panel.ts';
import type { Emulator } from '../wire.ts';
import { DEAD_SERVER, startPanel } from './panel.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'panel-'));
const panel = createPanel({ read: 30_000, change: 30_000 });
/** Gives up soon: for panels that do not answer. */
const impatient = createPanel({ read: 300, change: 300 });
let standIn: Emulator;
const at = (name: string): PanelServer => ({ baseUrl: `${standIn.url}/${name}`, user: 'root', token: 'T0KEN' });
const open = (username: string, domain: string, server = 'web-1') =>
  panel.create(at(server), {
    username,
    domain,
    plan: 'web-s',
    mail: 'REMOTE',
    password: 'a-long-password',
  });

beforeAll(async () => {
  standIn = await startPanel({ dataDir, baseUrl: 'http://127.0.0.1:4000' });
});
afterAll(async () => {
  await standIn.stop();
  rmSync(dataDir, { recursive: true });
});

test('creates, suspends, unsuspends and removes an account', async () => {
  const server = at('web-1');
  expect(await panel.find(server, 'life')).toBeUndefined();
  expect(await panel.read(server, 'life')).toBeUndefined();
  await open('life', 'life.example.com');
  await panel.changePlan(server, 'life', 'web-m');
  expect(await panel.read(server, 'life')).toEqual({
    domain: 'life.example.com',
    plan: 'web-m',
    status: 'ACTIVE',
    usage: {
      'Disk Usage': '40 MB of 10 GB',
      Bandwidth: '700 MB, unlimited',
      'Email Accounts': '2 of 100',
    },
    mailboxes: [
      { address: 'info@life.example.com', quotaMb: 1024 },
      { address: 'sales@life.example.com', quotaMb: 0 },
    ],
  });
  await panel.suspend(server, 'life', 'not paid');
  expect(await panel.find(server, 'life')).toEqual({ domain: 'life.example.com', plan: 'web-m', status: 'SUSPENDED' });
  await panel.unsuspend(server, 'life');
  expect(await panel.find(server, 'life')).toMatchObject({ status: 'ACTIVE' });
  await panel.remove(server, 'life');
  await panel.remove(server, 'life');
  expect(await panel.find(server, 'life')).toBeUndefined();
});

test('signs in to the control panel of an account, for a quarter of an hour', async () => {
  await open('guest', 'guest.example.com');
  const session = await panel.createSession(at('web-1'), 'guest', 'guest.example.com');
  expect(session?.url).toMatch(/^http:\/\/127\.0\.0\.1:4000\/cpanel\/[0-9a-f]{32}$/);
  expect((session?.expiresAt ?? 0) - Date.now()).toBeGreaterThan(14 * 60_000);
  expect(await panel.createSession(at('web-1'), 'stranger', 'guest.example.com')).toBeUndefined();
  expect(await panel.createSession(at('web-1'), 'guest', 'another.example.com')).toBeUndefined();
  await expect(impatient.createSession(at(DEAD_SERVER), 'guest', 'guest.example.com')).rejects.toMatchObject({
    fault: 'timeout',
  });
});

test('reports a change of an account that does not exist as refused, not as made', async () => {
  const server = at('web-1');
  for (const changed of [
    panel.changePlan(server, 'none', 'web-m'),
    panel.suspend(server, 'none', 'not paid'),
    panel.unsuspend(server, 'none'),
    panel.routeMail(server, 'none', 'none.example.com', 'LOCAL'),
  ])
    await expect(changed).rejects.toMatchObject({ fault: 'refused', message: /does not exist/ });
});

test('reads a suspended account whose own API is refused, without its mailboxes', async () => {
  const server = at('web-1');
  await open('locked', 'locked-example.com');
  await panel.suspend(server, 'locked', 'not paid');
  const account = { domain: 'locked-example.com', plan: 'web-s', status: 'SUSPENDED' };
  expect(await panel.read(server, 'locked')).toEqual({ ...account, usage: {}, mailboxes: undefined });
  await panel.unsuspend(server, 'locked');
  expect((await panel.read(server, 'locked'))?.mailboxes).toHaveLength(2);
});

test('keeps servers separate and their state over a restart', async () => {
  await open('same', 'same.example.com');
  await open('same', 'same.example.com', 'web-2');
  await panel.remove(at('web-2'), 'same');
  const again = await startPanel({ dataDir, baseUrl: 'http://127.0.0.1:4000' });
  expect(await panel.find({ ...at('web-1'), baseUrl: `${again.url}/web-1` }, 'same')).toMatchObject({
    status: 'ACTIVE',
  });
  await again.stop();
});

describe('faults are reported by kind', () => {
  test.each<[PanelFault, string]>([
    ['timeout', 'silent'],
    ['unreachable', 'down'],
    ['invalid-response', 'nonsense'],
    ['invalid-response', 'odd'],
    ['invalid-response', 'broken'],
    ['unreachable', 'half'],
  ])('%s: a panel that is %s', async (fault, start) => {
    await open(start, `${start}-example.com`);
    const { read, find } = fault === 'timeout' ? impatient : panel;
    await expect(read(at('web-1'), start)).rejects.toMatchObject({ name: 'PanelFailure', fault });
    await expect(find(at('web-1'), start)).rejects.toMatchObject({ name: 'PanelFailure', fault });
  });

  test('a server that hangs, an unreachable server, a wrong token, a taken domain', async () => {
    const dead = impatient.find(at(DEAD_SERVER), 'x');
    await expect(dead).rejects.toMatchObject({ fault: 'timeout' });
    const unreachable = panel.find({ baseUrl: 'http://127.0.0.1:1', user: 'root', token: 'x' }, 'x');
    await expect(unreachable).rejects.toMatchObject({ fault: 'unreachable' });
    await expect(panel.find({ ...at('web-1'), token: '' }, 'x')).rejects.toMatchObject({ fault: 'refused' });
    await expect(open('taken', 'refused-example.com')).rejects.toMatchObject({
      fault: 'refused',
      message: /already exists/,
    });
  });
});

test('mail for a domain is routed elsewhere until it is accepted', async () => {
  const server = at('web-mail');
  await open('mail', 'mail.example.com', 'web-mail');
  const stored = () => JSON.parse(readFileSync(join(dataDir, 'panel.json'), 'utf8'))['web-mail'].mail.mail;
  expect(stored()).toBe('remote');
  await panel.routeMail(server, 'mail', 'mail.example.com', 'LOCAL');
  expect(stored()).toBe('local');
  await expect(panel.routeMail(server, 'none', 'mail.example.com', 'LOCAL')).rejects.toBeInstanceOf(PanelFailure);
});
