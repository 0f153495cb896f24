import type { Local } from '../../test/support/platform.ts';

interface Created {
  id: string;
  status?: string;
}

/**
 * Creates content for every screen in the demo account.
 * @returns a function that fills the ids of the resources into a screen's path
 */
export async function seedScreens({ baseUrl, accounts }: Local): Promise<(screen: string) => string> {
  const { demo, other } = accounts;
  const call = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${demo.dashboardToken}`, 'content-type': 'application/json' };
    const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
    const response = await fetch(`${baseUrl}/dashboard/v1${path}`, init);
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return ((await response.json()) as { data: Created & Created[] }).data;
  };
  const repoUrl = 'https://git.localhost/hello-express.git';
  const { id: deployed } = await call('POST', '/apps', { name: 'hello-express', framework: 'EXPRESS', repoUrl });
  const { id: app } = await call('POST', '/apps', { name: 'Another', framework: 'EXPRESS' });
  const { id: webhook } = await call('POST', '/webhooks', { url: 'https://example.com/hooks' });
  const [domain] = await call('GET', '/domains');
  const [invoice] = await call('GET', '/invoices');
  const [hosting] = await call('GET', '/hosting');
  let deployment: Created | undefined;
  for (;;) {
    [deployment] = await call('GET', `/apps/${deployed}/deployments`);
    if (deployment?.status === 'SUCCEEDED') break;
    if (deployment?.status === 'FAILED') throw new Error('The deployment failed');
    await new Promise((done) => setTimeout(done, 1000));
  }
  const ids: Record<string, string | undefined> = {
    app,
    deployed,
    deployment: deployment.id,
    webhook,
    domain: domain?.id,
    invoice: invoice?.id,
    hosting: hosting?.id,
    customer: other.id,
  };
  return (screen) => screen.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? name);
}
