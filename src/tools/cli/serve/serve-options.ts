import type { CommandOption } from "../command.ts";

const inFile = { default: null, inFile: true } as const;

/** The options of `odatakit serve` that `odatakit.json` may also contain, except options that choose the published parts. */
export const SERVE_OPTIONS: Readonly<Record<string, CommandOption>> = {
  host: { ...inFile, type: "string", value: "<address>", default: "127.0.0.1", summary: "where to listen" },
  port: {
    ...inFile,
    type: "string",
    value: "<port>",
    default: "3000, or the next free one up to 3009",
    summary: "the TCP port; 0 lets the system choose",
  },
  prefix: { ...inFile, type: "string", value: "<path>", default: "/odata", summary: "the path of the service" },
  profile: {
    ...inFile,
    type: "string",
    value: "standard|specification",
    default: "standard",
    summary: "whose rules decide where the standard leaves a choice",
  },
  "max-top": { ...inFile, type: "string", value: "<rows>", default: "1000", summary: "the most entities of a page" },
  timeout: {
    ...inFile,
    type: "string",
    value: "<time>",
    default: "10s",
    summary: "how long a statement may run, such as 500ms, 10s or 2m",
  },
  "max-body": {
    ...inFile,
    type: "string",
    value: "<size>",
    default: "1MiB with --write",
    summary: "the longest body of a request that writes, such as 65536, 500kB or 2MiB",
  },
  pool: {
    ...inFile,
    type: "string",
    value: "<connections>",
    default: "5",
    summary: "the most connections to a server",
  },
  paging: {
    ...inFile,
    type: "string",
    value: "keyset|offset",
    default: "keyset",
    summary: "how next links find the next page; keyset uses ODATAKIT_SECRET",
  },
  search: {
    ...inFile,
    type: "string",
    value: "<rows>|off",
    default: "100000",
    summary: "$search reads tables below so many estimated rows",
  },
  "indexed-only": {
    ...inFile,
    type: "boolean",
    value: null,
    summary: "refuse $apply, and $filter and $orderby by properties without an index",
  },
  write: {
    ...inFile,
    type: "list",
    value: "<Set,Set>",
    isValueOptional: true,
    summary: "let requests write these sets, or all with a primary key; needs --auth",
  },
  auth: {
    ...inFile,
    type: "string",
    value: "key|basic|oidc",
    summary: "ask for an API key of ODATAKIT_API_KEYS, a user of ODATAKIT_USERS_FILE, or a token of --issuer",
  },
  issuer: { ...inFile, type: "string", value: "<url>", summary: "the issuer of the tokens of --auth oidc" },
  audience: { ...inFile, type: "string", value: "<name>", summary: "the audience that these tokens must have" },
  "roles-claim": {
    ...inFile,
    type: "string",
    value: "<path>",
    summary: "the claim with the roles read and write, such as realm_access.roles",
  },
  "client-id": { ...inFile, type: "string", value: "<id>", summary: "the client of the explorer at the issuer" },
  anonymous: {
    ...inFile,
    type: "boolean",
    value: null,
    summary: "let everybody read, although --host is reachable for others",
  },
  "trust-proxy": {
    ...inFile,
    type: "boolean",
    value: null,
    summary: "believe the Forwarded headers of a proxy in front",
  },
  cors: { ...inFile, type: "list", value: "<origin>", summary: "let pages of this origin read responses" },
  "no-explorer": { ...inFile, type: "boolean", value: null, summary: "do not serve the explorer" },
  "no-openapi": { ...inFile, type: "boolean", value: null, summary: "do not serve openapi.json" },
  watch: {
    ...inFile,
    type: "string",
    value: "<interval>|off",
    default: "10s, or off if others reach --host",
    summary: "how often to look for changes of the schema",
  },
};
