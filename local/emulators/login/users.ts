import { randomBytes, randomUUID, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import * as z from 'zod';
import { openState } from '../state.ts';

const User = z.object({
  subject: z.string(),
  email: z.string(),
  name: z.string(),
  salt: z.string(),
  hash: z.string(),
  /** The user's groups in the user pool. */
  groups: z.optional(z.array(z.string())),
  /** True if the user's password is temporary, after an administrator created the user. It cannot be used to sign in. */
  temporary: z.optional(z.boolean()),
  /** Unix time in milliseconds; absent for users of earlier versions. */
  createdAt: z.optional(z.number()),
});
export type User = z.output<typeof User>;

export interface NewUser {
  email: string;
  name: string;
  /** Absent if an administrator creates the user. */
  password?: string;
  groups?: string[];
}

/** The users that can sign in. */
export interface Users {
  bySubject(subject: string): User | undefined;
  byEmail(email: string): User | undefined;
  /** Returns the user with this email address and password. */
  signIn(email: string, password: string): Promise<User | undefined>;
  /** Adds a user and returns it; undefined if the email address is in use. */
  add(user: NewUser): Promise<User | undefined>;
  /** Deletes a user. Returns false if the user does not exist. */
  remove(subject: string): boolean;
  /** Replaces the password of the user with this email address, if the user exists. */
  setPassword(user: { email: string; password: string }, temporary?: boolean): Promise<void>;
  /** Returns the user with this email address. Adds the user if it does not exist. */
  ensure(user: NewUser): Promise<User>;
}

const derive = promisify<string, string, number, Buffer>(scrypt);
const hashOf = (password: string, salt: string): Promise<Buffer> => derive(password, salt, 32);

/** Returns the salt and hash that are stored for a password. */
async function hashPassword(password: string): Promise<Pick<User, 'salt' | 'hash'>> {
  const salt = randomBytes(16).toString('hex');
  return { salt, hash: (await hashOf(password, salt)).toString('hex') };
}

/** Opens the users' file. Passwords are stored as scrypt hashes. */
export function openUsers(file: string): Users {
  const state = openState(file, z.array(User), []);
  const byEmail = (email: string) => state.value.find((user) => user.email === email.trim().toLowerCase());
  const users: Users = {
    bySubject: (subject) => state.value.find((user) => user.subject === subject),
    byEmail,
    async signIn(email, password) {
      const user = byEmail(email);
      // Hashes for an unknown address too, so that the response takes equally long.
      const hash = await hashOf(password, user?.salt ?? '');
      return user && !user.temporary && timingSafeEqual(hash, Buffer.from(user.hash, 'hex')) ? user : undefined;
    },
    async add({ email, name, password, groups }) {
      const secret = await hashPassword(password ?? randomUUID());
      if (byEmail(email)) return undefined;
      const user = {
        subject: randomUUID(),
        email: email.trim().toLowerCase(),
        name: name.trim(),
        ...secret,
        ...(password === undefined ? { temporary: true } : {}),
        createdAt: Date.now(),
        ...(groups ? { groups } : {}),
      };
      state.value.push(user);
      state.save();
      return user;
    },
    remove(subject) {
      const index = state.value.findIndex((user) => user.subject === subject);
      if (index < 0) return false;
      state.value.splice(index, 1);
      state.save();
      return true;
    },
    async setPassword({ email, password }, temporary = false) {
      const secret = await hashPassword(password);
      Object.assign(byEmail(email) ?? {}, secret, { temporary });
      state.save();
    },
    ensure: async (user) => byEmail(user.email) ?? (await users.add(user)) ?? users.ensure(user),
  };
  return users;
}
