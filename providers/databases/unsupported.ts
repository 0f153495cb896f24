const GUIDE =
  'https://docs.aws.amazon.com/aurora-dsql/latest/userguide/working-with-postgresql-compatibility-migration-guide.html';

/** Matches the errors of Aurora DSQL, and those of the local run, about features of PostgreSQL that it lacks. */
export const UNSUPPORTED =
  /Aurora DSQL does not support |unsupported (?:statement|mode|transaction statement|ALTER TABLE)\b|not supported in (?:a|the same) transaction|(?:datatype|setting configuration parameter|function pg_|CREATE (?:TYPE|TRIGGER)).* not supported|type "\w*serial" does not exist/;

/** Advice for such an error. */
export const UNSUPPORTED_ADVICE = `The databases are Aurora DSQL, which lacks some features of PostgreSQL: ${GUIDE}`;
