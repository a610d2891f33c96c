/**
 * The share of branches that tests must run in each room of `src/`, in percent. `npm run test:all` fails below it. Floors
 * only rise: raise one when its room is above it, and never lower one.
 */
export const BRANCH_FLOORS: Readonly<Record<string, number>> = {
  adapters: 93,
  base: 95,
  binder: 95,
  csdl: 99,
  definition: 95,
  edm: 96,
  endpoints: 92,
  errors: 91,
  execution: 90,
  http: 94,
  introspect: 93,
  json: 93,
  kysely: 89,
  "kysely/dialects": 93,
  memory: 94,
  openapi: 93,
  payload: 96,
  plan: 96,
  query: 94,
  service: 93,
  sets: 93,
  syntax: 98,
};
