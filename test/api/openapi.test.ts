import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Audience, documentPath } from '../../contract/reference/openapi.ts';
import { listPaths } from '../../contract/route.ts';
import { type AnyRoute, dashboardRoutes, operatorRoutes, routes, streamedRoutes } from '../../contract/routes.ts';
import { raw } from '../support/harness.ts';

const own: readonly AnyRoute[] = [...routes, ...streamedRoutes];
/** The operations that each document has to describe: those for keys at their own paths; for logins, those of the dashboard's path. */
const EXPECTED: Record<Audience, { path: string; operations: string[] }> = {
  platform: {
    path: '/v1/openapi.json',
    operations: own.map(({ id, method, path }) => `${id} ${method} ${documentPath({ path })}`),
  },
  dashboard: {
    path: '/dashboard/v1/openapi.json',
    operations: [...own, ...dashboardRoutes].flatMap((route: AnyRoute) =>
      listPaths(route)
        .filter((path) => path.startsWith('/dashboard/'))
        .map((path) => `${route.id} ${route.method} ${documentPath({ path })}`),
    ),
  },
  operator: {
    path: '/operator/v1/openapi.json',
    operations: operatorRoutes.map((route) => `${route.id} ${route.method} ${documentPath(route)}`),
  },
};

test.each(Object.entries(EXPECTED))(
  'the OpenAPI document for the %s has all its operations and no other, and every reference resolves',
  async (_, { path, operations }) => {
    const answer = await raw(path);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    const document = (await answer.json()) as {
      openapi: string;
      paths: Record<string, Record<string, { operationId: string }>>;
      components: Record<string, object>;
    };
    expect(document.openapi).toBe('3.1.0');
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual([...operations].sort());
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([\w.-]+)"/g)];
    expect(references.length).toBeGreaterThan(5);
    for (const [, group = '', name = ''] of references)
      expect(Object.keys(document.components[group] ?? {})).toContain(name);
  },
);

test('the documentation page runs its own script and no other', async () => {
  const answer = await raw('/docs');
  expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
  const page = await answer.text();
  const script = /<script>(.*)<\/script>/s.exec(page)?.[1] ?? '';
  const hash = createHash('sha256').update(script).digest('base64');
  const policy = answer.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(/script-src ([^;]*)/.exec(policy)?.[1]).toBe(`'sha256-${hash}'`);
  for (const { path } of own) expect(page).toContain(documentPath({ path }));
});
