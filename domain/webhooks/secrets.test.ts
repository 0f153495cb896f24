import * as standard from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import { expect, test } from 'vitest';
import type { Secrets } from '../../providers/encryption/secrets.ts';
import { Webhook } from '../../table/entities/webhooks.ts';
import { newSecret, signBody } from './secrets.ts';

// The libraries compare the time with the clock of this process.
const now = () => new Date();
let sealings = 0;
const secrets: Secrets = {
  seal: async (_context, ciphertext) => ({ wrappedKey: String(++sealings), iv: '', ciphertext }),
  unseal: async (_context, { ciphertext }) => ciphertext,
};
const deps = { now, secrets };
const BODY = JSON.stringify({ id: 'evt_1', type: 'ping', data: { text: 'é✓ "quoted"' } });

const endpointWith = (secret: string, previous?: string): Webhook => {
  const sealed = (ciphertext: string) => ({ wrappedKey: '', iv: '', ciphertext });
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  return Webhook.parse({
    pk: '',
    sk: '',
    type: 'WEBHOOK',
    id: 'whk_1',
    accountId: 'acc_1',
    url: 'https://hooks.example.com/',
    description: '',
    events: ['*'],
    active: true,
    failureCount: 0,
    disabledAt: null,
    secret: sealed(secret),
    createdAt: now().toISOString(),
    ...(previous ? { previous: { secret: sealed(previous), expiresAt } } : {}),
  });
};

/** The libraries that receivers verify with, each given the secret as the API answered it. */
const stripe = new Stripe('sk_test_unused');
const LIBRARIES: Record<string, (secret: string, body: string, headers: Record<string, string>) => unknown> = {
  stripe: (secret, body, headers) => stripe.webhooks.constructEvent(body, headers['x-service-signature'] ?? '', secret),
  svix: (secret, body, headers) => new SvixWebhook(secret).verify(body, headers),
  standardwebhooks: (secret, body, headers) => new standard.Webhook(secret).verify(body, headers),
};

test.each(Object.entries(LIBRARIES))(
  '%s accepts new secrets and their signatures, and nothing else',
  async (_, verify) => {
    // Many, so that every sign of base64 and all of its lengths of padding occur.
    for (let count = 0; count < 40; count += 1) {
      const { secret } = await newSecret(deps, 'whk_1');
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      const headers = await signBody(deps, endpointWith(secret), 'evt_1', BODY);
      expect(verify(secret, BODY, headers)).toEqual(JSON.parse(BODY));
      expect(() => verify(secret, `${BODY} `, headers)).toThrow(/signature/i);
      const { secret: another } = await newSecret(deps, 'whk_1');
      expect(() => verify(another, BODY, headers)).toThrow(/signature/i);
    }
  },
);

test.each(Object.entries(LIBRARIES))('%s accepts both secrets while a rotation overlaps', async (_, verify) => {
  const [{ secret }, { secret: previous }] = [await newSecret(deps, 'whk_1'), await newSecret(deps, 'whk_1')];
  const headers = await signBody(deps, endpointWith(secret, previous), 'evt_1', BODY);
  for (const each of [secret, previous]) expect(verify(each, BODY, headers)).toEqual(JSON.parse(BODY));
});

test('a secret from before, in base64url, signs as before, and its bytes sign the headers of Standard Webhooks', async () => {
  const secret = 'whsec_-_9zZZ2mVvD3b0mY2b1nV6mJv0QF6r1hS3mQe7tX0_s';
  const headers = await signBody(deps, endpointWith(secret), 'evt_1', BODY);
  expect(LIBRARIES.stripe?.(secret, BODY, headers)).toEqual(JSON.parse(BODY));
  // The libraries read standard base64 only.
  const rewritten = `whsec_${Buffer.from(secret.slice(6), 'base64url').toString('base64')}`;
  expect(LIBRARIES.standardwebhooks?.(rewritten, BODY, headers)).toEqual(JSON.parse(BODY));
});
