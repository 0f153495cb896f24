import * as z from 'zod/mini';
import { Deleted, describe, Email, Id, resource, single, Timestamp } from '../envelope.ts';
import { MEMBER_ROLES } from '../roles.ts';
import { route } from '../route.ts';

/** Members and open invitations that one account may have together. */
export const MAX_MEMBERS = 50;
/** Accounts of others that one login may be a member of. */
export const MAX_MEMBERSHIPS = 50;
/** Days after which an invitation expires. */
export const INVITATION_DAYS = 7;

const Role = () => z.enum(MEMBER_ROLES);

const Member = resource('Member', () =>
  z.object({
    id: describe(z.string(), 'The login; the audit log names it too'),
    email: z.string(),
    name: z.string(),
    role: Role(),
    isYou: z.boolean(),
    joinedAt: Timestamp(),
  }),
);

const Invitation = resource('Invitation', () =>
  z.object({
    id: z.string(),
    email: z.string(),
    role: Role(),
    invitedBy: describe(z.nullable(z.string()), 'Email address of the owner'),
    createdAt: Timestamp(),
    expiresAt: Timestamp(),
    emailedAt: describe(z.nullable(Timestamp()), 'When the address was sent an email with a link; null if it was not'),
  }),
);

/** An invitation just after it was made: only then is its link known. */
const NewInvitation = resource('NewInvitation', () =>
  z.extend(Invitation(), {
    link: describe(z.string(), 'The link to hand over to the person. It is shown once'),
    isEmailed: describe(
      z.boolean(),
      'True if the address is being sent a link by email too. False where the installation sends no email, or the address was sent an invitation within the hour',
    ),
  }),
);

const tag = 'Account';
const access = 'login';

export const listMembers = /* @__PURE__ */ route({
  id: 'listMembers',
  method: 'GET',
  path: '/dashboard/v1/members',
  access,
  right: 'member',
  summary: 'List the members of the account and the open invitations',
  tag,
  response: () => single(z.object({ members: z.array(Member()), invitations: z.array(Invitation()) })),
});

export const inviteMember = /* @__PURE__ */ route({
  id: 'inviteMember',
  method: 'POST',
  path: '/dashboard/v1/members/invitations',
  access,
  right: 'manage',
  audit: 'member.invited',
  summary: `Invite a person by email address; the link works once, for that address, for ${INVITATION_DAYS} days`,
  tag,
  body: () => z.object({ email: Email(), role: Role() }),
  status: 201,
  response: () => single(NewInvitation()),
  uses: ['mail-sender'],
});

export const resendInvitation = /* @__PURE__ */ route({
  id: 'resendInvitation',
  method: 'POST',
  path: '/dashboard/v1/members/invitations/{id}/resend',
  access,
  right: 'manage',
  audit: 'member.invited',
  summary: 'Give an invitation a new link; the earlier one stops working',
  tag,
  params: Id,
  response: () => single(NewInvitation()),
  uses: ['mail-sender'],
});

export const revokeInvitation = /* @__PURE__ */ route({
  id: 'revokeInvitation',
  method: 'DELETE',
  path: '/dashboard/v1/members/invitations/{id}',
  access,
  right: 'manage',
  audit: 'member.invitation-revoked',
  summary: 'Revoke an invitation: its link stops working',
  tag,
  params: Id,
  response: Deleted,
});

export const acceptInvitation = /* @__PURE__ */ route({
  id: 'acceptInvitation',
  method: 'POST',
  path: '/dashboard/v1/invitations/accept',
  access,
  right: 'member',
  audit: 'member.joined',
  summary: 'Accept an invitation: your login becomes a member of the account that sent it',
  tag,
  body: () => z.object({ token: z.string().check(z.minLength(1), z.maxLength(300)) }),
  // The login's own account may be suspended, or wait for its deletion; the other may not (domain/accounts/invitations.ts).
  whileSuspended: true,
  whileClosing: true,
  response: () => single(z.object({ id: z.string(), name: z.string(), role: Role() })),
});

export const updateMember = /* @__PURE__ */ route({
  id: 'updateMember',
  method: 'PATCH',
  path: '/dashboard/v1/members/{id}',
  access,
  right: 'manage',
  audit: 'member.role-changed',
  summary: 'Change the role of a member; an account always has an owner',
  tag,
  params: Id,
  body: () => z.object({ role: Role() }),
  response: () => single(Member()),
});

export const removeMember = /* @__PURE__ */ route({
  id: 'removeMember',
  method: 'DELETE',
  path: '/dashboard/v1/members/{id}',
  access,
  right: 'manage',
  audit: 'member.removed',
  summary: 'Remove a member: the next request of the login is refused. API keys that the member created keep working',
  tag,
  params: Id,
  response: Deleted,
});

export const leaveAccount = /* @__PURE__ */ route({
  id: 'leaveAccount',
  method: 'DELETE',
  path: '/dashboard/v1/membership',
  access,
  right: 'member',
  audit: 'member.left',
  summary: 'Leave the account; its last owner cannot. An account that you joined has to be named in `X-Account-Id`',
  tag,
  response: Deleted,
});
