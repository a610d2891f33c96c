import { type Signal, signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { type About, readAbout } from "../client/about.ts";
import { Credentials } from "../client/credentials.ts";
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
  /** The last answer that asked to sign in; null after a sign-in. */
  readonly unauthorized: Signal<ServiceError | null> = signal(null);

  constructor(root: string, signIn: SignIn | null) {
    this.signIn = signIn;
    this.client = new ServiceClient(root, this.credentials, (error) => {
      this.unauthorized.value = error;
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
  "client" | "credentials" | "view" | "toasts" | "announce" | "go" | "unauthorized"
> {
  readonly model: Model;
  readonly about: About;
}

/** Joins a session and what its service has answered. */
export function openSession(session: Session, { model, about }: Service): OpenSession {
  const { client, credentials, view, toasts, unauthorized } = session;
  return {
    client,
    credentials,
    view,
    toasts,
    unauthorized,
    model,
    about,
    announce: (text) => {
      session.announce(text);
    },
    go: (target, choices) => {
      session.go(target, choices);
    },
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
