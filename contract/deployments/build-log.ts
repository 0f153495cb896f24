/** Beginning of the lines that start a section of a deployment's log. */
export const SECTION = '==> ';

/** The line that ends the log of a successful deployment. */
export const LIVE_LINE = `${SECTION}The new release is live`;

/** Beginning of the line that ends the log of a failed deployment. The reason follows. */
export const FAILURE = `${SECTION}Deployment failed: `;
