/** What an account has that has bought no application plan, or no longer has one. */
export const FIRST_PLAN = { slug: 'app-1', name: 'App 1', appLimit: 1 };
