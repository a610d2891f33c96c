import { textIn } from "./json-members.ts";

/** The credential of a reader: in memory only, so that it ends with the page. */
export interface Credential {
  /** Who signed in, in words for the reader. */
  readonly user: string;
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

/** Makes the credential from the texts that a reader entered. */
export function toCredential(kind: SignIn["kind"], user: string, secret: string): Credential {
  if (kind === "key") return { user: "API key", headers: { "X-Api-Key": secret } };
  // Names and passwords are UTF-8. @see RFC 7617, section 2.1
  const basic = `Basic ${base64(new TextEncoder().encode(`${user}:${secret}`))}`;
  const headers = { Authorization: kind === "basic" ? basic : `Bearer ${secret}` };
  return { user: user === "" ? "Signed in" : user, headers };
}

/** Writes bytes as base64. */
export function base64(bytes: Uint8Array): string {
  return btoa(String.fromCodePoint(...bytes));
}
