import { Group, Stack, Text } from '@mantine/core';
import { setCustomDomain } from '../../contract/custom-domains/custom-domains.ts';
import { FormBox } from '../form/FormBox.tsx';
import { TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { ActionButton } from '../ui/ActionButton.tsx';
import { ConfirmButton } from '../ui/ConfirmButton.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { RecordToAdd } from '../ui/RecordToAdd.tsx';
import { Section } from '../ui/Section.tsx';
import { Status } from '../ui/Status.tsx';
import { formatDate, TimeAgo } from '../ui/TimeAgo.tsx';
import { toast } from '../ui/toast.ts';
import {
  type CustomDomainDetails,
  useCheckCustomDomain,
  useCustomDomain,
  useRemoveCustomDomain,
  useSetCustomDomain,
} from './api.ts';

/** Custom domain of an application: ownership, DNS records and certificate. */
export function CustomDomain({ appId, defaultDomain }: { appId: string; defaultDomain: string }) {
  return (
    <Section title="Custom domain">
      <QueryBoundary query={useCustomDomain(appId)}>
        {({ data }) =>
          data ? <DomainState appId={appId} domain={data} /> : <NewDomain appId={appId} defaultDomain={defaultDomain} />
        }
      </QueryBoundary>
    </Section>
  );
}

function NewDomain({ appId, defaultDomain }: { appId: string; defaultDomain: string }) {
  const form = useForm(setCustomDomain.body, { domain: '' }, (values) => values, `domain ${appId}`);
  const set = useSetCustomDomain();
  const submit = async () => {
    await set.mutateAsync({ params: { id: appId }, body: form.values });
    form.clearSent();
  };
  return (
    <Stack gap="md">
      <EmptyState title="No custom domain">This application is reachable at {defaultDomain}.</EmptyState>
      <FormBox form={form} label="Add domain" onSubmit={submit}>
        <TextField field={form.field('domain')} label="Domain" placeholder="www.example.co.za" required />
      </FormBox>
    </Stack>
  );
}

type DnsEntry = CustomDomainDetails['challenge'];
type Certificate = NonNullable<CustomDomainDetails['certificate']>;

function DomainState({ appId, domain }: { appId: string; domain: CustomDomainDetails }) {
  const check = useCheckCustomDomain();
  const remove = useRemoveCustomDomain();
  const { status, managed, problem, checkedAt, challenge, target, claimedUntil, certificate } = domain;
  const isProven = status === 'VERIFIED' && claimedUntil === null;
  const hasProblem = (certificate?.problem ?? null) !== null;
  const needsOwner = !isProven || certificate?.status === 'WAITING' || certificate?.status === 'FAILED' || hasProblem;
  return (
    <Stack className="card" p="md" gap="md">
      <Group justify="space-between">
        <Group gap="sm">
          <Text fw={600} className="break">
            {domain.domain}
          </Text>
          <Status value={status} />
        </Group>
        <Group gap="sm">
          {needsOwner && (
            <ActionButton action={() => check.mutateAsync({ params: { id: appId } })}>Check now</ActionButton>
          )}
          <ConfirmButton
            label="Remove domain"
            question={`Remove ${domain.domain}?`}
            onConfirm={async () => {
              await remove.mutateAsync({ params: { id: appId } });
              toast(`${domain.domain} was removed.`);
            }}
          >
            The application stays reachable at its default address. The domain stops working immediately and can be
            added again in a few minutes, once its certificate is deleted.
          </ConfirmButton>
        </Group>
      </Group>
      {!isProven && (
        <>
          <Text size="sm" role="status">
            {problem}
            <LastChecked at={checkedAt} />
            {status === 'PENDING' && claimedUntil && <> Verify by {formatDate(claimedUntil)}.</>}
          </Text>
          {!managed && <DnsInstruction entry={challenge} purpose="Verify ownership" />}
        </>
      )}
      {certificate && <CertificateState certificate={certificate} />}
      {managed ? (
        <Text size="sm">
          This domain uses our DNS in this account. We create its records automatically, unless existing records point
          it elsewhere.
        </Text>
      ) : (
        <PointingInstruction target={target} />
      )}
      {isProven && !managed && (
        <Text size="sm" c="dimmed">
          Ownership is verified every week. Keep the TXT record {challenge.name} with the value{' '}
          <Text span className="break">
            {challenge.value}
          </Text>
          , unless the domain is registered in this account.
        </Text>
      )}
    </Stack>
  );
}

/** Text per certificate status, shown unless the API reports a problem. */
const CERTIFICATE_TEXTS: Record<Certificate['status'], string> = {
  WAITING: 'Requested as soon as the domain points here.',
  PENDING: 'Being issued, which takes a few minutes. Keep the domain pointed here until then.',
  ISSUED: 'HTTPS active. Renews automatically while the domain points here.',
  FAILED: 'Could not be issued.',
};

const CertificateState = ({ certificate: { status, problem, checkedAt } }: { certificate: Certificate }) => (
  <div>
    <Group gap="sm">
      <Text size="sm" fw={600}>
        Certificate
      </Text>
      <Status value={status} />
    </Group>
    <Text size="sm" role="status">
      {problem ?? CERTIFICATE_TEXTS[status]}
      <LastChecked at={checkedAt} />
    </Text>
  </div>
);

const LastChecked = ({ at }: { at: string | null }) =>
  at && (
    <>
      {' '}
      Checked <TimeAgo at={at} />.
    </>
  );

/** The record that points a domain here. Before the first lookup, the platform does not know the apex of the domain's zone. */
const PointingInstruction = ({ target }: { target: DnsEntry }) => (
  <div>
    <DnsInstruction entry={target} purpose="Point your domain" />
    {target.type === 'CNAME' && !target.name.startsWith('www.') && (
      <Text size="sm" c="dimmed">
        If {target.name} is the root of its zone, a CNAME is not allowed there: add an ALIAS, ANAME or flattened CNAME
        record instead, or use www.{target.name}.
      </Text>
    )}
  </div>
);

/** A DNS record for the owner of the domain to add. */
const DnsInstruction = ({ entry, purpose }: { entry: DnsEntry; purpose: string }) => (
  <div>
    <Text size="sm" fw={600}>
      {purpose}: add this {entry.type} record
    </Text>
    <RecordToAdd record={entry} />
  </div>
);
