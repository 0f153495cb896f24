import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Entity } from '../table/entity.ts';
import { type RuleDeps, rules } from './rules.ts';

/**
 * The stream can lose a change: a batch that fails for 24 hours is replayed only by operators. A customer must not wait for its effect until
 * then, so a due queue finds it: the item that changes, or the one that it belongs to, becomes due in the same transaction, or is due anyway.
 */

/** The due queue whose sweep has the effect of a rule if the stream does not. The domain's tests show it. */
const FOUND_BY: Record<string, string> = {
  'account.apply-suspension': 'ACCOUNT',
  'account.measure-databases': 'DATABASE_USE',
  'account.pay-unpaid-invoices-after-suspension': 'INVOICE',
  'account.review-plan-limit': 'ACCOUNT',
  'app.move': 'MOVE',
  'app.resume': 'PENDING_JOB',
  'app.route-placeholder': 'PENDING_JOB',
  'app.suspend': 'PENDING_JOB',
  'app.teardown': 'TEARDOWN',
  'build.admit-after': 'BUILD_QUEUE',
  'build.admit-next': 'BUILD_QUEUE',
  'build.admit-queued': 'BUILD_QUEUE',
  'custom-domain.check-tenant': 'DOOR',
  'custom-domain.create-tenant': 'DOOR',
  'custom-domain.end-at-registration': 'OWNERSHIP',
  'custom-domain.end-with-registration': 'OWNERSHIP',
  'custom-domain.route': 'DOOR',
  'custom-domain.teardown': 'DOOR',
  'custom-domain.unroute': 'DOOR',
  'custom-domain.verify-registered': 'CUSTOM_DOMAIN',
  'database.apply-access': 'DATABASE',
  'database.delete': 'DATABASE',
  'database.measure-use': 'DATABASE_USE',
  'database.provision': 'DATABASE',
  'database.revoke-passwords': 'DATABASE',
  'delivery.queue-resend': 'DELIVERY#QUEUED',
  'deployment.start': 'DEPLOYMENT',
  'deployment.start-rollback': 'DEPLOYMENT',
  'domain.fulfil-paid-invoice': 'DOMAIN',
  'domain.release-unpaid': 'DOMAIN',
  'event.append': 'EVENT#UNSETTLED',
  'event.fan-out': 'EVENT#UNSETTLED',
  'hosting.cancel-lost': 'SUBSCRIPTION',
  'hosting.end-proof': 'HOSTING',
  'hosting.look-for-proof': 'HOSTING',
  'hosting.reconcile-account': 'HOSTING',
  'subscription.add-paid-period': 'SUBSCRIPTION',
  'subscription.forget-renewal': 'SUBSCRIPTION',
  'wallet.charge-card': 'TOP_UP',
  'wallet.pay-unpaid-invoices': 'INVOICE',
  'wallet.pay-unpaid-invoices-after-dispute': 'INVOICE',
  'wallet.top-up-for-invoice': 'SUBSCRIPTION',
  'webhook.release-held': 'DELIVERY#WAITING',
  'zone.sync': 'ZONE',
};

/** The rules without a due queue, by what is missing until operators replay the change or another change has the effect. */
const NOT_FOUND: Record<string, readonly string[]> = {
  'the end of a build whose release is refused anyway; the build has a time limit': [
    'deployment.cancel',
    'deployment.discard-build',
  ],
  'a top-up of a low balance without an unpaid invoice, until the balance changes again': ['wallet.top-up-low-balance'],
  'a notification or an email': [
    'account.notify-limit',
    'audit.notify',
    'custom-domain.notify-trouble',
    'domain.notify-expiry',
    'domain.notify-verification',
    'event.notify',
    'export.notify',
    'notification.mail',
    'team.mail-invitations',
    'wallet.notify-low-balance',
  ],
  'a text by which operators find an account': [
    'account.record-email',
    'account.refresh-email',
    'app.record-id',
    'audit.record-request',
    'database.record-id',
    'deployment.record-id',
    'domain.record-id',
    'invoice.record-number',
    'key.record-prefixes',
    'subscription.record-id',
    'webhook.record-id',
  ],
};

const queues = new Set<string>();
for (const file of readdirSync(new URL('../table/entities/', import.meta.url))) {
  const exported: Record<string, unknown> = await import(`../table/entities/${file}`);
  for (const { due } of Object.values(exported) as Partial<Entity<unknown, never>>[])
    for (const queue of due?.queues ?? []) queues.add(queue);
}

test('every rule has a due queue that finds its change if the stream loses it, or a stated loss', () => {
  const listed = [...Object.keys(FOUND_BY), ...Object.values(NOT_FOUND).flat()];
  expect(listed.sort()).toEqual(Object.keys(rules({} as RuleDeps)).sort());
});

test.each(Object.entries(FOUND_BY))('the queue that finds the lost changes of %s exists', (_, queue) => {
  expect(queues).toContain(queue);
});
