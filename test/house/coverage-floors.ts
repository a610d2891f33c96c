/**
 * The share of branches that tests must run in each room of `src/`, in percent. `npm run test:all` fails below it. Floors
 * only rise: raise one when its room is above it, and never lower one.
 */
export const BRANCH_FLOORS: Readonly<Record<string, number>> = {
  adapters: 90,
  base: 93,
  binder: 95,
  csdl: 93,
  definition: 93,
  edm: 93,
  endpoints: 92,
  errors: 91,
  execution: 88,
  http: 93,
  introspect: 56,
  json: 91,
  kysely: 52,
  "kysely/dialects": 34,
  memory: 93,
  openapi: 93,
  payload: 96,
  plan: 96,
  query: 94,
  service: 82,
  sets: 85,
  syntax: 97,
};
