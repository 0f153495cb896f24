import { type LifecycleDeps, onDomainInvoicePaid, onDomainInvoiceVoided } from '../domain/registrar/lifecycle.ts';
import { Invoice } from '../table/entities/billing.ts';
import { on, type Rules } from './on.ts';

export type RegistrarRuleDeps = LifecycleDeps;

/** Rules about domains at the registrar. */
export const registrarRules = (deps: RegistrarRuleDeps): Rules => ({
  'domain.fulfil-paid-invoice': on(Invoice).becomes({ kind: 'DOMAIN', status: 'PAID' }, (invoice) =>
    onDomainInvoicePaid(deps, invoice),
  ),
  'domain.release-unpaid': on(Invoice).becomes({ kind: 'DOMAIN', status: 'VOID' }, (invoice) =>
    onDomainInvoiceVoided(deps, invoice),
  ),
});
