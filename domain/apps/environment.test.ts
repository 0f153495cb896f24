import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Sealed } from '../../providers/encryption/secrets.ts';
import { EnvSet } from '../../table/entities/apps.ts';
import { deploymentSimulation } from '../../test/simulation/deployments.ts';
import { replaceEnv, updateEnv } from './environment.ts';

/** Encryption that only renames: what is stored can be compared. */
const plainSecrets = {
  seal: async (_: unknown, text: string): Promise<Sealed> => ({ wrappedKey: '', iv: '', ciphertext: text }),
  unseal: async (_: unknown, { ciphertext }: Sealed) => ciphertext,
};

/** Names that are properties of every object, besides ordinary ones. */
const name = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__', 'valueOf'),
  fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,8}$/),
);
const variables = fc.uniqueArray(fc.record({ key: name, value: fc.string({ maxLength: 5 }) }), {
  selector: ({ key }) => key,
  maxLength: 8,
});

test('variables of any name have the value given last, and only strings are stored', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(variables, { minLength: 1, maxLength: 3 }), async (requests) => {
      const { deps, caller, ids } = await deploymentSimulation();
      let expected = new Map<string, string>();
      for (const vars of requests) {
        await replaceEnv({ ...deps, secrets: plainSecrets }, caller, {
          id: ids.applicationId,
          vars,
        } as Parameters<typeof replaceEnv>[2]);
        const before = expected;
        expected = new Map(vars.map(({ key, value }) => [key, value || (before.get(key) ?? '')]));
        const stored = await deps.table.get(EnvSet, { accountId: ids.accountId, id: ids.applicationId });
        expect(Object.entries(JSON.parse(stored?.sealed.ciphertext ?? '{}'))).toEqual(
          expect.arrayContaining([...expected]),
        );
        expect(stored?.keys).toEqual([...expected.keys()]);
      }
    }),
    { numRuns: 200 },
  );
});

test('the audit log names the variables that a request set, also to an empty value, and no kept or other ones', async () => {
  const { deps, caller, ids } = await deploymentSimulation();
  const { applicationId: id } = ids;
  const audited: unknown[] = [];
  const commit: typeof deps.commit = (writes, output, change) => {
    audited.push(change?.after);
    return deps.commit(writes, output, change);
  };
  const needs = { ...deps, commit, secrets: plainSecrets };
  const vars = (values: object) => Object.entries(values).map(([key, value]) => ({ key, value }));
  await replaceEnv(needs, caller, { id, vars: vars({ A: 'a', B: 'b', C: 'c' }) });
  await replaceEnv(needs, caller, { id, vars: vars({ A: '', B: 'b2' }) });
  await updateEnv(needs, caller, { id, set: vars({ A: '', D: '' }), remove: ['B'] });
  expect(audited).toEqual([
    { keys: ['A', 'B', 'C'], set: ['A', 'B', 'C'], removed: [] },
    { keys: ['A', 'B'], set: ['B'], removed: ['C'] },
    { keys: ['A', 'D'], set: ['A', 'D'], removed: ['B'] },
  ]);
});
