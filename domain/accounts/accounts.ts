import * as z from 'zod/mini';
import type { getAccount as getAccountRoute } from '../../contract/accounts/accounts.ts';
import { Email } from '../../contract/envelope.ts';
import { ApiError } from '../../contract/errors.ts';
import { KEYS_WITH_RESERVE, limitOf, limitsOf } from '../../contract/limits/limits.ts';
import { type Output, SCOPES } from '../../contract/route.ts';
import { Account, DailyUsage, Login } from '../../table/entities/accounts.ts';
import { WalletTransaction } from '../../table/entities/billing.ts';
import { create } from '../../table/writes.ts';
import { addCredits, newCreditEntry } from '../ai/entries.ts';
import { formatRand } from '../billing/money.ts';
import { nextSuspension } from '../billing/plan-limit.ts';
import type { Caller, Deps } from '../deps.ts';
import { findAccount, limitsHere, usagesOf } from '../limits/limits.ts';
import { dayOf } from '../time.ts';

import { createKeyPair } from './credentials.ts';

/** Reads an account's usage of the current day; undefined if it has none. */
export const readUsage = (deps: Pick<Deps, 'table' | 'now'>, accountId: string): Promise<DailyUsage | undefined> =>
  deps.table.get(DailyUsage, { accountId, day: dayOf(deps.now()) });

/** GET /v1/account */
export async function getAccount(deps: Deps, caller: Caller): Promise<Output<typeof getAccountRoute>> {
  const [account, today] = await Promise.all([findAccount(deps, caller.accountId), readUsage(deps, caller.accountId)]);
  return { data: viewAccount(deps, account, today) };
}

/** Returns an account as its owner sees it. */
export function viewAccount(
  deps: Pick<Deps, 'now' | 'settings'>,
  account: Account,
  today: DailyUsage | undefined,
): Output<typeof getAccountRoute>['data'] {
  const { id, email, name, walletCents, createdAt, planLimit, appCount, deletion } = account;
  const { slug, name: planName, appLimit } = account.plan;
  const plan = { slug, name: planName, appLimit };
  const exceeded = planLimit && {
    planLimitExceeded: {
      appLimit: limitOf(account, 'applications'),
      applications: appCount,
      suspendsAt: nextSuspension(planLimit) ?? null,
    },
  };
  const limits = limitsOf({ plan: account.plan, limits: { ...limitsHere(deps.settings), ...account.limits } });
  const usage = usagesOf(account, today, deps.now());
  const walletBalance = formatRand(walletCents);
  const closing = deletion && { deletion: { requestedAt: deletion.requestedAt, endsAt: deletion.endsAt } };
  return { id, email, name, walletBalance, plan, limits, usage, ...exceeded, ...closing, createdAt };
}

const loginTaken = () => new ApiError('conflict', 'This login already has an account.');

export interface OpenedAccount {
  id: string;
  keys: { name: string; id: string; secretKey: string; publicKey: string }[];
}

/** Opens an account with its first keys, for operators and seeding. Only this result contains the secrets of the keys. */
export async function openAccount(deps: Deps, input: z.output<typeof NewAccountInput>): Promise<OpenedAccount> {
  const createdAt = deps.now().toISOString();
  const id = deps.newId('acc');
  const keys = input.keys.map(({ name, scopes, allowedOrigins = ['*'], expiresAt, revoked }, index) => {
    const keyId = deps.newId('key');
    const revokedAt = revoked ? createdAt : null;
    const pair = createKeyPair({
      accountId: id,
      keyId,
      name,
      scopes,
      allowedOrigins,
      revokedAt,
      createdAt,
      expiresAt: expiresAt ?? null,
      hasReserve: index < KEYS_WITH_RESERVE,
    });
    return { name, id: keyId, ...pair };
  });
  const { email, name, plan, walletCents, login } = input;
  const account = {
    id,
    email,
    name,
    plan,
    ...(login ? { logins: [login] } : {}),
    walletCents,
    walletVersion: walletCents > 0 ? 1 : 0,
    appCount: 0,
    keyCount: input.keys.filter(({ revoked }) => !revoked).length,
    createdAt,
  };
  const opening = {
    accountId: id,
    serial: 1,
    type: 'ADJUSTMENT' as const,
    amountCents: walletCents,
    balanceAfterCents: walletCents,
    description: 'Opening balance',
    createdAt,
  };
  const ledger = walletCents > 0 ? [create(WalletTransaction, opening)] : [];
  const logins = login ? [create(Login, { subject: login, accountId: id, listed: true, email, name }, loginTaken)] : [];
  const createdKeys = keys.map(({ writes, listed, ...key }) => key);
  const credits = addCredits(newCreditEntry(deps, id, 'ADJUSTMENT', input.aiCreditsMicroRand));
  return await deps.commit(
    [create(Account, account), ...logins, ...ledger, ...credits, ...keys.flatMap((key) => key.writes)],
    { id, keys: createdKeys },
    { action: 'account.opened', accountId: id, subjectId: id, after: { email, name, plan } },
  );
}

export const NewAccountInput = z.object({
  email: Email(),
  name: z.string().check(z.minLength(1), z.maxLength(100)),
  plan: z.object({ slug: z.string(), name: z.string(), appLimit: z.int().check(z.minimum(0)) }),
  walletCents: z._default(z.int().check(z.minimum(0)), 0),
  /** The owner's login, as the issuer's `sub` claim identifies it. */
  login: z.optional(z.string().check(z.minLength(1))),
  /** Initial AI credits, in micro-rand. */
  aiCreditsMicroRand: z._default(z.int().check(z.minimum(0)), 0),
  keys: z._default(
    z.array(
      z.object({
        name: z.string(),
        scopes: z.array(z.enum(SCOPES)),
        allowedOrigins: z.optional(z.array(z.string())),
        expiresAt: z.optional(z.iso.datetime()),
        revoked: z.optional(z.boolean()),
      }),
    ),
    [],
  ),
});
