import { expect, test } from 'vitest';
import { createRegistrar } from '../../providers/registrar/registrar.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import { checkDomain } from './catalogue.ts';
import { tldsOnSale } from './tlds.ts';

test('an extension on sale that the registrar does not support is refused with 400, and is no suggestion', async () => {
  const { deps } = simulation().steady;
  const registrar = createRegistrar(async <Output>(_: string, { DomainName = '' }: { DomainName?: string }) => {
    if (DomainName.endsWith('.africa')) throw Object.assign(new Error('africa'), { name: 'UnsupportedTLD' });
    return { Availability: 'AVAILABLE' } as Output;
  });
  const check = (q: string) =>
    checkDomain({ ...deps, registrar, tlds: tldsOnSale(deps) }, { accountId: 'acc_1', keyId: '' }, { q });
  await expect(check('shop.africa')).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'shop.africa: is under an extension that is not sold',
  });
  const names = (await check('shop')).data.map(({ domain }) => domain);
  expect(names).toContain('shop.co.za');
  expect(names).not.toContain('shop.africa');
});
