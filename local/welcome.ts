import type { LocalJson } from './platform.ts';

/** Returns the start-up message: addresses, keys, and commands to paste. */
export function welcome({ baseUrl, dashboardUrl, dns, accounts }: LocalJson, milliseconds: number): string[] {
  const { demo, other, operator } = accounts;
  const as = `-H 'Authorization: Bearer ${demo.secretKey}'`;
  const app = `{"name":"My app","framework":"EXPRESS","repoUrl":"https://git.localhost/hello-express.git"}`;
  return [
    `  up in ${(milliseconds / 1000).toFixed(1)} s`,
    '',
    `  API            ${baseUrl}/v1      reference: ${baseUrl}/docs`,
    `  dashboard      ${dashboardUrl}      ${accounts.demo.email} / ${accounts.demo.password}`,
    `  operators      ${dashboardUrl}/operator      ${operator.email} / ${operator.password}`,
    `  applications   ${baseUrl.replace('://', '://<slug>.apps.')}`,
    `  name server    dig @${dns.host} -p ${dns.port} <domain>`,
    '',
    `  demo account   secret ${demo.secretKey}`,
    `                 public ${demo.publicKey}`,
    `  other account  secret ${other.secretKey}`,
    '',
    '  Paste one after the other:',
    `  curl -s ${as} -H 'Content-Type: application/json' ${baseUrl}/v1/apps -d '${app}'`,
    `  curl -s ${as} ${baseUrl}/v1/apps`,
    `  curl -s ${baseUrl.replace('://', '://my-app.apps.')}/`,
    '',
  ];
}
