const toRegExp = (pattern: string, flags: string): RegExp =>
  new RegExp(
    `^${pattern
      .replace(/[\\^$.+()[\]{}|]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    flags,
  );

/** Returns true if an action matches an action of a policy, with `*` and `?` as wildcards. IAM ignores the case of actions. */
export const matchesAction = (pattern: string, action: string): boolean => toRegExp(pattern, 'is').test(action);

/** Returns true if a resource matches a resource of a policy, with `*` and `?` as wildcards. */
export const matchesResource = (pattern: string, resource: string): boolean => toRegExp(pattern, 's').test(resource);
