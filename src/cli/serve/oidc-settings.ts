import type { Invocation } from "../command.ts";
import { usageProblem, type Problem } from "../problem.ts";

/** Whose tokens a service accepts. */
export interface OidcSettings {
  readonly issuer: string;
  readonly audience: string;
  /** The path of the claim with the roles; null for none. */
  readonly rolesClaim: string | null;
}

const NAMES = ["issuer", "audience", "roles-claim"] as const;

/** Reads the options of `--auth oidc`. @returns null without it, or all their problems */
export function readOidcSettings(options: Invocation["options"]): OidcSettings | readonly Problem[] | null {
  const given = NAMES.filter((name) => options[name] !== undefined);
  if (options["auth"] !== "oidc") {
    return given.length === 0
      ? null
      : given.map((name) => usageProblem(`\`--${name}\` needs \`--auth oidc\`.`, "Add it, or remove the option."));
  }
  const text = (name: (typeof NAMES)[number]): string => {
    const value = options[name];
    return typeof value === "string" ? value : "";
  };
  const issuer = text("issuer");
  const problems: Problem[] = [];
  if (issuer === "" || !isSafeAddress(issuer)) {
    const found = issuer === "" ? "`--auth oidc` needs `--issuer`." : `\`--issuer\` is ${JSON.stringify(issuer)}.`;
    problems.push(usageProblem(found, "Write the address of the issuer, with https, as its tokens name it."));
  }
  if (text("audience") === "") {
    const fix = "Write the audience that the tokens for this service have, so that tokens for others are refused.";
    problems.push(usageProblem("`--auth oidc` needs `--audience`.", fix));
  }
  if (problems.length > 0) return problems;
  return { issuer, audience: text("audience"), rolesClaim: text("roles-claim") || null };
}

/** Returns whether nobody on the way can replace what an address returns. */
export function isSafeAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" || (protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname));
}
