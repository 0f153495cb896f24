/** The plan of an account that has bought no application plan, or has one no longer. */
export const DEFAULT_PLAN = { slug: 'app-1', name: 'App 1', appLimit: 1 };
