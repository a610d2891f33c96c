import { textIn } from "./json-members.ts";

/** The credential of a reader: in memory only, so that it ends with the page. */
export interface Credential {
  /** Who signed in, in words for the reader. */
  readonly user: string;
  /** Tells users apart, without a secret; null if the browser cannot, so that each sign-in counts as another user. */
  readonly id: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** A provider of OpenID Connect. */
export interface Provider {
  readonly kind: "oidc";
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
}

/** How users sign in: with an API key, a name and a password, a token, or at a provider. */
export type SignIn = { readonly kind: "key" | "basic" | "bearer" } | Provider;

/** Reads the way to sign in from the HTML of the page; null if the page asks no user to sign in. */
export function readSignIn(text: string | null): SignIn | null {
  const stated: unknown = JSON.parse(text ?? "null");
  const [kind, issuer, clientId] = [textIn(stated, "kind"), textIn(stated, "issuer"), textIn(stated, "clientId")];
  if (kind === "key" || kind === "basic" || kind === "bearer") return { kind };
  if (issuer === null || clientId === null) return null;
  return { kind: "oidc", issuer, clientId, scope: textIn(stated, "scope") ?? "openid" };
}

/** Makes the credential for a service from the texts that a reader entered. @param subject who it is, if a provider says so */
export async function toCredential(
  { kind, service }: { readonly kind: SignIn["kind"]; readonly service: string },
  user: string,
  secret: string,
  subject = secret,
): Promise<Credential> {
  const id = kind === "basic" ? user : await digestOf(`${service} ${kind} ${subject}`);
  if (kind === "key") return { user: "API key", id, headers: { "X-Api-Key": secret } };
  // Names and passwords are UTF-8. @see RFC 7617, section 2.1
  const basic = `Basic ${base64(new TextEncoder().encode(`${user}:${secret}`))}`;
  const headers = { Authorization: kind === "basic" ? basic : `Bearer ${secret}` };
  return { user: user === "" ? "Signed in" : user, id, headers };
}

/** Returns a part of a digest, too short to hold the text; null on a page without TLS of another host, where browsers make none. */
async function digestOf(text: string): Promise<string | null> {
  const { subtle }: Partial<typeof crypto> = crypto;
  if (subtle === undefined) return null;
  const digest = await subtle.digest("SHA-256", new TextEncoder().encode(text));
  return base64(new Uint8Array(digest).slice(0, 6));
}

/** Writes bytes as base64. */
export function base64(bytes: Uint8Array): string {
  return btoa(String.fromCodePoint(...bytes));
}
