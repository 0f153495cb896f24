import { randomUUID } from 'node:crypto';
import { OPERATOR_GROUP } from '../../contract/accounts/session.ts';
import type { Client } from '../../contract/client.ts';
import { accessTokenOf, clientOf, newAccount } from './harness.ts';

/** A login with the role operator, as a member of the user pool's group has it. */
export async function newOperator(): Promise<Client & { accessToken: string; subject: string }> {
  const subject = randomUUID();
  await newAccount({ login: subject });
  const accessToken = await accessTokenOf(subject, { groups: [OPERATOR_GROUP] });
  return { subject, accessToken, ...clientOf({ accessToken: () => accessToken }) };
}
