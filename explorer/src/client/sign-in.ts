import { memberOf } from "./json-members.ts";

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
  const [issuer, clientId] = [memberOf(stated, "issuer"), memberOf(stated, "clientId")];
  if (typeof issuer === "string" && typeof clientId === "string") {
    const scope = memberOf(stated, "scope");
    return { kind: "oidc", issuer, clientId, scope: typeof scope === "string" ? scope : "openid" };
  }
  const kind = WAYS.find((way) => way === memberOf(stated, "kind"));
  return kind === undefined ? null : { kind };
}
