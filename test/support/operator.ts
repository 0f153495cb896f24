import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { OPERATOR_GROUP } from '../../contract/accounts/session.ts';
import type { Client } from '../../contract/client.ts';
import { accessTokenOf, clientOf, local, newAccount } from './harness.ts';
import type { Local } from './platform.ts';

/**
 * A login with the role operator, as a member of the user pool's group has it. Each POST carries an Idempotency-Key, as those of
 * the dashboard do, and one that succeeds is sent a second time, which must answer the same.
 */
export async function newOperator(of: Local = local): Promise<Client & { accessToken: string; subject: string }> {
  const subject = randomUUID();
  await newAccount({ login: subject }, of);
  const accessToken = await accessTokenOf(subject, { groups: [OPERATOR_GROUP] }, { of });
  const client = (headers = {}) => clientOf({ accessToken: () => accessToken, headers }, of);
  const call: Client['call'] = async (route, input) => {
    if (route.method !== 'POST') return await client().call(route, input);
    const once = client({ 'idempotency-key': randomUUID() });
    const answer = await once.call(route, input);
    if (answer.status < 300) expect((await once.call(route, input)).body).toEqual(answer.body);
    return answer;
  };
  return { subject, accessToken, call };
}
