import { signal } from "@preact/signals";

/** How a reader proves who they are. */
export type Credential =
  | { readonly kind: "key"; readonly header: string; readonly key: string }
  | { readonly kind: "basic"; readonly name: string; readonly password: string }
  | {
      readonly kind: "bearer";
      readonly token: string;
      /** Who signed in, if it is known. */ readonly name: string | null;
    };

/** Keeps what a reader signed in with: in memory only, so that it ends with the page. */
export class Credentials {
  /** The credential; null if nobody has signed in. */
  current: Credential | null = null;
  /** Who signed in; null if nobody has. */
  readonly user = signal<string | null>(null);
  /** How often the credential was set: what was read before may be of another user. */
  readonly changes = signal(0);

  /** The headers that requests carry. */
  get headers(): Readonly<Record<string, string>> {
    return headersOf(this.current);
  }

  set(credential: Credential | null): void {
    this.current = credential;
    this.user.value = credential && nameOf(credential);
    this.changes.value += 1;
  }
}

function nameOf(credential: Credential): string {
  return credential.kind === "key" ? "API key" : (credential.name ?? "Signed in");
}

function headersOf(credential: Credential | null): Readonly<Record<string, string>> {
  switch (credential?.kind) {
    case undefined:
      return {};
    case "key":
      return { [credential.header]: credential.key };
    case "basic":
      return { Authorization: `Basic ${base64(`${credential.name}:${credential.password}`)}` };
    case "bearer":
      return { Authorization: `Bearer ${credential.token}` };
  }
}

/** Names and passwords are UTF-8. @see RFC 7617, section 2.1 */
function base64(text: string): string {
  return btoa(String.fromCodePoint(...new TextEncoder().encode(text)));
}
