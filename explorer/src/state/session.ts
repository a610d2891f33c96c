import { type Signal, signal } from "@preact/signals";
import { createContext, type VNode } from "preact";
import type { About } from "../client/about.ts";
import { ServiceClient } from "../client/service-client.ts";
import type { Credential, SignIn } from "../client/sign-in.ts";
import { readSchema, type XmlElement } from "../model/csdl.ts";
import { inTask } from "../model/later.ts";
import { type Model, toModel } from "../model/model.ts";
import { type Draft, makeDrafts } from "./drafts.ts";
import { KeptViews } from "./kept-views.ts";
import { Toasts } from "./toasts.ts";
import { type View, hrefOf, parseFragment } from "./view.ts";

/** The state of the page. */
export type Session = ReturnType<typeof makeSession>;

/** A session whose model is there. */
export interface OpenSession extends Session {
  /** As the user may use it, as far as that is known. */
  readonly model: Model;
  readonly about: About;
  /** Whether the facts of `about` may still arrive. The page works without them. */
  readonly isAboutLate: boolean;
}

/** The properties of a screen. */
export interface ScreenProps {
  readonly session: OpenSession;
  readonly view: View;
}

/** Makes the state of the page, which follows the fragment of its URL. @param signIn how users sign in, if they do so here */
export function makeSession(root: string, signIn: SignIn | null) {
  const credential = signal<Credential | null>(null);
  const accepted = signal<Credential | null>(null);
  const session = {
    signIn,
    credential,
    /** The last credential that the service accepted: that of the user whose visit this is. */
    accepted,
    client: new ServiceClient(root, () => credential.peek()?.headers ?? {}, {
      // Without cookies, the browser does not show its dialog for a challenge of Basic.
      withCookies: signIn?.kind !== "basic" && signIn?.kind !== "key",
      onAccepted: (headers): void => accept(session, headers),
      onUnauthorized: (refusal: string): void => {
        session.signInRequest.value = signIn && { refusal };
      },
    }),
    /** Why the page asks to sign in: the message of the service, or null if the reader wants to. */
    signInRequest: signal<{ readonly refusal: string | null } | null>(null),
    ...counters(),
    /** The zone in which instants are shown that have no zone of their own. */
    zone: signal<"UTC" | "local">("local"),
    /** The texts of the queries of this visit, the last one first. */
    queries: signal<readonly string[]>([]),
    view: followedFragment(),
    /** The next announcement for screen readers: counts and results. */
    announcement: signal(""),
    toasts: new Toasts(),
    kept: new KeptViews(root, accepted),
    /** What the reader typed and did not send. */
    drafts: makeDrafts(),
    /** The texts of the last user, as long as the service has not said whether somebody else is there. */
    left: null as { readonly user: string | null; readonly drafts: ReadonlyMap<string, Draft> } | null,
    /** A question to the reader, over any screen. */
    dialog: signal<{ readonly content: VNode; readonly end: () => void } | null>(null),
    announce: (text: string): void => {
      session.announcement.value = text;
    },
    /** Shows a view. With `replace`, the back button does not return to the view that is left. */
    go: (view: View, { replace = false }: { readonly replace?: boolean } = {}): void => {
      if (replace) history.replaceState(history.state, "", hrefOf(view));
      else history.pushState(hrefOf(session.view.peek()), "", hrefOf(view));
      session.view.value = view;
    },
    /** Shows a view in place of a form. Where the form was opened there, this goes back, so that the way has the view once. */
    leave: (view: View): void => {
      if (history.state !== hrefOf(view)) return session.go(view, { replace: true });
      history.back();
      session.view.value = view;
    },
    /** Reads the content of the screen again. */
    refresh: (): void => {
      session.changes.value += 1;
    },
    signInWith: (next: Credential | null): void => signInWith(session, next),
  };
  return session;
}

function counters() {
  return {
    /** Counts credentials: with other ones, a refused request may succeed. */
    signIns: signal(0),
    /** Counts users: the content and the forms of the page end with a visit. */
    visit: signal(0),
    /** Counts changes that the screen must read. */
    changes: signal(0),
  };
}

/**
 * Uses a credential; null signs out. Whom the service asked to sign in goes on with the same visit. The visit of another user
 * ends at once, before the service has judged the credential, but a mistake in a key loses no texts.
 */
function signInWith(session: Session, next: Credential | null): void {
  const [last, drafts] = [session.accepted.peek(), session.drafts.peek()];
  const isAsked = typeof session.signInRequest.peek()?.refusal === "string";
  const isOther = last !== null && (last.id === null || last.id !== next?.id);
  if (!isAsked || isOther) endVisit(session);
  if (!isAsked) session.left = null;
  else if (isOther) session.left = { user: last.id, drafts };
  session.credential.value = next;
  session.signIns.value += 1;
  session.signInRequest.value = null;
}

/** The texts of the last user are there again where the service accepts their headers, and gone where it accepts others. */
function accept(session: Session, headers: Credential["headers"]): void {
  const [next, { left }] = [session.credential.peek(), session];
  if (next === null || next === session.accepted.peek() || next.headers !== headers) return;
  if (left !== null && left.user !== null && left.user === next.id) session.drafts.value = left.drafts;
  session.left = null;
  session.accepted.value = next;
}

/** Nothing of the last user stays: a message may offer to undo a change. Requests that still run show no more messages. */
function endVisit(session: Session): void {
  session.visit.value += 1;
  session.accepted.value = null;
  session.dialog.peek()?.end();
  session.queries.value = [];
  session.drafts.value = new Map();
  session.toasts = new Toasts();
  session.announcement.value = "";
}

/** Returns a view that stays equal to the fragment. The state of an entry of the history is the fragment from which the reader came. */
function followedFragment(): Signal<View> {
  const view = signal(parseFragment(location.hash));
  history.replaceState(history.state ?? "", "");
  addEventListener("hashchange", () => {
    if (history.state === null) history.replaceState(hrefOf(view.peek()), "");
    view.value = parseFragment(location.hash);
  });
  return view;
}

/** Reads the model of the service. @throws ServiceError, NetworkError, Error for metadata that cannot be read */
export async function readModel(client: ServiceClient, signal: AbortSignal): Promise<Model> {
  const { body } = await client.get("$metadata", { signal, accept: "application/xml" });
  // The parts of a long way are tasks of their own: the page answers meanwhile.
  const schema = await inTask(() => readSchema(String(body), parseXml));
  const model = await inTask(() => toModel(schema));
  return inTask(() => model);
}

/** Parses an XML document with the parser of the browser. @throws Error if the text is not well-formed */
function parseXml(text: string): XmlElement {
  const document = new DOMParser().parseFromString(text, "application/xml");
  const fault = document.querySelector("parsererror");
  if (fault !== null) throw new Error(`The metadata of the service is not well-formed XML: ${fault.textContent ?? ""}`);
  return document.documentElement;
}

/** Passes the session to parts that are far below a screen. */
export const SessionContext = createContext<OpenSession | null>(null);
