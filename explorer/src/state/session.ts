import { type Signal, signal } from "@preact/signals";
import { createContext } from "preact";
import { type About, readAbout } from "../client/about.ts";
import { type Credential, Credentials } from "../client/credentials.ts";
import { ServiceClient } from "../client/service-client.ts";
import type { ServiceError } from "../client/service-error.ts";
import type { SignIn } from "../client/sign-in.ts";
import { type Model, readMetadata } from "../model/model.ts";
import { parseXml } from "../model/parse-xml.ts";
import { Toasts } from "./toasts.ts";
import { type View, hrefOf, parseFragment } from "./view.ts";

/** What is known once the service has answered. */
export interface Service {
  readonly model: Model;
  readonly about: About;
  /** The visit in which it answered. */
  readonly visitOfAnswer: number;
}

/** The colours of the page: those of the system, or those that the reader chose. */
export type Theme = "auto" | "light" | "dark";

/** Why the page asks to sign in. */
export interface SignInRequest {
  /** The answer that asks for it; null if the reader does. */
  readonly error: ServiceError | null;
}

/** The state of the page. `main` makes one. */
export interface Session {
  readonly client: ServiceClient;
  readonly credentials: Credentials;
  /** How users sign in; null if the challenge of the service decides. */
  readonly signIn: SignIn | null;
  /** Why the page asks to sign in; null if it does not. */
  readonly signInRequest: Signal<SignInRequest | null>;
  /** Counts changes that the screen must read. */
  readonly changes: Signal<number>;
  /** Counts users: what the page shows and what was typed ends with a visit. */
  readonly visit: Signal<number>;
  readonly view: Signal<View>;
  readonly theme: Signal<Theme>;
  /** What a screen reader says next: counts and results. */
  readonly announcement: Signal<string>;
  readonly toasts: Toasts;
  /** Says something to readers who do not see the page change. */
  readonly announce: (text: string) => void;
  /** Shows a view. With `replace`, the back button does not return to the view that is left. */
  readonly go: (view: View, choices?: { readonly replace?: boolean }) => void;
  /** Reads what the screen shows again. */
  readonly refresh: () => void;
  /**
   * Uses a credential, and reads the model again; null signs out. A user whom the service asked to sign in goes on with the
   * same visit.
   */
  readonly signInWith: (credential: Credential | null) => void;
}

/** A session whose service has answered. */
export interface OpenSession extends Session, Service {}

/** What a screen gets. */
export interface ScreenProps {
  readonly session: OpenSession;
  readonly view: View;
}

/** Makes the state of the page, which follows the fragment of its URL. */
export function makeSession(root: string, signIn: SignIn | null): Session {
  const credentials = new Credentials();
  const signInRequest = signal<SignInRequest | null>(null);
  const view = signal(parseFragment(location.hash));
  const announcement = signal("");
  const [changes, visit] = [signal(0), signal(0)];
  addEventListener("hashchange", () => {
    view.value = parseFragment(location.hash);
  });
  return {
    client: new ServiceClient(root, credentials, {
      withCookies: signIn?.kind !== "basic" && signIn?.kind !== "key",
      onUnauthorized: (error) => {
        signInRequest.value = { error };
      },
    }),
    credentials,
    signIn,
    signInRequest,
    changes,
    visit,
    view,
    theme: signal<Theme>("auto"),
    announcement,
    toasts: new Toasts(),
    announce: (text) => {
      announcement.value = text;
    },
    go: (next, choices = {}) => {
      if (choices.replace === true) history.replaceState(history.state, "", hrefOf(next));
      else history.pushState(null, "", hrefOf(next));
      view.value = next;
    },
    refresh: () => {
      changes.value += 1;
    },
    signInWith: (credential) => {
      if (credential === null || signInRequest.value?.error === null) visit.value += 1;
      credentials.set(credential);
      signInRequest.value = null;
    },
  };
}

/**
 * Reads the model of the service.
 * @throws ServiceError, NetworkError, Error for metadata that cannot be read
 */
export async function openService({ client, visit }: Session, signal: AbortSignal): Promise<Service> {
  const visitOfAnswer = visit.value;
  const [about, metadata] = await Promise.all([
    readAbout(client, signal),
    client.get("$metadata", { signal, accept: "application/xml" }),
  ]);
  return { about, model: readMetadata(parseXml(String(metadata.body))), visitOfAnswer };
}

/** Passes the session to parts that are far below a screen. */
export const SessionContext = createContext<OpenSession | null>(null);
