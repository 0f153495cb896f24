import { functionNamed } from './functions.ts';
import type { Lambda } from './lambda.ts';
import type { FunctionSpec } from './lambda-pool.ts';
import { DEAD_SERVER } from './stand-ins/panel.ts';

/** The servers for web and email hosting, told at each start: their port may be another one. */
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
  const about = { user: 'root', token: 'LOCALPANELTOKEN' };
  await Promise.all(
    servers.map(({ name, open }) =>
      lambda.invoke(operator.name, { name, open, baseUrl: `${panelUrl}/${name}`, ...about }),
    ),
  );
}
