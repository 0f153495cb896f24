import * as z from 'zod';
import type { LocalJson } from './platform.ts';

const Created = z.object({ data: z.object({ primaryDomain: z.string() }) });

/** Deploys an example through the public API, as a customer would, so that there is something to look at. */
export async function deployExample({ baseUrl, accounts }: LocalJson, tell: (line: string) => void): Promise<void> {
  try {
    const answer = await fetch(`${baseUrl}/v1/apps`, {
      method: 'POST',
      headers: { authorization: `Bearer ${accounts.demo.secretKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'Hello Express',
        framework: 'EXPRESS',
        repoUrl: 'https://git.localhost/hello-express.git',
      }),
    });
    const text = await answer.text();
    if (answer.status !== 201) throw new Error(text);
    const { primaryDomain } = Created.parse(JSON.parse(text)).data;
    tell(`  being deployed: http://${primaryDomain}:${new URL(baseUrl).port}/`);
  } catch (error) {
    tell(`  the example could not be deployed: ${error instanceof Error ? error.message : String(error)}`);
  }
}
