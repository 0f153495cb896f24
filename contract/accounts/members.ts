import * as z from 'zod/mini';
import { Deleted, describe, Email, Id, resource, single, Timestamp } from '../envelope.ts';
import { MEMBER_ROLES } from '../roles.ts';
import { route } from '../route.ts';

/** The maximum number of members and open invitations of an account, counted together. */
export const MAX_MEMBERS = 50;
/** The maximum number of other accounts that a login may be a member of. */
export const MAX_MEMBERSHIPS = 50;
/** The number of days after which an invitation expires. */
export const INVITATION_DAYS = 7;

const Role = () => z.enum(MEMBER_ROLES);

const Member = resource('Member', () =>
  z.object({
    id: describe(z.string(), 'The id of the login, as the audit log shows it'),
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
    invitedBy: describe(z.nullable(z.string()), 'Email address of the owner who sent the invitation'),
    createdAt: Timestamp(),
    expiresAt: Timestamp(),
    emailedAt: describe(z.nullable(Timestamp()), 'When the invitation was emailed; null if it was not'),
  }),
);

/** A new invitation. Only this response contains its link. */
const NewInvitation = resource('NewInvitation', () =>
  z.extend(Invitation(), {
    link: describe(z.string(), 'The link to send to the invited person. It is shown only once.'),
    isEmailed: describe(
      z.boolean(),
      'True if the link is also sent by email. False if the installation sends no email, or the address was sent an invitation within the last hour.',
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
  summary: 'Create a new link for an invitation; the previous link stops working',
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
  // The login's own account may be suspended or waiting for its deletion. The account that invites may not (domain/accounts/invitations.ts).
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
  summary: 'Change the role of a member; an account keeps at least one owner',
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
  summary: 'Remove a member: their next request is refused. API keys that they created keep working',
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
  summary: 'Leave the account named in `X-Account-Id`. The last owner cannot leave',
  tag,
  response: Deleted,
});
