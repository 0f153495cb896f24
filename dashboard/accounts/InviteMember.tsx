import { Button } from '@mantine/core';
import { inviteMember } from '../../contract/accounts/members.ts';
import { MEMBER_ROLES, type MemberRole } from '../../contract/roles.ts';
import { useRefusal } from '../api/rights.ts';
import { FormBox } from '../form/FormBox.tsx';
import { SelectField, TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { SecretDialog } from '../ui/OneTimeSecret.tsx';
import { useUrlDialog } from '../ui/use-url-state.ts';
import { useInviteMember } from './api.ts';
import { InvitationLink } from './invitation-link.tsx';
import { ROLE_LABELS } from './labels.ts';

const INITIAL_VALUES = { email: '', role: 'developer' as MemberRole };

/** Button and dialog that invite a person. The link is shown once. */
export function InviteMember() {
  const invite = useInviteMember();
  const [open, setOpen] = useUrlDialog('invite');
  const refusal = useRefusal();
  const close = () => {
    setOpen(false);
    invite.reset();
  };
  return (
    <>
      <Button onClick={() => setOpen(true)} {...(refusal === undefined ? {} : { disabled: true, title: refusal })}>
        Invite member
      </Button>
      <SecretDialog request={invite} opened={open} onClose={close} title="Invite a member">
        {invite.data ? <InvitationLink invitation={invite.data.data} close={close} /> : <InviteForm invite={invite} />}
      </SecretDialog>
    </>
  );
}

function InviteForm({ invite }: { invite: ReturnType<typeof useInviteMember> }) {
  const form = useForm(inviteMember.body, INITIAL_VALUES, (values) => values, 'invite');
  return (
    <FormBox form={form} label="Create invitation" onSubmit={() => invite.mutateAsync({ body: form.values })}>
      <TextField field={form.field('email')} label="Email address" required autoFocus />
      <SelectField
        field={form.field('role')}
        label="Role"
        options={MEMBER_ROLES}
        description={ROLE_LABELS[form.values.role]}
      />
    </FormBox>
  );
}
