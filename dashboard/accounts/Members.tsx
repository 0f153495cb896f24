import { Group, NativeSelect, Stack, Text } from '@mantine/core';
import { memo, type ReactNode, useState } from 'react';
import { MEMBER_ROLES, type MemberRole } from '../../contract/roles.ts';
import { RightContext, useRefusal } from '../api/rights.ts';
import { ActionButton } from '../ui/ActionButton.tsx';
import { ConfirmButton } from '../ui/ConfirmButton.tsx';
import { FilteredItems, useListFilter } from '../ui/FilteredItems.tsx';
import { byName, byTime, type ListView } from '../ui/list-view.ts';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { RoleNotice } from '../ui/RoleNotice.tsx';
import { Section } from '../ui/Section.tsx';
import { TimeAgo } from '../ui/TimeAgo.tsx';
import { toast } from '../ui/toast.ts';
import {
  type Invitation,
  type Member,
  useLeaveAccount,
  useMembers,
  useRemoveMember,
  useResendInvitation,
  useRevokeInvitation,
  useUpdateMember,
} from './api.ts';
import { InviteMember } from './InviteMember.tsx';
import { useInvitationLink } from './invitation-link.tsx';
import { ROLE_LABELS } from './labels.ts';

/** The members of the account and the open invitations. Owners can change them; other roles only see them. */
export const Members = () => (
  <RightContext value="manage">
    <Section
      title="Members"
      description="Members sign in with their own login. Their role determines what they can do in this account."
      actions={<InviteMember />}
    >
      <RoleNotice />
      <QueryBoundary query={useMembers()}>
        {({ data: { members, invitations } }) => (
          <Stack gap="lg">
            <MemberList members={members} />
            {invitations.length > 0 && (
              <section aria-label="Open invitations">
                <Text fw={600} mb="xs">
                  Open invitations
                </Text>
                <div className="card">
                  {invitations.map((invitation) => (
                    <InvitationRow key={invitation.id} invitation={invitation} />
                  ))}
                </div>
              </section>
            )}
          </Stack>
        )}
      </QueryBoundary>
    </Section>
  </RightContext>
);

const VIEW: ListView<Member> = {
  text: ({ name, email, role }) => `${name} ${email} ${role}`,
  order: 'Order of joining',
  sorts: {
    name: { label: 'Name', compare: byName(({ name }) => name) },
    newest: { label: 'Newest first', compare: (a, b) => Date.parse(b.joinedAt) - Date.parse(a.joinedAt) },
    oldest: { label: 'Oldest first', compare: byTime(({ joinedAt }) => joinedAt) },
  },
  status: ({ role }) => role,
  statusName: { one: 'role', all: 'All roles' },
};

function MemberList({ members }: { members: readonly Member[] }) {
  const filter = useListFilter();
  return (
    <FilteredItems name="members" items={members} filter={filter} view={VIEW} statusLabel={(role) => role}>
      {(items) => (
        <div className="card">
          {items.map((member) => (
            <MemberRow key={member.id} member={member} />
          ))}
        </div>
      )}
    </FilteredItems>
  );
}

const MemberRow = memo(({ member }: { member: Member }) => {
  const update = useUpdateMember();
  const remove = useRemoveMember();
  const refusal = useRefusal();
  const params = { id: member.id };
  const [chosen, setChosen] = useState<MemberRole>();
  const role = chosen ?? member.role;
  const saveRole = async () => {
    await update.mutateAsync({ params, body: { role } });
    setChosen(undefined);
    toast(`${member.email} now has the role ${role}.`);
  };
  const removeMember = async () => {
    await remove.mutateAsync({ params });
    toast(`${member.email} was removed.`);
  };
  return (
    <Group className="row" justify="space-between" gap="sm">
      <Person name={member.name} email={member.email + (member.isYou ? ' (you)' : '')}>
        joined <TimeAgo at={member.joinedAt} />
      </Person>
      <Group gap="xs">
        <NativeSelect
          aria-label={`Role of ${member.email}`}
          size="xs"
          value={role}
          disabled={refusal !== undefined || update.isPending}
          title={refusal ?? ROLE_LABELS[role]}
          data={[...MEMBER_ROLES]}
          onChange={({ currentTarget }) => setChosen(MEMBER_ROLES.find((known) => known === currentTarget.value))}
        />
        {/* Saved by a button: a change by arrow keys passes through other roles, which must not be saved. */}
        {role !== member.role && (
          <ActionButton size="xs" action={saveRole}>
            Save role
          </ActionButton>
        )}
        {member.isYou ? (
          <LeaveButton />
        ) : (
          <ConfirmButton label="Remove" size="xs" question={`Remove ${member.email}?`} onConfirm={removeMember}>
            This member loses access immediately, even in open sessions. API keys that they created keep working; the
            list of keys shows who created each one.
          </ConfirmButton>
        )}
      </Group>
    </Group>
  );
});

function LeaveButton() {
  const leave = useLeaveAccount();
  return (
    <ConfirmButton
      label="Leave"
      size="xs"
      right="member"
      question="Leave this account?"
      onConfirm={() => leave.mutateAsync({})}
    >
      You lose access to this account immediately. To rejoin, you need a new invitation.
    </ConfirmButton>
  );
}

function InvitationRow({ invitation: { id, email, role, expiresAt, emailedAt } }: { invitation: Invitation }) {
  const resend = useResendInvitation();
  const revoke = useRevokeInvitation();
  const { show, dialog } = useInvitationLink();
  return (
    <Group className="row" justify="space-between" gap="sm">
      <Person name={email} email={role}>
        {emailedAt && (
          <>
            emailed <TimeAgo at={emailedAt} /> ·{' '}
          </>
        )}
        expires <TimeAgo at={expiresAt} />
      </Person>
      <Group gap="xs">
        <ActionButton size="xs" action={async () => show((await resend.mutateAsync({ params: { id } })).data)}>
          New link
        </ActionButton>
        <ConfirmButton
          label="Revoke"
          size="xs"
          question={`Revoke the invitation of ${email}?`}
          onConfirm={() => revoke.mutateAsync({ params: { id } })}
        >
          The link stops working. You can invite this address again.
        </ConfirmButton>
      </Group>
      {dialog}
    </Group>
  );
}

const Person = ({ name, email, children }: { name: string; email: string; children: ReactNode }) => (
  <Stack gap={2} style={{ minWidth: 0, flex: '1 1 16rem' }}>
    <Text fw={600} className="break">
      {name}
    </Text>
    <Text size="sm" c="dimmed" className="break">
      {email} · {children}
    </Text>
  </Stack>
);
