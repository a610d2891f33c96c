import { type ReadonlySignal, type Signal, computed, signal } from "@preact/signals";

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
  readonly #current: Signal<Credential | null> = signal(null);
  readonly #changes: Signal<number> = signal(0);
  /** Who signed in; null if nobody has. */
  readonly user: ReadonlySignal<string | null> = computed(() => {
    const credential = this.#current.value;
    return credential === null ? null : nameOf(credential);
  });

  /** The headers that requests carry. */
  get headers(): Readonly<Record<string, string>> {
    const credential = this.#current.peek();
    return credential === null ? {} : headersOf(credential);
  }

  /** The credential; null if nobody has signed in. */
  get current(): Credential | null {
    return this.#current.peek();
  }

  /** How often the credential was set: what was read before may be of another user. */
  get changes(): ReadonlySignal<number> {
    return this.#changes;
  }

  set(credential: Credential | null): void {
    this.#current.value = credential;
    this.#changes.value += 1;
  }
}

function nameOf(credential: Credential): string {
  switch (credential.kind) {
    case "key":
      return "API key";
    case "basic":
      return credential.name;
    case "bearer":
      return credential.name ?? "Signed in";
  }
}

function headersOf(credential: Credential): Readonly<Record<string, string>> {
  switch (credential.kind) {
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
