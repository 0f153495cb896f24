import { expect, test } from 'vitest';
import { readPolicies } from '../../local/iam/policies.ts';
import { createUsage } from '../../local/iam/usage.ts';
import { LOCAL_SETTINGS } from '../../local/template/settings.ts';
import { UNUSED_RIGHTS } from '../support/unused-rights.ts';
import { synthesize } from './synthesized.ts';

const { stage, mailFrom } = LOCAL_SETTINGS;
const { template } = synthesize({ stage, mailFrom });

test('each explanation of an unused right is of a right that a role has', () => {
  const granted = createUsage(readPolicies(template).roles).granted();
  expect(granted.length).toBeGreaterThan(1000);
  const stale = UNUSED_RIGHTS.filter(({ right }) => !granted.some((line) => right.test(line)));
  expect(stale).toEqual([]);
});
