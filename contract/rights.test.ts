import { expect, test } from 'vitest';
import type { AuditAction } from './audit/actions.ts';
import { hasRight, MEMBER_ROLES, type MemberRole, type Right } from './roles.ts';
import type { Access, Route } from './route.ts';
import { dashboardRoutes, routes, streamedRoutes } from './routes.ts';

/** The requirements of an operation on keys and logins follow from its audit action, which names what it changes. */

const NOT_MEMBERS: readonly Access[] = ['hook', 'none', 'operator'];
const all = [...routes, ...dashboardRoutes, ...streamedRoutes] as readonly Route[];
const ofMembers = all.filter(({ access, alsoOnDashboard }) => !NOT_MEMBERS.includes(access) && alsoOnDashboard);

const resourceOf = (action: AuditAction): string => action.slice(0, action.indexOf('.'));
/** Changes of the login's own membership and session. */
const OWN: readonly AuditAction[] = ['member.joined', 'member.left', 'session.ended'];
const PAID = ['invoice', 'top-up', 'auto-top-up', 'subscription', 'ai-credits'];
const MANAGED = ['member', 'account'];

function rightFor({ audit }: Route): Right {
  if (audit === undefined || OWN.includes(audit)) return 'member';
  if (PAID.includes(resourceOf(audit))) return 'pay';
  return MANAGED.includes(resourceOf(audit)) ? 'manage' : 'develop';
}

/** Operations that change nothing of the account, and yet show secrets, make requests to other hosts, or cost credits. */
const BEYOND_READING: Readonly<Record<string, Right>> = {
  getGitHook: 'develop',
  inspectRepository: 'develop',
  checkCustomDomain: 'develop',
  createChatCompletion: 'develop',
  listExports: 'manage',
};

test('a login needs the right to what an operation changes', () => {
  const expected = ofMembers.map((route) => [route.id, BEYOND_READING[route.id] ?? rightFor(route)]);
  expect(ofMembers.map(({ id, right }) => [id, right])).toEqual(expected);
  expect(ofMembers.filter(({ audit }) => audit !== undefined).length).toBeGreaterThan(50);
});

test.each<[Right, MemberRole[]]>([
  ['member', ['owner', 'developer', 'billing', 'read-only']],
  ['develop', ['owner', 'developer']],
  ['pay', ['owner', 'billing']],
  ['manage', ['owner']],
])('the right %s is that of the roles %j', (right, roles) => {
  expect(MEMBER_ROLES.filter((role) => hasRight(role, right))).toEqual(roles);
});

/** Reads that need no scope (specification, Authentication 5). */
const WITHOUT_SCOPE: Readonly<Record<string, Access>> = {
  getAccount: 'any',
  getModel: 'any',
  listPlans: 'catalogue',
  listModels: 'catalogue',
  checkDomain: 'catalogue',
  listDomainPrices: 'catalogue',
};

function scopeFor({ id, method, audit }: Route): Access {
  if (method === 'GET') return WITHOUT_SCOPE[id] ?? 'read';
  if (audit === undefined) return 'ai';
  if (resourceOf(audit) === 'deployment') return 'deploy';
  return ['domain', 'dns-record'].includes(resourceOf(audit)) ? 'domains' : 'write';
}

test('a key needs the scope of what an operation changes', () => {
  const ofKeys = all.filter(({ access }) => !NOT_MEMBERS.includes(access) && access !== 'login');
  expect(ofKeys.map(({ id, access }) => [id, access])).toEqual(ofKeys.map((route) => [route.id, scopeFor(route)]));
});

test('few operations are open to an account that is suspended or waits for its deletion', () => {
  const idsOf = (allowed: (route: Route) => boolean) => all.filter(allowed).map(({ id }) => id);
  expect(idsOf(({ whileSuspended }) => whileSuspended)).toEqual(['getMe', 'acceptInvitation', 'deleteSession']);
  expect(idsOf(({ whileClosing }) => whileClosing)).toEqual([
    'acceptInvitation',
    'revokeKey',
    'createHostingSession',
    'startExport',
    'createExportLink',
    'cancelDeletion',
    'deleteSession',
  ]);
});
