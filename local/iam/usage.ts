import { isObject, type JsonObject } from '../template/intrinsics.ts';
import type { Statement } from './policies.ts';

/** One granted right: an action of a role on one resource of its policies, with its conditions. */
export interface GrantedRight {
  role: string;
  action: string;
  resource: string;
  condition?: JsonObject;
}

/** The rights of a run's roles, and which of them a request has used. */
export interface Usage {
  /** Notes that a request was allowed by these statements. */
  note(role: string, access: { action: string; resource: string }, statements: readonly Statement[]): void;
  /** Returns all granted rights. */
  granted(): GrantedRight[];
  /** Returns the keys ({@link rightKey}) of those that were used. */
  used(): string[];
}

/** Returns true if a text matches a pattern of IAM with `*` and `?`. Actions are compared regardless of case. */
export const matchesPattern = (pattern: string, text: string): boolean =>
  pattern === text ||
  (/[*?]/.test(pattern) &&
    new RegExp(
      `^${pattern
        .replace(/[\\^$.+()[\]{}|]/g, '\\$&')
        .replaceAll('*', '.*')
        .replaceAll('?', '.')}$`,
      'i',
    ).test(text));

/** Returns a text that identifies a right. */
export const rightKey = ({ role, action, resource, condition }: GrantedRight): string =>
  [role.split('/').at(-1), action, resource, ...(condition ? [JSON.stringify(condition)] : [])].join(' ');

const rightOf = (role: string, action: string, resource: string, { document }: Statement): GrantedRight => {
  const { Condition: condition } = document;
  return { role, action, resource, ...(isObject(condition) ? { condition } : {}) };
};

/** Opens the count of rights that a run's requests use. */
export function createUsage(roles: ReadonlyMap<string, readonly Statement[]>): Usage {
  const used = new Set<string>();
  return {
    note(role, access, statements) {
      for (const statement of statements) {
        for (const action of statement.actions.filter((each) => matchesPattern(each, access.action))) {
          for (const resource of statement.resources.filter((each) => matchesPattern(each, access.resource))) {
            used.add(rightKey(rightOf(role, action, resource, statement)));
          }
        }
      }
    },
    granted: () =>
      [...roles].flatMap(([role, statements]) =>
        statements
          .filter(({ effect }) => effect === 'Allow')
          .flatMap((statement) =>
            statement.actions.flatMap((action) =>
              statement.resources.map((resource) => rightOf(role, action, resource, statement)),
            ),
          ),
      ),
    used: () => [...used],
  };
}
