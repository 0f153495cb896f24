import { randomUUID } from 'node:crypto';
import { OPERATOR_GROUP } from '../../contract/accounts/session.ts';
import type { Client } from '../../contract/client.ts';
import { accessTokenOf, clientOf, local, newAccount } from './harness.ts';
import type { Local } from './platform.ts';

/** A login with the role operator, as a member of the user pool's group has it. */
export async function newOperator(of: Local = local): Promise<Client & { accessToken: string; subject: string }> {
  const subject = randomUUID();
  await newAccount({ login: subject }, of);
  const accessToken = await accessTokenOf(subject, { groups: [OPERATOR_GROUP] }, { of });
  return { subject, accessToken, ...clientOf({ accessToken: () => accessToken }, of) };
}
