import { DEAD_SERVER } from '../emulators/hosting-panel/panel.ts';
import { functionNamed } from '../lambda/functions.ts';
import type { Lambda } from '../lambda/lambda.ts';
import type { FunctionSpec } from '../lambda/pool.ts';

/** Registers the servers for web and email hosting at each start, because their port may have changed. */
export async function seedHostingServers(
  panelUrl: string,
  functions: readonly FunctionSpec[],
  lambda: Pick<Lambda, 'invoke'>,
): Promise<void> {
  const operator = functionNamed(functions, 'operator/setHostingServer');
  const servers = [
    { name: 'web-1', open: true },
    { name: DEAD_SERVER, open: false },
  ];
  const settings = { user: 'root', token: 'LOCALPANELTOKEN', address: '127.0.0.1', mailHost: 'mail.web.example' };
  await Promise.all(
    servers.map(({ name, open }) =>
      lambda.invoke(operator.name, { name, open, baseUrl: `${panelUrl}/${name}`, ...settings }),
    ),
  );
}
