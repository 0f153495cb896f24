/** A list of the dashboard, with sample items. */
export interface List {
  /** Path of its screen; `:app` and other placeholders stand for resources of the demo account. */
  at: string;
  /** Pattern of its API path below `/dashboard/v1`. */
  path: RegExp;
  /** Plural name in the labels of its filters. */
  name: string;
  /** Maximum number of items of an account, if less than 1,000. */
  max?: number;
  item: (n: number) => object;
  /** Returns the response body; a page of items by default. */
  body?: (items: object[], has_more: boolean) => object;
}

const AT = '2026-01-31T09:30:00.000Z';

const plan = { slug: 'app-10', name: 'App 10', category: 'APP' };
const subscription = {
  plan,
  status: 'ACTIVE',
  panelStatus: 'ACTIVE',
  billingCycle: 'MONTHLY',
  currentPeriodEnd: AT,
  mailboxes: 2,
  cancelledAt: null,
};
const attempt = {
  at: AT,
  outcome: 'DELIVERED',
  responseStatus: 200,
  durationMs: 42,
  responseBody: 'ok',
  responseHeaders: [],
  timing: null,
};

/** Every list of the dashboard that grows with the account and is not split into pages of fixed size. */
export const LISTS: readonly List[] = [
  {
    at: '/apps',
    path: /^\/apps$/,
    name: 'applications',
    item: (n) => ({
      name: `Shop ${n}`,
      slug: `shop-${n}`,
      framework: 'NODE',
      branch: 'main',
      status: 'RUNNING',
      repoUrl: null,
      primaryDomain: `shop-${n}.apps.example`,
      defaultDomain: `shop-${n}.apps.example`,
      updatedAt: AT,
      autoDeploy: false,
      customDomainStatus: null,
      suspensions: [],
      liveDeploymentId: null,
    }),
  },
  {
    at: '/apps/:app',
    path: /^\/apps\/\w+\/deployments$/,
    name: 'deployments',
    item: (n) => ({
      applicationId: 'app',
      status: n % 7 === 0 ? 'FAILED' : 'SUCCEEDED',
      trigger: 'PUSH',
      commitSha: `shop${n}`,
      startedAt: AT,
      finishedAt: AT,
      canRollBack: n < 5,
    }),
  },
  {
    at: '/domains',
    path: /^\/domains$/,
    name: 'domains',
    item: (n) => ({
      name: `shop-${n}.co.za`,
      tld: 'co.za',
      status: n % 5 === 0 ? 'EXPIRED' : 'ACTIVE',
      autoRenew: true,
      registeredAt: AT,
      expiresAt: AT,
      nameservers: [],
      dnsProvider: 'PLATFORM',
    }),
  },
  {
    at: '/domains/:domain',
    path: /^\/domains\/\w+\/dns$/,
    name: 'records',
    max: 500,
    item: (n) => ({ type: n % 3 === 0 ? 'CNAME' : 'A', name: `shop-${n}`, content: '192.0.2.1', ttl: 3600, prio: 0 }),
    body: (data) => ({ data, provider: 'PLATFORM' }),
  },
  {
    at: '/billing/invoices',
    path: /^\/invoices$/,
    name: 'invoices',
    item: (n) => ({
      number: `INV-2026-${n}`,
      kind: 'PLAN',
      status: n % 3 === 0 ? 'UNPAID' : 'PAID',
      amount: `${n}.00`,
      vat: '0.00',
      issuedAt: AT,
      dueAt: AT,
      paidAt: AT,
    }),
  },
  {
    at: '/hosting',
    path: /^\/hosting$/,
    name: 'hosting',
    item: (n) => ({ ...subscription, hostingDomain: `shop-${n}.co.za` }),
  },
  {
    at: '/billing/plans',
    path: /^\/subscriptions$/,
    name: 'subscriptions',
    item: (n) => ({ ...subscription, hostingDomain: `shop-${n}.co.za` }),
  },
  {
    at: '/developers/webhooks',
    path: /^\/webhooks$/,
    name: 'endpoints',
    item: (n) => ({
      url: `https://shop-${n}.example/hooks`,
      description: 'Orders',
      events: ['*'],
      active: n % 4 > 0,
      failureCount: n % 3,
    }),
  },
  {
    at: '/developers/webhooks/:webhook',
    path: /^\/webhooks\/\w+\/deliveries$/,
    name: 'deliveries',
    item: (n) => ({
      eventId: `evt_${n}`,
      type: 'invoice.paid',
      status: n % 4 === 0 ? 'FAILED' : 'DELIVERED',
      body: '{}',
      nextAttemptAt: null,
      attempts: [{ id: `att_shop${n}`, ...attempt }],
    }),
  },
  {
    at: '/developers',
    path: /^\/keys$/,
    name: 'keys',
    item: (n) => ({
      name: `Shop ${n}`,
      scopes: ['read', 'write'],
      publicKey: `pk_live_${n}`,
      lastFour: '1234',
      lastUsedAt: AT,
      expiresAt: null,
      revokedAt: null,
      allowedOrigins: ['*'],
      createdBy: null,
      aiSpent: '1.00',
      aiBudget: null,
    }),
  },
  {
    at: '/ai',
    path: /^\/ai\/credits$/,
    name: 'entries',
    item: (n) => ({
      type: 'CALL',
      model: `shop-${n}`,
      requestId: `req_${n}`,
      amountMicroRand: -n,
      inputTokens: n,
      cachedTokens: 0,
      outputTokens: n,
    }),
    body: (entries, has_more) => ({
      data: { balance: '10.00', available: '10.00', debt: '0.00', debtMicroRand: 0, entries, has_more },
    }),
  },
  {
    at: '/ai/requests',
    path: /^\/ai\/calls$/,
    name: 'requests',
    item: (n) => ({
      requestId: `req_${n}`,
      model: `shop-${n}`,
      provider: 'openai',
      keyId: null,
      ownKey: false,
      status: 200,
      code: null,
      inputTokens: n,
      outputTokens: n,
      amountMicroRand: n,
      durationMs: n,
      firstByteMs: n,
    }),
  },
];

/** Returns the page of a list that the API would return for a query. */
export function pageOf({ item, body, max }: List, query: URLSearchParams, count: number): object {
  const total = Math.min(count, max ?? count);
  const cursor = query.get('cursor');
  const start = cursor === null ? 0 : Number(cursor.slice('id_'.length)) + 1;
  const length = Math.max(0, Math.min(Number(query.get('limit') ?? total), total - start));
  const data = Array.from({ length }, (_, n) => ({ id: `id_${start + n}`, createdAt: AT, ...item(start + n) }));
  const hasMore = start + length < total;
  return body ? body(data, hasMore) : { data, has_more: hasMore };
}
