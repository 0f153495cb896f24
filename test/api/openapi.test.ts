import { expect, test } from 'vitest';
import { type AnyRoute, dashboardRoutes, routes, streamedRoutes } from '../../contract/routes.ts';
import { raw } from '../support/harness.ts';

const own: readonly AnyRoute[] = [...routes, ...streamedRoutes];
/** Operations at their own paths, those of `/v1` and `/ai/v1` at the dashboard's paths too, and the dashboard's own. */
const everywhere = [
  ...own,
  ...dashboardRoutes,
  ...own
    .filter(({ path, alsoOnDashboard }) => alsoOnDashboard && /^(\/ai)?\/v1\//.test(path))
    .map(({ id, method, path }) => ({
      id: `dashboard${id[0]?.toUpperCase()}${id.slice(1)}`,
      method,
      path: `/dashboard/v1/${path.replace(/^(\/ai)?\/v1\//, (_, ai) => (ai ? 'ai/' : ''))}`,
    })),
];

test('the OpenAPI document contains every operation, and every reference resolves', async () => {
  const answer = await raw('/v1/openapi.json');
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  const document = (await answer.json()) as {
    openapi: string;
    paths: Record<string, Record<string, { operationId: string }>>;
    components: Record<string, object>;
  };
  expect(document.openapi).toBe('3.1.0');
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method} ${path}`),
  );
  expect(operations.sort()).toEqual(
    everywhere.map(({ id, method, path }) => `${id} ${method.toLowerCase()} ${path.replace('+}', '}')}`).sort(),
  );
  expect(new Set(everywhere.map(({ id }) => id)).size, 'no two operations have one name').toBe(everywhere.length);
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
  expect(references.length).toBeGreaterThan(5);
  for (const [, group = '', name = ''] of references) expect(document.components[group]).toHaveProperty(name);
});

test('the documentation page runs no script', async () => {
  const answer = await raw('/docs');
  expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  const page = await answer.text();
  for (const { path } of everywhere) expect(page).toContain(path.replace('+}', '}'));
  expect(page).not.toContain('<script');
});
