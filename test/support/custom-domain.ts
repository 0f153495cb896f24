import type { Client } from '../../contract/client.ts';
import { getCustomDomain } from '../../contract/custom-domains/custom-domains.ts';

/** Reads the custom domain of an application. Throws if it has none. */
export async function readCustomDomain({ dashboard }: { dashboard: Client }, id: string) {
  const { data } = (await dashboard.call(getCustomDomain, { params: { id } })).body;
  if (!data) throw new Error('the application has no custom domain');
  return data;
}
