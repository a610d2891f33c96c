import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import { checkOptions, describe, type OptionTable } from "../../definition/option-table.ts";

/** How users of the explorer sign in. The page keeps their credentials in memory alone. @see docs/reference/explorer.md */
export interface SignIn {
  /** An API key, a name with a password, a token to paste, or the page of an issuer (OpenID Connect with PKCE). */
  readonly kind: "key" | "basic" | "bearer" | "oidc";
  /** The URL of the issuer, for `oidc`. */
  readonly issuer?: string | undefined;
  /** The client id of the explorer at the issuer, for `oidc`. */
  readonly clientId?: string | undefined;
  /** The scopes for `oidc`, separated by blanks; `openid` if absent. */
  readonly scope?: string | undefined;
}

const KIND = { kind: { kind: "choice", values: ["key", "basic", "bearer", "oidc"] } } as const;
const OIDC: OptionTable<keyof SignIn> = {
  ...KIND,
  issuer: { kind: "text" },
  clientId: { kind: "text" },
  scope: { kind: "text" },
};
const OWNER = "`signIn` of explorerRoute";
const EXAMPLE = '{ kind: "oidc", issuer: "https://login.example.com", clientId: "explorer" }';

/** Checks `signIn` of `explorerRoute`. */
export function* checkSignIn(
  signIn: Readonly<Record<string, unknown>>,
  place: { readonly route: string },
): Iterable<ConfigurationFault> {
  const { kind, issuer, clientId } = signIn;
  const isOidc = kind === "oidc";
  const beside = Object.keys(OIDC);
  const elsewhere = { table: OIDC, example: () => `Only the kind oidc has it, as in ${EXAMPLE}.`, beside };
  yield* checkOptions(isOidc ? OIDC : KIND, signIn, OWNER, place, elsewhere);
  if (kind === undefined) {
    yield { ...place, message: `${OWNER} has no \`kind\`.`, fix: "Give key, basic, bearer or oidc." };
  }
  if (!isOidc) return;
  if (issuer === undefined || clientId === undefined) {
    yield { ...place, message: `${OWNER} needs \`issuer\` and \`clientId\`.`, fix: `Write ${EXAMPLE}.` };
  }
  if (typeof issuer === "string" && !isIssuer(issuer)) {
    const fix = "Give an https URL without a query, or an http URL of this machine.";
    yield { ...place, message: `\`issuer\` of ${OWNER} cannot be ${describe(issuer)}.`, fix };
  }
}

/** Tokens must not travel without TLS. @see https://openid.net/specs/openid-connect-core-1_0.html */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text) || /[?#\s;,']/u.test(text)) return false;
  const { protocol, hostname, username } = new URL(text);
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  return username === "" && (protocol === "https:" || (protocol === "http:" && isLocal));
}
