import { runChecks } from '../../domain/processes/checks.ts';
import { reportChecks } from '../../runtime/observability/check-metrics.ts';
import { Account } from '../../table/entities/accounts.ts';
import { Checks } from '../../table/entities/checks.ts';
import { simulation } from '../simulation/simulation.ts';
import type { Scene, Step, Walk } from '../support/walks.ts';
import { operatorFunctions } from './operator-functions.ts';

type Fault = 'page' | 'account' | 'function' | undefined;

const json = (status: number, body: object) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });

/** The synthetic checks over a platform that answers as a healthy one, except for one fault. */
async function checks(fault: Exclude<Fault, undefined>, steps: (mend: () => void) => Step[]): Promise<Scene> {
  const { memory, clock, steady } = simulation();
  const { deps } = steady;
  let broken: Fault;
  const mend = () => {
    broken = undefined;
  };
  const isSuspended = async () => {
    const state = await deps.table.get(Checks, {});
    const account = state && (await deps.table.get(Account, { id: state.accountId }));
    return account?.suspension !== undefined;
  };
  const send = async (address: string, init: RequestInit = {}): Promise<Response> => {
    const { pathname, hostname } = new URL(address);
    if (pathname.endsWith('openid-configuration'))
      return json(200, {
        authorization_endpoint: 'https://login.example/page',
        jwks_uri: 'https://login.example/keys',
      });
    if (hostname === 'check.apps.example.com') return json(broken === 'page' ? 503 : 200, {});
    if (pathname.startsWith('/v1/') && (await isSuspended()))
      return json(403, { error: { code: 'forbidden', message: 'This account is suspended', status: 403 } });
    if (init.method === 'POST') return json(201, { data: { id: 'app_1', defaultDomain: 'check.apps.example.com' } });
    return json(200, { data: [] });
  };
  const needs = {
    ...deps,
    send,
    dnsName: 'apps.example.com',
    repoUrl: '',
    login: { issuer: 'https://login.example', clientId: 'client' },
    resolver: { resolve: async () => ({ alias: undefined, addresses: ['192.0.2.1'] }) },
    secrets: {
      seal: async (_: object, text: string) => ({ wrappedKey: 'k', iv: 'i', ciphertext: text }),
      unseal: async (_: object, { ciphertext }: { ciphertext: string }) => ciphertext,
    },
  };
  return {
    clock,
    deps,
    send: memory.send,
    steps: steps(mend),
    async minute() {
      if (broken !== 'function') reportChecks(await runChecks(needs as never));
    },
    async breakIt() {
      broken = fault;
      const accountId = (await deps.table.get(Checks, {}))?.accountId;
      if (fault === 'account')
        await operatorFunctions['operator-setSuspension']?.(deps, { accountId, reason: 'By mistake.' });
    },
  };
}

const mended = (words: string) => (mend: () => void) => [{ words, act: mend }];

export const checkWalks: Walk[] = [
  {
    page: 'Synthetic checks',
    fault: 'the account of the checks is suspended',
    alarms: ['checks-failing'],
    open: () =>
      checks('account', () => [{ command: 'aws dynamodb delete-item --region <region> --table-name hosting-<stage>' }]),
  },
  {
    page: 'Synthetic checks',
    fault: 'their function does not come to an end',
    alarms: ['checks-missing'],
    open: () => checks('function', mended('the function does not come to an end')),
  },
  {
    page: 'Applications down',
    fault: 'a page of the platform’s own is answered with 503',
    alarms: ['applications', 'checks-failing'],
    open: () => checks('page', mended('undo it, go to A bad release of ours')),
  },
];
