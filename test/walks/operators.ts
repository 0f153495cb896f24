import { expect } from 'vitest';
import { createKey } from '../../domain/accounts/api-keys.ts';
import { assertUsable, hashKey } from '../../domain/accounts/credentials.ts';
import { listForOperators } from '../../domain/audit/log.ts';
import { BY_OPERATOR, committing } from '../../domain/audit/record.ts';
import { listFlags, readExpiredFlags } from '../../domain/operator/flags.ts';
import { searchAccounts } from '../../domain/operator/search.ts';
import { setSuspension } from '../../domain/operator/suspensions.ts';
import { consume } from '../../events/consume.ts';
import { lookupRules } from '../../events/lookups.ts';
import { reportExpiredFlags } from '../../runtime/observability/flag-metrics.ts';
import { operateFlags } from '../../scripts/operate/flags.ts';
import { Credential } from '../../table/entities/accounts.ts';
import { billingSimulation } from '../simulation/billing.ts';
import { moveSimulation } from '../simulation/moves.ts';
import { simulation } from '../simulation/simulation.ts';
import type { Scene, Walk } from '../support/walks.ts';

const OPERATOR = { accountId: '', keyId: '' };

/** A flag whose end has come, and that customers still need. */
async function expiredFlag(): Promise<Scene> {
  const { clock, steady } = simulation();
  const { deps } = steady;
  const state = async () => (await listFlags(deps)).data.map(({ name, expired, owner }) => ({ name, expired, owner }));
  const yesterday = () => new Date(clock.now - 86_400_000).toISOString().slice(0, 10);
  return {
    clock,
    deps,
    minute: async () => reportExpiredFlags(await readExpiredFlags(deps)),
    breakIt: () =>
      operateFlags(deps, ['set', 'ai-keep-alive'], { reason: 'A drill.', owner: 'platform', ends: yesterday() }),
    steps: [
      {
        words: 'Operators → Flags says which one is expired, who owns it',
        act: async () => expect(await state()).toEqual([{ name: 'ai-keep-alive', expired: true, owner: 'platform' }]),
      },
      {
        command: 'npm run operate -- flag set ai-keep-alive',
        run: ({ words, options }) => operateFlags(deps, words.slice(4), options),
      },
    ],
    whenOver: async () => expect(await state()).toEqual([{ name: 'ai-keep-alive', expired: false, owner: 'ai' }]),
  };
}

/** A stranger uses a customer's key, which is known by its beginning only. */
async function leakedKey(): Promise<Scene> {
  const { deps, memory, clock, open } = billingSimulation({});
  const accountId = await open(0);
  const asked = { name: 'CI', scopes: ['write'], allowedOrigins: ['*'], expiresAt: null, aiBudget: null } as Parameters<
    typeof createKey
  >[2];
  const { id: keyId, secretKey } = (await createKey(deps, { accountId, keyId: '' }, asked)).data;
  const operator = { ...deps, commit: committing(deps, { ...BY_OPERATOR, reason: 'Published on a forum.' }) };
  const use = async () => {
    const credential = await deps.table.get(Credential, { hash: hashKey(secretKey) });
    if (!credential) throw new Error('the key is unknown');
    assertUsable(credential, undefined, deps.now());
    const made = { actor: { kind: 'KEY' as const, id: keyId }, address: '192.0.2.1', requestId: 'req_1' };
    const what = { action: 'webhook.created' as const, accountId, subjectId: 'whk_1', after: {} };
    await committing(deps, made)([], undefined, what);
    await consume(lookupRules(deps))({ Records: memory.records });
  };
  return {
    clock,
    deps,
    minute: () => undefined,
    breakIt: use,
    steps: [
      {
        words:
          "A customer's API key: Operators → find it by its first 16 characters, or by the id of a request that was made with it",
        act: async () => {
          const found = (await searchAccounts(operator, OPERATOR, { query: secretKey.slice(0, 16) })).data;
          expect(found).toMatchObject([{ kind: 'key', id: keyId, account: { id: accountId } }]);
          const [request] = (await searchAccounts(operator, OPERATOR, { query: 'req_1' })).data;
          expect(request).toMatchObject({ kind: 'request', by: keyId, account: { id: accountId } });
          const suspended = { id: accountId, keyId, suspended: true, reason: 'Published on a forum.' };
          await setSuspension(operator, OPERATOR, suspended);
        },
      },
    ],
    async whenOver() {
      await expect(use()).rejects.toThrow('This API key is suspended: Published on a forum.');
      const entries = await listForOperators(deps, { accountId, limit: 10 } as never);
      expect(JSON.stringify(entries)).toContain('key.suspended');
    },
  };
}

/** An application that does not work in another cell, until what it needs admits the addresses there. */
async function failingMove(): Promise<Scene> {
  const health = { status: 502 };
  const made = await moveSimulation({ health });
  const command = {
    command: 'npm run operate -- move-app',
    fill: { '<application>': 'app_1', '<cell>': 'b', '…': 'The cell is full.' },
    run: async ({ options }: { options: Record<string, string> }) => {
      await made.request(options.cell ?? '');
      await made.finish();
    },
  };
  return {
    clock: made.clock,
    minute: () => expect(made.isServed()).toBe(true),
    breakIt: () => undefined,
    steps: [
      command,
      {
        words: 'it answered …: the application does not work there',
        act: async () => {
          expect(made.move()).toMatchObject({ status: 'FAILED', problem: expect.stringContaining('it answered 502') });
          expect(await made.served()).toMatchObject({ cellId: 'home', code: '2' });
          health.status = 200;
          made.clock.now += 1000;
        },
      },
      command,
    ],
    whenOver: async () => expect(await made.served()).toMatchObject({ cellId: 'b', code: '2' }),
  };
}

export const operatorWalks: Walk[] = [
  { page: 'Flags', fault: 'a flag is beyond its end', alarms: ['flags-expired'], open: expiredFlag },
  { page: 'A leaked key', fault: 'a stranger uses a customer’s key', alarms: [], open: leakedKey },
  { page: 'Moving applications', fault: 'the application does not work there', alarms: [], open: failingMove },
];
