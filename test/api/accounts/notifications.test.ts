import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { getMe } from '../../../contract/accounts/me.ts';
import {
  listNotifications,
  readNotifications,
  setNotificationSettings,
} from '../../../contract/accounts/notifications.ts';
import { createApp } from '../../../contract/apps/apps.ts';
import { sentEmails } from '../../support/emails.ts';
import { codeOf, newAccount, waitFor } from '../../support/harness.ts';

const ONE_CLICK = 'List-Unsubscribe=One-Click';

test('a failed deployment is one notification for each member, until it is read or switched off', async () => {
  const email = `${randomUUID()}@example.com`;
  const { dashboard } = await newAccount({ email });
  const body = { name: 'Broken', framework: 'NODE', repoUrl: 'https://git.localhost/none.git' } as const;
  const app = (await dashboard.call(createApp, { body })).body.data;
  const [shown] = await waitFor(async () => {
    const { notifications } = (await dashboard.call(listNotifications)).body.data;
    return notifications.length > 0 && notifications;
  });
  expect(shown).toMatchObject({ kind: 'deployment-failed', title: 'A deployment of Broken failed.', isRead: false });
  expect(shown?.path).toMatch(new RegExp(`^/apps/${app.id}/deployments/dep_`));
  const unread = async () => (await dashboard.call(getMe)).body.data.unreadNotifications;
  expect(await unread()).toBe(1);
  await dashboard.call(readNotifications, { body: { until: shown?.at ?? '' } });
  expect(await unread()).toBe(0);
  expect((await dashboard.call(listNotifications)).body.data.notifications).toMatchObject([{ isRead: true }]);
  // The email arrived at SES's emulator: once, with a link that switches such emails off without signing in.
  const [mail, ...more] = await waitFor(async () => {
    const found = (await sentEmails()).filter(({ to }) => to.includes(email));
    return found.length > 0 && found;
  });
  expect(more).toEqual([]);
  expect(mail).toMatchObject({
    subject: 'A deployment of Broken failed',
    headers: { 'List-Unsubscribe-Post': ONE_CLICK },
  });
  const link = /^<(.+)>$/.exec(mail?.headers['List-Unsubscribe'] ?? '')?.[1] ?? '';
  expect(mail?.text).toContain(link);
  await dashboard.call(setNotificationSettings, { body: { off: ['deployment-failed'] } });
  expect((await dashboard.call(listNotifications)).body.data).toEqual({
    notifications: [],
    off: ['deployment-failed'],
    offByMail: [],
    mail: { address: email },
  });
  const offByMail = async () => (await dashboard.call(listNotifications)).body.data.offByMail;
  const opened = await fetch(link);
  expect([opened.status, opened.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(await offByMail()).toEqual([]);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  expect((await fetch(link, { method: 'POST', headers, body: ONE_CLICK })).status).toBe(200);
  expect(await offByMail()).toEqual(['deployment-failed']);
  for (const method of ['GET', 'POST']) expect((await fetch(`${link}x`, { method })).status).toBe(401);
});

test('a setting or a time that does not exist is refused with 400', async () => {
  const { dashboard } = await newAccount();
  const off = { body: { off: ['everything'] as never } };
  expect(codeOf(await dashboard.call(setNotificationSettings, off))).toBe('invalid_request');
  const offByMail = { body: { off: [], offByMail: ['everything'] as never } };
  expect(codeOf(await dashboard.call(setNotificationSettings, offByMail))).toBe('invalid_request');
  expect(codeOf(await dashboard.call(readNotifications, { body: { until: 'tomorrow' } }))).toBe('invalid_request');
});
