import { expect, test } from 'vitest';
import { getMe } from '../../../contract/accounts/me.ts';
import {
  listNotifications,
  readNotifications,
  setNotificationSettings,
} from '../../../contract/accounts/notifications.ts';
import { createApp } from '../../../contract/apps/apps.ts';
import { codeOf, newAccount, waitFor } from '../../support/harness.ts';

test('a failed deployment is one notification for each member, until it is read or switched off', async () => {
  const { dashboard } = await newAccount();
  const body = { name: 'Broken', framework: 'NODE', repoUrl: 'https://git.localhost/none.git' } as const;
  const app = (await dashboard.call(createApp, { body })).body.data;
  const [shown] = await waitFor(async () => {
    const { notifications } = (await dashboard.call(listNotifications)).body.data;
    return notifications.length > 0 && notifications;
  });
  expect(shown).toMatchObject({ kind: 'deployment-failed', title: 'A deployment failed.', isRead: false });
  expect(shown?.path).toMatch(new RegExp(`^/apps/${app.id}/deployments/dep_`));
  const unread = async () => (await dashboard.call(getMe)).body.data.unreadNotifications;
  expect(await unread()).toBe(1);
  await dashboard.call(readNotifications, { body: { until: shown?.at ?? '' } });
  expect(await unread()).toBe(0);
  expect((await dashboard.call(listNotifications)).body.data.notifications).toMatchObject([{ isRead: true }]);
  await dashboard.call(setNotificationSettings, { body: { off: ['deployment-failed'] } });
  expect((await dashboard.call(listNotifications)).body.data).toEqual({
    notifications: [],
    off: ['deployment-failed'],
  });
}, 90_000);

test('a setting or a time that does not exist is refused with 400', async () => {
  const { dashboard } = await newAccount();
  const off = { body: { off: ['everything'] as never } };
  expect(codeOf(await dashboard.call(setNotificationSettings, off))).toBe('invalid_request');
  expect(codeOf(await dashboard.call(readNotifications, { body: { until: 'tomorrow' } }))).toBe('invalid_request');
});
