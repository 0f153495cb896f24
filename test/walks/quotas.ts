import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { measureQuotas } from '../../domain/operator/quotas.ts';
import { startRegistrar } from '../../local/emulators/route53-domains/registrar.ts';
import { startServiceQuotas } from '../../local/emulators/service-quotas/service-quotas.ts';
import { accountMeasures } from '../../providers/quotas/measures.ts';
import { createServiceQuotas } from '../../providers/quotas/service-quotas.ts';
import { reportQuotas } from '../../runtime/observability/quota-metrics.ts';
import { simulation } from '../simulation/simulation.ts';
import type { Scene, Walk } from '../support/walks.ts';

/** Names of the account's domains before the fault; a young account may have 20. */
const FEW = Array.from({ length: 5 }, (_, index) => `shop-${index}.co.za`);

/** Sends a request of the JSON protocol to an emulator. */
async function callAt<Output>(url: string, operation: string, input: object): Promise<Output> {
  const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `Any.${operation}` };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(input) });
  const document = (await response.json()) as { message: string; __type: string };
  if (!response.ok) throw Object.assign(new Error(document.message), { name: document.__type });
  return document as Output;
}

const CONTACT = {
  FirstName: 'A',
  LastName: 'B',
  ContactType: 'PERSON',
  AddressLine1: '1 Long Street',
  City: 'Cape Town',
  State: 'WC',
  CountryCode: 'ZA',
  ZipCode: '8001',
  PhoneNumber: '+27.215551234',
  Email: 'a@example.com',
};

/** Customers register domains until the account has 19 of 20, or the registrar refuses to be asked. */
async function domains(fault: 'full' | 'away'): Promise<Scene> {
  const { clock, steady } = simulation();
  const dataDir = mkdtempSync(join(tmpdir(), 'walk-'));
  const registrar = await startRegistrar({ dataDir, registered: FEW, now: () => clock.now });
  const quotas = await startServiceQuotas();
  onTestFinished(async () => {
    await Promise.all([registrar.stop(), quotas.stop()]);
    rmSync(dataDir, { recursive: true, force: true });
  });
  let isAway = false;
  const measures = accountMeasures({
    route53: {} as never,
    dsql: {} as never,
    databaseRegion: 'eu-west-1',
    mail: undefined,
    registrar: (operation, input) => {
      if (isAway) throw new Error('AccessDenied');
      return callAt(registrar.url, operation, input);
    },
    quotas: createServiceQuotas((operation, input) => callAt(quotas.url, operation, input)),
  }).filter(({ quota }) => quota === 'registeredDomains');
  const register = (DomainName: string) =>
    callAt(registrar.url, 'RegisterDomain', {
      DomainName,
      DurationInYears: 1,
      PrivacyProtectRegistrantContact: false,
      AdminContact: CONTACT,
      RegistrantContact: CONTACT,
      TechContact: CONTACT,
    });
  const deps = { ...steady.deps, cellOf: async () => ({ quotaMeasures: [] }) };
  const isMended = () => {
    isAway = false;
  };
  return {
    clock,
    minute: async () => reportQuotas(await measureQuotas(deps, measures)),
    async breakIt() {
      if (fault === 'away') isAway = true;
      else for (let index = 0; index < 14; index += 1) await register(`full-${index}.co.za`);
    },
    steps: [
      fault === 'away'
        ? { words: 'the function’s role lacks the right', act: isMended }
        : {
            command: 'aws service-quotas request-service-quota-increase',
            fill: { '<service>': 'route53', '<code>': 'L-F767CB15', '<value>': '100', '<region>': 'us-east-1' },
            run: ({ options }) => quotas.grant('registeredDomains', Number(options['desired-value'])),
          },
    ],
  };
}

export const quotaWalks: Walk[] = [
  {
    page: 'Quotas',
    fault: 'nearly as many domains are registered as the account may have',
    alarms: ['quotas-70', 'quotas-90'],
    pace: 5,
    open: () => domains('full'),
  },
  {
    page: 'Quotas',
    fault: 'a quota cannot be measured',
    alarms: ['quotas-70'],
    pace: 5,
    open: () => domains('away'),
  },
];
