import type * as z from 'zod/mini';
import { OfferInput, setOffer } from '../../domain/ai/models.ts';
import { AuditInput, listForOperators } from '../../domain/audit/log.ts';
import { AdjustmentInput, adjustAccount } from '../../domain/billing/adjustments.ts';
import { currentPlans, PlansInput, setPlans } from '../../domain/billing/plans.ts';
import type { Deps } from '../../domain/deps.ts';
import { MoveHostingInput, moveHosting } from '../../domain/hosting/move.ts';
import { ServerInput, setServer } from '../../domain/hosting/servers.ts';
import { parseManualInput } from '../../domain/operator/manual-input.ts';
import { ManualSuspensionInput, suspendManually } from '../../domain/operator/suspensions.ts';
import { readMigrations } from '../../domain/processes/migrate.ts';
import { listQuarantined, ReleaseInput, releaseQuarantined } from '../../domain/processes/quarantine.ts';
import { repairAfterRestore, verifyLedgers } from '../../domain/processes/restore/restore.ts';
import { RestoreInput } from '../../domain/processes/restore/visit.ts';
import { setTlds, TldsInput } from '../../domain/registrar/tlds.ts';
import type { Secrets } from '../../providers/encryption/secrets.ts';

/** Secrets that are not encrypted. */
const secrets: Secrets = {
  seal: async (_, text) => ({ wrappedKey: 'k', iv: 'i', ciphertext: text }),
  unseal: async (_, { ciphertext }) => ciphertext,
};

const read = <T>(schema: z.ZodMiniType<T>, event: unknown): T => parseManualInput(schema, event).input;

/** The operator functions, as `functions/operator/` wires them, over the dependencies of a simulation. */
export const operatorFunctions: Record<string, (deps: Deps, input: unknown) => Promise<unknown>> = {
  'operator-adjustAccount': (deps, input) =>
    adjustAccount({ ...deps, plans: currentPlans(deps) }, read(AdjustmentInput(), input)),
  'operator-listAudit': (deps, input) => listForOperators(deps, read(AuditInput(), input)),
  'operator-listMigrations': (deps) => readMigrations(deps),
  'operator-listQuarantined': (deps) => listQuarantined(deps),
  'operator-moveHosting': (deps, input) => {
    const { accountId, subscriptionId: id, server } = read(MoveHostingInput, input);
    return moveHosting(deps, { accountId, id, server });
  },
  'operator-releaseQuarantined': (deps, input) => releaseQuarantined(deps, read(ReleaseInput, input)),
  'operator-repairAfterRestore': (deps, input) => repairAfterRestore(deps, read(RestoreInput(), input)),
  'operator-setAiOffer': (deps, input) => setOffer(deps, read(OfferInput(), input)),
  'operator-setDomainPrices': (deps, input) => setTlds(deps, read(TldsInput(), input)),
  'operator-setHostingServer': (deps, input) => setServer({ ...deps, secrets }, read(ServerInput, input)),
  'operator-setPlans': (deps, input) => setPlans(deps, read(PlansInput(), input)),
  'operator-setSuspension': (deps, input) => suspendManually(deps, read(ManualSuspensionInput(), input)),
  'operator-verifyLedgers': (deps, input) => verifyLedgers(deps, read(RestoreInput(), input)),
};
