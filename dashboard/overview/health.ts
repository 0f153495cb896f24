import type { Application } from '../apps/api.ts';
import { appState } from '../apps/app-state.ts';
import { count } from '../ui/count.ts';
import type { OverviewData } from './api.ts';

/** The state of one part of the account. */
export interface Health {
  name: string;
  status: 'good' | 'busy' | 'bad' | 'idle';
  text: string;
}

type App = Parameters<typeof appState>[0] & Pick<Application, 'customDomainStatus'>;

function appHealth(apps: readonly App[]): Health {
  const states = apps.map(appState);
  const countOf = (state: (typeof states)[number]) => states.filter((other) => other === state).length;
  const [bad, building] = [countOf('FAILED') + countOf('SUSPENDED'), countOf('BUILDING')];
  const name = 'Applications';
  if (apps.length === 0) return { name, status: 'idle', text: 'None yet' };
  if (bad > 0) return { name, status: 'bad', text: `${bad} of ${apps.length} not serving` };
  if (building > 0) return { name, status: 'busy', text: `${building} of ${apps.length} deploying` };
  return { name, status: 'good', text: `${countOf('LIVE')} of ${apps.length} live` };
}

function endpointHealth({ endpoints, failing }: OverviewData['webhooks']): Health {
  const name = 'Webhook endpoints';
  if (endpoints === 0) return { name, status: 'idle', text: 'None yet' };
  if (failing.length > 0) return { name, status: 'bad', text: `${failing.length} of ${endpoints} failing` };
  return { name, status: 'good', text: `${count(endpoints, 'endpoint')} receiving` };
}

function domainHealth(apps: readonly App[], { expiringDomains }: OverviewData): Health {
  const pending = apps.filter(({ customDomainStatus }) => customDomainStatus === 'PENDING').length;
  const name = 'Domains';
  if (pending > 0) return { name, status: 'busy', text: `${pending} not verified` };
  if (expiringDomains.length > 0)
    return { name, status: 'bad', text: `${count(expiringDomains.length, 'expires', 'expire')} soon` };
  return { name, status: 'good', text: 'No problems' };
}

const billingHealth = ({ unpaidInvoices: { count: unpaid } }: OverviewData): Health => ({
  name: 'Billing',
  ...(unpaid > 0
    ? { status: 'bad', text: `${count(unpaid, 'unpaid invoice')}` }
    : { status: 'good', text: 'Nothing due' }),
});

/** Returns the state of each part of the account. */
export const healthOf = (apps: readonly App[], overview: OverviewData): Health[] => [
  appHealth(apps),
  endpointHealth(overview.webhooks),
  domainHealth(apps, overview),
  billingHealth(overview),
];
