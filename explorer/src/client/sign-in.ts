import { memberOf, textIn } from "./json-members.ts";

/** How users sign in, as the HTML of the page says. */
export type SignIn =
  | { readonly kind: "key" | "basic" | "bearer" }
  | {
      readonly kind: "oidc";
      /** The URL of the issuer. */
      readonly issuer: string;
      readonly clientId: string;
      /** Separated by spaces. */
      readonly scope: string;
    };

const WAYS = ["key", "basic", "bearer"] as const;

/** Reads what the HTML says. Without it, the challenge of the service decides. */
export function readSignIn(text: string | null): SignIn | null {
  if (text === null) return null;
  const stated: unknown = JSON.parse(text);
  const [issuer, clientId] = [textIn(stated, "issuer"), textIn(stated, "clientId")];
  if (issuer !== null && clientId !== null) {
    return { kind: "oidc", issuer, clientId, scope: textIn(stated, "scope") ?? "openid" };
  }
  const kind = WAYS.find((way) => way === memberOf(stated, "kind"));
  return kind === undefined ? null : { kind };
}
