import type { Deps } from '../domain/deps.ts';
import { onDomainInvoiceVoided } from '../domain/registrar/lifecycle.ts';
import { Invoice } from '../table/entities/billing.ts';
import { type HandOverDeps, handOverTo } from './hand-over.ts';
import { on, type Rules } from './on.ts';

/** Rules about domains at the registrar. */
export const registrarRules = (deps: Deps & HandOverDeps): Rules => ({
  'domain.fulfil-paid-invoice': on(Invoice).becomes(
    { kind: 'DOMAIN', status: 'PAID' },
    handOverTo(deps, 'workflows', Invoice)('domain.fulfil-paid-invoice'),
  ),
  'domain.release-unpaid': on(Invoice).becomes({ kind: 'DOMAIN', status: 'VOID' }, (invoice) =>
    onDomainInvoiceVoided(deps, invoice),
  ),
});
