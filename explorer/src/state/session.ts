import { type Signal, signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { type About, readAbout } from "../client/about.ts";
import { type Credential, Credentials } from "../client/credentials.ts";
import { ServiceClient } from "../client/service-client.ts";
import type { ServiceError } from "../client/service-error.ts";
import type { SignIn } from "../client/sign-in.ts";
import type { Model } from "../model/model.ts";
import { parseXml } from "../model/parse-xml.ts";
import { readMetadata } from "../model/read-metadata.ts";
import { Toasts } from "./toasts.ts";
import { type View, hrefOf, parseFragment } from "./view.ts";

/** What is known once the service has answered. */
export interface Service {
  readonly model: Model;
  readonly about: About;
}

/** The colours of the page: those of the system, or those that the reader chose. */
export type Theme = "auto" | "light" | "dark";

/** Why the page asks to sign in. */
export interface SignInRequest {
  /** The answer that asks for it; null if the reader does. */
  readonly error: ServiceError | null;
}

/** The state of the page. `main` makes one, and screens get it as a property. */
export class Session {
  readonly client: ServiceClient;
  readonly credentials = new Credentials();
  /** How users sign in; null if the challenge of the service decides. */
  readonly signIn: SignIn | null;
  readonly view: Signal<View>;
  readonly theme: Signal<Theme> = signal("auto");
  /** What a screen reader says next: counts and results. */
  readonly announcement: Signal<string> = signal("");
  readonly toasts = new Toasts();
  /** Why the page asks to sign in; null if it does not. */
  readonly signInRequest: Signal<SignInRequest | null> = signal(null);

  constructor(root: string, signIn: SignIn | null) {
    this.signIn = signIn;
    this.client = new ServiceClient(root, this.credentials, {
      withCookies: signIn?.kind !== "basic" && signIn?.kind !== "key",
      onUnauthorized: (error) => {
        this.signInRequest.value = { error };
      },
    });
    this.view = signal(parseFragment(location.hash));
    addEventListener("hashchange", () => {
      this.view.value = parseFragment(location.hash);
    });
  }

  /**
   * Shows a view.
   * @param choices `replace`: the back button does not return to the view that is left
   */
  go(view: View, choices: { readonly replace?: boolean } = {}): void {
    const href = hrefOf(view);
    if (choices.replace === true) history.replaceState(history.state, "", href);
    else history.pushState(null, "", href);
    this.view.value = view;
  }

  /** Uses a credential, and reads the model again; null signs out. */
  signInWith(credential: Credential | null): void {
    this.credentials.set(credential);
    this.signInRequest.value = null;
  }

  /** Says something to readers who do not see the page change. */
  announce(text: string): void {
    this.announcement.value = text;
  }

  /**
   * Reads the model of the service.
   * @throws ServiceError, NetworkError, Error for metadata that cannot be read
   */
  async open(signal: AbortSignal): Promise<Service> {
    const [about, metadata] = await Promise.all([
      readAbout(this.client, signal),
      this.client.get("$metadata", { signal, accept: "application/xml" }),
    ]);
    return { about, model: readMetadata(parseXml(String(metadata.body))) };
  }
}

/** What a screen gets. */
export interface ScreenProps {
  readonly session: OpenSession;
  readonly view: View;
}

/** A session whose service has answered. */
export interface OpenSession extends Pick<
  Session,
  "client" | "credentials" | "signIn" | "signInRequest" | "view" | "toasts" | "announce" | "go" | "signInWith"
> {
  readonly model: Model;
  readonly about: About;
}

/** Joins a session and what its service has answered. */
export function openSession(session: Session, { model, about }: Service): OpenSession {
  const { client, credentials, signIn, signInRequest, view, toasts } = session;
  return {
    client,
    credentials,
    signIn,
    signInRequest,
    view,
    toasts,
    model,
    about,
    announce: (text) => session.announce(text),
    signInWith: (credential) => session.signInWith(credential),
    go: (target, choices) => session.go(target, choices),
  };
}

/** Passes the session to parts that are far below a screen. */
export const SessionContext = createContext<OpenSession | null>(null);

/**
 * Returns the session.
 * @throws Error outside of the page
 */
export function useSession(): OpenSession {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("useSession works below SessionContext only.");
  return session;
}
