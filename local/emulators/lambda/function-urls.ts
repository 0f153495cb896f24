import { type Configuration, type LambdaFunction, resolveQualifier } from './functions.ts';

/** Indexes the functions of an account by the hosts of their URLs, because each request to an application looks one up. */
export function indexUrls(functions: Readonly<Record<string, LambdaFunction>>) {
  const byHost = new Map<string, { name: string; qualifier: string }>();
  const hostsOf = new Map<string, string[]>();
  /** Updates the index after a change to a function. */
  const update = (name: string): void => {
    for (const host of hostsOf.get(name) ?? []) byHost.delete(host);
    hostsOf.delete(name);
    const urls = Object.entries(functions[name]?.urls ?? {});
    if (urls.length === 0) return;
    const hosts = urls.map(([qualifier, { FunctionUrl }]) => {
      const { host } = new URL(FunctionUrl);
      byHost.set(host, { name, qualifier });
      return host;
    });
    hostsOf.set(name, hosts);
  };
  for (const name of Object.keys(functions)) update(name);

  return {
    update,
    /** Returns the version that a public URL invokes; undefined for other hosts. */
    find(host: string): Configuration | undefined {
      const { name = '', qualifier = '' } = byHost.get(host) ?? {};
      const found = functions[name];
      if (found?.urls[qualifier]?.AuthType !== 'NONE') return undefined;
      return resolveQualifier(found, qualifier || undefined);
    },
  };
}
