import { Group, Stack, Text } from '@mantine/core';
import { setCustomDomain } from '../../contract/custom-domains/custom-domains.ts';
import { failureOf } from '../api/failure.ts';
import { FormBox } from '../form/FormBox.tsx';
import { TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { ActButton } from '../ui/ActionButton.tsx';
import { Confirm } from '../ui/ConfirmButton.tsx';
import { CopyText } from '../ui/CopyText.tsx';
import { Empty } from '../ui/EmptyState.tsx';
import { Loaded } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { Status } from '../ui/Status.tsx';
import { When } from '../ui/TimeAgo.tsx';
import { tell } from '../ui/toast.ts';
import {
  type Application,
  type CustomDomain,
  useCheckCustomDomain,
  useCustomDomain,
  useRemoveCustomDomain,
  useSetCustomDomain,
} from './api.ts';

/** The application's own domain: whether it is proven to be its owner's, what to put into its DNS, its certificate. */
export function OwnDomain({ app }: { app: Application }) {
  const domain = useCustomDomain(app.id);
  const none = domain.error !== null && failureOf(domain.error).status === 404;
  return (
    <Section title="Own domain">
      {none ? (
        <NewDomain app={app} />
      ) : (
        <Loaded query={domain}>{({ data }) => <State app={app} domain={data} />}</Loaded>
      )}
    </Section>
  );
}

function NewDomain({ app }: { app: Application }) {
  const form = useForm(setCustomDomain.body, { domain: '' }, (values) => values, `domain ${app.id}`);
  const set = useSetCustomDomain();
  const act = async () => {
    await set.mutateAsync({ params: { id: app.id }, body: form.values });
    form.reset();
  };
  return (
    <Stack gap="md">
      <Empty title="No domain of its own">This application answers at {app.primaryDomain}.</Empty>
      <FormBox form={form} label="Add domain" act={act}>
        <TextField of={form.field('domain')} label="Domain" placeholder="www.example.co.za" required />
      </FormBox>
    </Stack>
  );
}

type Entry = CustomDomain['challenge'];
type Certificate = NonNullable<CustomDomain['certificate']>;

function State({ app, domain }: { app: Application; domain: CustomDomain }) {
  const check = useCheckCustomDomain();
  const remove = useRemoveCustomDomain();
  const { status, problem, checkedAt, challenge, target, claimedUntil, certificate } = domain;
  const ownersTurn = status === 'PENDING' || certificate?.status === 'WAITING' || certificate?.status === 'FAILED';
  return (
    <Stack className="card" p="md" gap="md">
      <Group justify="space-between">
        <Group gap="sm">
          <Text fw={600} className="break">
            {domain.domain}
          </Text>
          <Status of={status} />
        </Group>
        <Group gap="sm">
          {ownersTurn && <ActButton act={() => check.mutateAsync({ params: { id: app.id } })}>Check now</ActButton>}
          <Confirm
            label="Remove domain"
            question={`Remove ${domain.domain}?`}
            act={async () => {
              await remove.mutateAsync({ params: { id: app.id } });
              tell(`${domain.domain} is removed.`);
            }}
          >
            The application answers at its own address on. Visitors of the domain are turned away at once; the domain
            can be used again when its certificate is gone, which takes some minutes.
          </Confirm>
        </Group>
      </Group>
      {status === 'PENDING' ? (
        <>
          <Text size="sm" role="status">
            {problem}
            <Checked at={checkedAt} />
            {claimedUntil && (
              <>
                {' '}
                To be proven <When at={claimedUntil} /> at the latest.
              </>
            )}
          </Text>
          <Wanted entry={challenge} why="Proves that the domain is yours" />
        </>
      ) : (
        certificate && <CertificateState of={certificate} />
      )}
      <Wanted entry={target} why="Sends its visitors to the application" />
    </Stack>
  );
}

/** What there is to say of a certificate where nothing stands in its way. */
const USUAL: Record<Certificate['status'], string> = {
  WAITING: 'It is asked for as soon as the domain leads here.',
  PENDING: 'It is being issued, which takes some minutes. The domain has to lead here all the while.',
  ISSUED: 'Visitors are let in over HTTPS. It is renewed by itself as long as the domain leads here.',
  FAILED: 'It could not be had.',
};

const CertificateState = ({ of: { status, problem, checkedAt } }: { of: Certificate }) => (
  <div>
    <Group gap="sm">
      <Text size="sm" fw={600}>
        Certificate
      </Text>
      <Status of={status} />
    </Group>
    <Text size="sm" role="status">
      {problem ?? USUAL[status]}
      <Checked at={checkedAt} />
    </Text>
  </div>
);

const Checked = ({ at }: { at: string | null }) =>
  at && (
    <>
      {' '}
      Checked <When at={at} />.
    </>
  );

/** A record that its owner is to put into the domain's DNS. */
const Wanted = ({ entry: { type, name, value }, why }: { entry: Entry; why: string }) => (
  <div>
    <Text size="sm" fw={600}>
      {why}: {type}
    </Text>
    <CopyText name={`the name of the ${type} record`} text={name} />
    <CopyText name={`the value of the ${type} record`} text={value} />
  </div>
);
