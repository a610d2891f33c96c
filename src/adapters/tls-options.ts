import { checkOptions, describe, isObject, type OptionTable } from "../definition/option-table.ts";
import type { ConfigurationFault } from "../errors/configuration-error.ts";

/** The certificate of `serve`. @see docs/guides/production.md, TLS and HTTP/2 */
export interface TlsOptions {
  /** The certificate and its chain in PEM, or the path of a file with them. */
  readonly cert: string | Uint8Array;
  /** The private key in PEM, or the path of a file with it. */
  readonly key: string | Uint8Array;
  /** The passphrase of the private key, if it has one. */
  readonly passphrase?: string | undefined;
  /** The lowest version of TLS; `TLSv1.2` if absent. */
  readonly minVersion?: "TLSv1.2" | "TLSv1.3" | undefined;
}

/** The resolved options of `tls`. */
export interface TlsSettings {
  readonly cert: string;
  readonly key: string;
  readonly passphrase?: string;
  readonly minVersion: "TLSv1.2" | "TLSv1.3";
}

const TABLE: OptionTable<keyof TlsOptions> = Object.freeze({
  cert: { kind: "any" },
  key: { kind: "any" },
  passphrase: { kind: "text" },
  minVersion: { kind: "choice", values: ["TLSv1.2", "TLSv1.3"] },
});

/**
 * Reads certificate and key.
 * @param faults receives a sentence for each fault. None contains a part of the key
 * @returns null without TLS, and with faults
 */
export function resolveTls(tls: unknown, faults: ConfigurationFault[]): TlsSettings | null {
  if (tls === undefined) return null;
  if (!isObject(tls)) {
    const message = `\`tls\` of serve cannot be ${describe(tls)}.`;
    faults.push({ message, fix: "Give an object such as { cert, key }." });
    return null;
  }
  const before = faults.length;
  faults.push(...checkOptions(TABLE, tls, "tls", {}));
  const cert = readPem("cert", tls["cert"], faults);
  const key = readPem("key", tls["key"], faults);
  if (faults.length > before) return null;
  const { passphrase, minVersion = "TLSv1.2" } = tls as Partial<TlsSettings>;
  const settings: TlsSettings = { cert, key, minVersion, ...(passphrase === undefined ? {} : { passphrase }) };
  try {
    process.getBuiltinModule("node:tls").createSecureContext(settings);
    return settings;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `\`tls\` of serve has a certificate or a key that cannot be used: ${reason}.`;
    faults.push({
      message,
      fix: "Give the certificate in `cert`, its own private key in `key`, and its `passphrase`.",
    });
    return null;
  }
}

/** Returns PEM as it is, and the content of a file for any other text. */
function readPem(name: "cert" | "key", value: unknown, faults: ConfigurationFault[]): string {
  const fix = `Give PEM, which begins with -----BEGIN, or the path of a file with it.`;
  const text = value instanceof Uint8Array ? new TextDecoder().decode(value) : value;
  if (typeof text !== "string" || text === "") {
    faults.push({ message: `\`${name}\` of tls cannot be ${describe(value)}.`, fix });
    return "";
  }
  if (text.includes("-----BEGIN ")) return text;
  // Bytes are not a path, and a text with line breaks is a key without its first line.
  const content = value instanceof Uint8Array || text.includes("\n") ? undefined : contentOf(text);
  if (content?.includes("-----BEGIN ") === true) return content;
  const problem = content === undefined ? "is neither PEM nor the path of a readable file" : "is a file without PEM";
  faults.push({ message: `\`${name}\` of tls ${problem}.`, fix });
  return "";
}

function contentOf(path: string): string | undefined {
  try {
    return process.getBuiltinModule("node:fs").readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
