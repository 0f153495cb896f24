import * as z from 'zod';
import type { LocalJson } from '../platform.ts';

const Created = z.object({ data: z.object({ primaryDomain: z.string() }) });

/**
 * Deploys an example as a customer would in the dashboard. It uses the login, so that it does not use up the keys' rate
 * limits.
 */
export async function deployExample({ baseUrl, accounts }: LocalJson, report: (line: string) => void): Promise<void> {
  try {
    const answer = await fetch(`${baseUrl}/dashboard/v1/apps`, {
      method: 'POST',
      headers: { authorization: `Bearer ${accounts.demo.dashboardToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'Hello Express',
        framework: 'EXPRESS',
        repoUrl: 'https://git.localhost/hello-express.git',
      }),
    });
    const text = await answer.text();
    if (answer.status !== 201) throw new Error(text);
    const { primaryDomain } = Created.parse(JSON.parse(text)).data;
    report(`  being deployed: http://${primaryDomain}:${new URL(baseUrl).port}/`);
  } catch (error) {
    report(`  The example could not be deployed: ${error instanceof Error ? error.message : String(error)}`);
  }
}
