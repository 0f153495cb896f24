import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Empty lists without an action of their own, and where the first action is. */
const ACTION_ELSEWHERE: Readonly<Record<string, string>> = {
  'accounts/AccountData.tsx': 'the button of the section',
  'accounts/ApiKeys.tsx': 'the button of the section',
  'accounts/AuditLog.tsx': 'none: any change of the account is the first',
  'accounts/Notifications.tsx': 'none: nothing needs attention',
  'ai/RequestLog.tsx': 'the list of providers above, which is empty at the same time',
  'ai/UsageHistory.tsx': 'the form above',
  'apps/AppList.tsx': 'the button of the screen',
  'apps/Metrics.tsx': 'the link to the application in the text',
  'apps/Requests.tsx': 'the link to the application in the text',
  'apps/RuntimeLogs.tsx': 'the link to the application above its tabs',
  'apps/Variables.tsx': 'the button below the list',
  'billing/Subscriptions.tsx': 'the plans below',
  'billing/WalletTab.tsx': 'the form above',
  'custom-domains/CustomDomain.tsx': 'the form below',
  'databases/Databases.tsx': 'the form below',
  'deployments/Deployments.tsx': 'the button of the screen, or the settings that the text names',
  'dns/Records.tsx': 'the form below',
  'hosting/HostingList.tsx': 'the button of the screen',
  'hosting/HostingScreen.tsx': 'the link to the control panel above',
  'operator/FailureList.tsx': 'none: nothing has failed',
  'operator/FindAccount.tsx': 'the form above',
  'operator/OperatorLog.tsx': 'none: any change of an operator is the first',
  'overview/RecentChanges.tsx': 'the checklist of first steps above',
  'registrar/DomainList.tsx': 'the form above',
  'webhooks/Deliveries.tsx': 'the button of the screen',
  'webhooks/Endpoints.tsx': 'the button of the section',
};

/** That each says what belongs there is demanded by the type of its properties. */
test('every empty list offers the first action', () => {
  const uses = globSync('**/*.tsx', { cwd: 'dashboard' }).flatMap((file) =>
    readFileSync(`dashboard/${file}`, 'utf8')
      .split('<EmptyState')
      .slice(1)
      .map((rest) => ({ file: file.replaceAll('\\', '/'), opening: rest.slice(0, rest.search(/>\s*[A-Z{]/)) })),
  );
  expect(uses.length).toBeGreaterThan(20);
  const without = uses.filter(({ opening }) => !opening.includes('action=')).map(({ file }) => file);
  expect([...new Set(without)].toSorted()).toEqual(Object.keys(ACTION_ELSEWHERE).toSorted());
});
